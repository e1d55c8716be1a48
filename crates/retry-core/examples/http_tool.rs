//! A command-line tool that fetches a URL with a blocking client and retries as HTTP asks.
//!
//! ```text
//! cargo run -p retry-core --features std --example http_tool -- http://localhost:8080/
//! ```
//!
//! Without an argument it fetches from a small server of its own, which is unwell for the
//! first two requests.

#![expect(clippy::print_stdout, reason = "a tool prints its answer")]
#![expect(clippy::print_stderr, reason = "a tool reports its troubles there")]

use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};
use std::{env, fmt, io, thread};

use retry_core::{Backoff, Jitter, Policy, RetryAfterRule, Retryable, http, retry_after};

/// Quick at first, never longer than 5 s, 30 s in all. A server that asks for more than a
/// minute is not waited for: somebody sits in front of this tool.
const POLICY: Policy =
    Policy::new(Backoff::exponential(Duration::from_millis(200)).with_cap(Duration::from_secs(5)))
        .with_jitter(Jitter::Full)
        .with_max_elapsed(Duration::from_secs(30))
        .with_retry_after(RetryAfterRule::GiveUpAbove(Duration::from_secs(60)));

/// Why there is no answer to print.
#[derive(Debug)]
enum FetchError {
    /// The server answered with this status.
    Status { status: u16, hint: Option<Duration> },
    /// The server did not answer.
    Transport(ureq::Error),
}

impl fmt::Display for FetchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status { status, .. } => write!(f, "the server answered {status}"),
            Self::Transport(_) => f.write_str("the server did not answer"),
        }
    }
}

impl Error for FetchError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Status { .. } => None,
            Self::Transport(error) => Some(error),
        }
    }
}

impl Retryable for FetchError {
    fn is_transient(&self) -> bool {
        match self {
            Self::Status { status, .. } => http::is_retryable(*status),
            // A connection may come back; a malformed URL stays malformed.
            Self::Transport(error) => matches!(
                error,
                ureq::Error::Io(_) | ureq::Error::Timeout(_) | ureq::Error::ConnectionFailed
            ),
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Status { hint, .. } => *hint,
            Self::Transport(_) => None,
        }
    }
}

/// One attempt.
fn fetch(agent: &ureq::Agent, url: &str) -> Result<String, FetchError> {
    let mut response = agent.get(url).call().map_err(FetchError::Transport)?;
    let status = response.status().as_u16();
    if !response.status().is_success() {
        let lines = response.headers().get_all("retry-after");
        let hint = retry_after::longest(lines.iter().map(ureq::http::HeaderValue::as_bytes));
        return Err(FetchError::Status { status, hint });
    }
    response.body_mut().read_to_string().map_err(FetchError::Transport)
}

#[expect(clippy::disallowed_methods, reason = "a blocking tool waits in real time")]
fn fetch_patiently(url: &str) -> Result<String, Box<dyn Error>> {
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .timeout_global(Some(Duration::from_secs(10)))
        .build()
        .into();
    let begin = Instant::now();
    let answer = POLICY
        .call(|| fetch(&agent, url))
        .sleep(thread::sleep)
        .clock(|| begin.elapsed())
        .notify(|retry| eprintln!("{}, retry {} in {:?}", retry.error, retry.attempt, retry.after))
        .run()?;
    Ok(answer)
}

fn main() -> Result<(), Box<dyn Error>> {
    let url = match env::args().nth(1) {
        Some(url) => url,
        None => unwell_server()?,
    };
    println!("{}", fetch_patiently(&url)?);
    Ok(())
}

/// Answers 503, then 429 with a hint, then 200. Ends with the process.
fn unwell_server() -> io::Result<String> {
    const ANSWERS: [&str; 3] = [
        "503 Service Unavailable\r\ncontent-length: 0",
        "429 Too Many Requests\r\nretry-after: 1\r\ncontent-length: 0",
        "200 OK\r\ncontent-length: 6\r\n\r\nwell!\n",
    ];
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("http://{}/", listener.local_addr()?);
    thread::spawn(move || {
        for (stream, answer) in listener.incoming().zip(ANSWERS) {
            if let Err(error) = stream.and_then(|stream| reply(stream, answer)) {
                eprintln!("the server failed: {error}");
            }
        }
    });
    Ok(url)
}

fn reply(mut stream: TcpStream, answer: &str) -> io::Result<()> {
    let mut request = BufReader::new(stream.try_clone()?).lines();
    while request.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
    let end = if answer.contains("\r\n\r\n") { "" } else { "\r\n\r\n" };
    write!(stream, "HTTP/1.1 {}{end}", answer.replacen("\r\n", "\r\nconnection: close\r\n", 1))
}
