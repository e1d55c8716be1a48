//! The server on the other end of the wire: a process of its own, so that it is not counted.

use std::{
    env,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    process::{Child, Command, Stdio, exit},
    thread,
};

/// What a program of this crate is called with to be the server.
pub(crate) const COMMAND: &str = "serve";

const RESPONSE: &[u8] = b"HTTP/1.1 200 OK\r\n\
    content-type: application/json\r\n\
    content-length: 11\r\n\
    \r\n\
    {\"data\":[]}";

/// A server that runs, until this is dropped.
pub(crate) struct Server {
    child: Child,
    url: String,
}

impl Server {
    /// Starts this program once more, as the server.
    pub(crate) fn start() -> Self {
        let program = env::current_exe().expect("this program has a path");
        let mut child = Command::new(program)
            .arg(COMMAND)
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
pub(crate) fn serve() -> ! {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("loopback has a free port");
    let address = listener.local_addr().expect("a bound socket has an address");
    println!("http://{address}/airports");
    thread::spawn(|| {
        let _ = std::io::stdin().read(&mut [0]);
        exit(0);
    });
    if let Ok((connection, _)) = listener.accept() {
        answer(connection);
    }
    exit(0)
}

/// Requests have no body, so each ends with the first empty line.
fn answer(mut connection: TcpStream) {
    let _ = connection.set_nodelay(true);
    let mut request = Vec::new();
    let mut part = [0; 4096];
    while let Ok(length @ 1..) = connection.read(&mut part) {
        request.extend_from_slice(&part[..length]);
        if request.ends_with(b"\r\n\r\n") {
            request.clear();
            if connection.write_all(RESPONSE).is_err() {
                return;
            }
        }
    }
}
