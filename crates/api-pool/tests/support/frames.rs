//! A server that speaks just enough HTTP/2 to misbehave on the level of frames.

#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

// Frame types and flags of RFC 9113 §6.
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const ACK: u8 = 1;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

// Error codes of RFC 9113 §7.
pub(crate) const NO_ERROR: u32 = 0;
pub(crate) const PROTOCOL_ERROR: u32 = 1;
pub(crate) const INTERNAL_ERROR: u32 = 2;
pub(crate) const REFUSED_STREAM: u32 = 7;
pub(crate) const CANCEL: u32 = 8;
pub(crate) const ENHANCE_YOUR_CALM: u32 = 11;

/// The largest stream number.
pub(crate) const ALL: u32 = (1 << 31) - 1;

/// What the server does when a request is complete.
pub(crate) enum Act {
    /// Answers 200 on this stream, so that the request has been acted on.
    Answer(u32),
    /// Answers 200 on this stream, with this much to come; an empty length is not told.
    Begin { stream: u32, length: &'static str },
    /// Closes the connection.
    Close,
    /// Says that no stream was or will be acted on, and why in the server's own words.
    Complain { code: u32, debug: &'static str },
    /// Answers on this stream with nothing to come, whatever the length says.
    End { stream: u32, status: Status, length: &'static str },
    /// Says that no stream above this one was or will be acted on.
    GoAway { last: u32, code: u32 },
    /// Goes on with the answer on this stream.
    Part { stream: u32, data: &'static str },
    /// Answers 307 on this stream.
    Redirect { stream: u32, location: String },
    /// Resets a stream.
    Reset { stream: u32, code: u32 },
}

/// A status that has an index in the static table of RFC 7541.
#[derive(Clone, Copy)]
pub(crate) enum Status {
    Ok = 0x88,
    NoContent = 0x89,
}

/// A complete request: the number of its connection and of its stream.
#[derive(Clone, Copy)]
pub(crate) struct Request {
    pub(crate) connection: u32,
    pub(crate) stream: u32,
}

/// Speaks HTTP/2 with clients that know that it does. It stops when it is dropped.
pub(crate) struct FrameServer {
    address: SocketAddr,
    seen: Arc<Mutex<Seen>>,
    accepting: JoinHandle<()>,
}

#[derive(Default)]
struct Seen {
    requests: u64,
    answered: Vec<String>,
    resets: Vec<(u32, u32)>,
}

impl FrameServer {
    pub(crate) async fn start(act: impl Fn(Request) -> Vec<Act> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port of this machine");
        let address = listener.local_addr().expect("the listener is bound");
        let seen = Arc::<Mutex<Seen>>::default();
        let record = Arc::clone(&seen);
        let act = Arc::new(act);
        let accepting = tokio::spawn(async move {
            let mut connections = JoinSet::new();
            for number in 0.. {
                let Ok((stream, _)) = listener.accept().await else { return };
                let (act, seen) = (Arc::clone(&act), Arc::clone(&record));
                connections.spawn(async move {
                    let mut connection = Connection { stream, bodies: Vec::new(), seen };
                    connection.run(|stream| act(Request { connection: number, stream })).await
                });
            }
        });
        Self { address, seen, accepting }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Requests that arrived completely.
    pub(crate) fn requests(&self) -> u64 {
        self.seen.lock().expect("no panic while recording").requests
    }

    /// The bodies of the requests that were acted on, sorted.
    pub(crate) fn answered(&self) -> Vec<String> {
        let mut answered = self.seen.lock().expect("no panic while recording").answered.clone();
        answered.sort();
        answered
    }

    /// The streams that clients reset, and the codes that they gave.
    pub(crate) fn resets(&self) -> Vec<(u32, u32)> {
        self.seen.lock().expect("no panic while recording").resets.clone()
    }
}

impl Drop for FrameServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

struct Connection {
    stream: TcpStream,
    /// By stream.
    bodies: Vec<(u32, String)>,
    seen: Arc<Mutex<Seen>>,
}

impl Connection {
    async fn run(&mut self, act: impl Fn(u32) -> Vec<Act>) -> io::Result<()> {
        let mut preface = [0; 24];
        self.stream.read_exact(&mut preface).await?;
        self.send(SETTINGS, 0, 0, &[]).await?;
        loop {
            let mut head = [0; 9];
            self.stream.read_exact(&mut head).await?;
            let [l0, l1, l2, kind, flags, s0, s1, s2, s3] = head;
            let mut payload = vec![0; u32::from_be_bytes([0, l0, l1, l2]) as usize];
            self.stream.read_exact(&mut payload).await?;
            let stream = u32::from_be_bytes([s0, s1, s2, s3]);
            match kind {
                SETTINGS | PING if flags & ACK == 0 => {
                    let echo = if kind == PING { payload.as_slice() } else { &[] };
                    self.send(kind, ACK, 0, echo).await?;
                }
                HEADERS | DATA => {
                    if kind == DATA {
                        self.bodies.push((stream, String::from_utf8_lossy(&payload).into_owned()));
                    }
                    if flags & END_STREAM != 0 {
                        self.seen.lock().expect("no panic while recording").requests += 1;
                        for act in act(stream) {
                            self.take(act).await?;
                        }
                    }
                }
                RST_STREAM => {
                    let code = payload.as_slice().try_into().map_or(ALL, u32::from_be_bytes);
                    let mut seen = self.seen.lock().expect("no panic while recording");
                    seen.resets.push((stream, code));
                }
                _ => (),
            }
        }
    }

    async fn take(&mut self, act: Act) -> io::Result<()> {
        match act {
            Act::Answer(stream) => {
                let parts = self.bodies.iter().filter(|(of, _)| *of == stream);
                let body = parts.map(|(_, part)| part.as_str()).collect();
                self.seen.lock().expect("no panic while recording").answered.push(body);
                let head = [Status::Ok as u8];
                self.send(HEADERS, END_HEADERS | END_STREAM, stream, &head).await
            }
            Act::Begin { stream, length } => {
                self.send(HEADERS, END_HEADERS, stream, &head(Status::Ok, length)).await
            }
            Act::Close => {
                self.stream.shutdown().await?;
                // Unread bytes would turn the end into a reset.
                while self.stream.read(&mut [0; 1024]).await? > 0 {}
                Err(io::ErrorKind::ConnectionAborted.into())
            }
            Act::Complain { code, debug } => {
                let payload = [&[0; 4], &code.to_be_bytes(), debug.as_bytes()].concat();
                self.send(GOAWAY, 0, 0, &payload).await
            }
            Act::End { stream, status, length } => {
                self.send(HEADERS, END_HEADERS | END_STREAM, stream, &head(status, length)).await
            }
            Act::GoAway { last, code } => {
                let payload = [last.to_be_bytes(), code.to_be_bytes()].concat();
                self.send(GOAWAY, 0, 0, &payload).await
            }
            Act::Part { stream, data } => self.send(DATA, 0, stream, data.as_bytes()).await,
            Act::Redirect { stream, location } => {
                let head = [&literal(8, "307")[..], &literal(46, &location)].concat();
                self.send(HEADERS, END_HEADERS | END_STREAM, stream, &head).await
            }
            Act::Reset { stream, code } => {
                self.send(RST_STREAM, 0, stream, &code.to_be_bytes()).await
            }
        }
    }

    async fn send(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) -> io::Result<()> {
        let length = u32::try_from(payload.len()).expect("a short payload").to_be_bytes();
        let head = [&length[1..], &[kind, flags], &stream.to_be_bytes()].concat();
        self.stream.write_all(&[&head, payload].concat()).await
    }
}

/// A status and a `content-length`, unless that is empty.
fn head(status: Status, length: &str) -> Vec<u8> {
    let length = if length.is_empty() { vec![] } else { literal(28, length) };
    [&[status as u8][..], &length].concat()
}

/// A value for a name of the static table, as a literal that is not indexed (RFC 7541 §6.2.2).
fn literal(name: u8, value: &str) -> Vec<u8> {
    let length = u8::try_from(value.len()).expect("a short value");
    let name = if name < 15 { vec![name] } else { vec![15, name - 15] };
    [&name[..], &[length], value.as_bytes()].concat()
}
