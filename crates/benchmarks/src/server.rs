//! The server on the other end of the wire: a process of its own, so that it is not counted.

mod rows;

use std::{
    env,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    process::{Child, Command, Stdio, exit},
    thread,
};

/// What a program of this crate is called with to be the server.
pub(crate) const COMMAND: &str = "serve";

const BODY: &str = "{\"data\":[]}";

/// A server that runs, until this is dropped.
pub(crate) struct Server {
    child: Child,
    url: String,
}

impl Server {
    /// Starts this program once more, as the server of a small answer.
    pub(crate) fn start() -> Self {
        Self::with(&[])
    }

    /// Starts it as the server of so many rows, as an array or as an answer to a GraphQL query.
    #[cfg(feature = "adapters")]
    pub(crate) fn of_rows(rows: u64, shape: &str) -> Self {
        Self::with(&[&rows.to_string(), shape])
    }

    fn with(args: &[&str]) -> Self {
        let program = env::current_exe().expect("this program has a path");
        let mut child = Command::new(program)
            .arg(COMMAND)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("this program starts");
        let stdout = child.stdout.take().expect("its output is piped");
        let mut url = String::new();
        BufReader::new(stdout).read_line(&mut url).expect("it says where it is");
        Self { child, url: url.trim_end().to_owned() }
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It has gone already where its one connection was closed first.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Answers every request of one connection, and ends with it or with the process that started it.
pub(crate) fn serve(args: &[&str]) -> ! {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("loopback has a free port");
    let address = listener.local_addr().expect("a bound socket has an address");
    println!("http://{address}/airports");
    thread::spawn(|| {
        let _ = std::io::stdin().read(&mut [0]);
        exit(0);
    });
    if let Ok((connection, _)) = listener.accept() {
        match args {
            [total, shape] => {
                let total = total.parse().expect("a number of rows");
                answer(connection, |request| rows::body(request, total, shape));
            }
            _ => answer(connection, |_| BODY.to_owned()),
        }
    }
    exit(0)
}

fn answer(mut connection: TcpStream, body: impl Fn(&str) -> String) {
    let _ = connection.set_nodelay(true);
    let mut request = Vec::new();
    let mut part = [0; 4096];
    while let Ok(length @ 1..) = connection.read(&mut part) {
        request.extend_from_slice(&part[..length]);
        let Ok(text) = std::str::from_utf8(&request) else { continue };
        if is_whole(text) {
            let body = body(text);
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
                body.len()
            );
            request.clear();
            if connection.write_all((head + &body).as_bytes()).is_err() {
                return;
            }
        }
    }
}

/// Whether the head has ended, and the body that it announces.
fn is_whole(request: &str) -> bool {
    let Some((head, body)) = request.split_once("\r\n\r\n") else { return false };
    let length = head.lines().filter_map(|line| line.split_once(':')).find_map(|(name, value)| {
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().unwrap_or(0))
    });
    length.unwrap_or(0) <= body.len()
}
