//! Reads a paginated API to its end, however often it fails on the way.
//!
//! Starts a server that answers every fifth request or so with a failure, and writes its 3,376
//! airports to the standard output, one JSON object a line:
//!
//! ```sh
//! cargo run -p api-pool --example extract > airports.jsonl
//! ```
//!
//! A page is asked for again while its failure may pass. When its retries are spent, the extract
//! stops with the error and can be resumed later: it goes on with that page.

use std::{
    error::Error,
    fmt, io,
    io::Write,
    time::{Duration, Instant},
};

use api_pool::{Policy, Retryable, with_retry};
use demo_api::{Config, DemoServer, FaultPlan};
use reqwest::header::HeaderValue;
use retry_core::{http::Class, retry_after};
use serde_json::{Map, Value};

/// How often the program resumes the extract before it gives up.
const PASSES: usize = 10;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let faults: FaultPlan = r#"503@10%; 429@2% retry-after="1"; reset@5%; truncate@3%"#.parse()?;
    let server = DemoServer::start(Config::new().faults(faults.with_seed(7)))?;
    let mut extract = Extract::new(reqwest::Client::new(), format!("{}/airports", server.url()));
    let mut log = io::stderr();

    let began = now();
    let mut result = Ok(());
    for _ in 0..PASSES {
        result = extract.run(Policy::default(), &mut io::stdout().lock()).await;
        match &result {
            Err(error) if error.is_transient() => {
                writeln!(log, "page {} failed, going on there: {error}", extract.page())?;
            }
            _ => break,
        }
    }
    let (rows, requests) = (extract.rows(), server.stats().requests());
    writeln!(log, "{rows} rows in {requests} requests and {:.1?}", now() - began)?;
    Ok(result?)
}

fn now() -> Instant {
    #[expect(clippy::disallowed_methods, reason = "a program may look at the clock")]
    tokio::time::Instant::now().into_std()
}

/// Rows asked for at a time.
pub(crate) const PAGE_SIZE: usize = 100;

/// A listing that is read page by page, and how far that has come.
pub(crate) struct Extract {
    client: reqwest::Client,
    url: String,
    page: usize,
    /// Rows of the current page that are written already.
    written: usize,
    rows: usize,
}

impl Extract {
    pub(crate) fn new(client: reqwest::Client, url: String) -> Self {
        Self { client, url, page: 1, written: 0, rows: 0 }
    }

    /// The page that comes next, counted from 1.
    pub(crate) fn page(&self) -> usize {
        self.page
    }

    /// The rows written so far.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Writes the rows that are left to `out`, each page when it has arrived.
    ///
    /// After an error, call it again: it goes on behind the last row it has written.
    pub(crate) async fn run(
        &mut self,
        policy: Policy,
        out: &mut impl Write,
    ) -> Result<(), ExtractError> {
        loop {
            let rows = with_retry(policy, || self.fetch()).await?;
            for row in rows.iter().skip(self.written) {
                let mut line = serde_json::to_vec(row).map_err(ExtractError::Parse)?;
                line.push(b'\n');
                out.write_all(&line).map_err(ExtractError::Write)?;
                self.written += 1;
                self.rows += 1;
            }
            if rows.len() < PAGE_SIZE {
                return out.flush().map_err(ExtractError::Write);
            }
            self.page += 1;
            self.written = 0;
        }
    }

    /// One attempt at the current page.
    async fn fetch(&self) -> Result<Vec<Map<String, Value>>, ExtractError> {
        let url = format!("{}?_page={}&_limit={PAGE_SIZE}&shape=bare", self.url, self.page);
        let response = self.client.get(url).send().await.map_err(ExtractError::Network)?;
        if let Some(class) = Class::of(response.status().as_u16()) {
            return Err(ExtractError::Status {
                status: response.status().as_u16(),
                class,
                retry_after: retry_after::longest(
                    response.headers().get_all("retry-after").iter().map(HeaderValue::as_bytes),
                ),
            });
        }
        let body = response.bytes().await.map_err(ExtractError::Network)?;
        serde_json::from_slice(&body).map_err(ExtractError::Parse)
    }
}

/// Why a page could not be read, or its rows not be written.
#[derive(Debug)]
pub(crate) enum ExtractError {
    Network(reqwest::Error),
    Parse(serde_json::Error),
    Status { status: u16, class: Class, retry_after: Option<Duration> },
    Write(io::Error),
}

impl Retryable for ExtractError {
    fn is_transient(&self) -> bool {
        match self {
            Self::Network(_) => Class::Network.is_transient(),
            Self::Parse(_) => Class::Parse.is_transient(),
            Self::Status { class, .. } => class.is_transient(),
            Self::Write(_) => false,
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Status { retry_after, .. } => *retry_after,
            Self::Network(_) | Self::Parse(_) | Self::Write(_) => None,
        }
    }
}

impl fmt::Display for ExtractError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Network(_) => f.write_str("no complete answer arrived"),
            Self::Parse(_) => f.write_str("the answer is no list of rows"),
            Self::Status { status, .. } => write!(f, "the server answered {status}"),
            Self::Write(_) => f.write_str("a row could not be written"),
        }
    }
}

impl Error for ExtractError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Network(error) => Some(error),
            Self::Parse(error) => Some(error),
            Self::Status { .. } => None,
            Self::Write(error) => Some(error),
        }
    }
}
