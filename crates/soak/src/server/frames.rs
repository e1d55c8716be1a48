//! One HTTP/2 connection on the level of frames (RFC 9113), with requests that are a head alone.

use std::{
    io,
    sync::{Arc, atomic::Ordering},
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

use super::{LINGER, Served, Tally};

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;

const ACK: u8 = 1;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

/// The setting of how many requests may be under way at once.
const MAX_CONCURRENT_STREAMS: u16 = 3;

/// What a client lets a server send in all before it hears of more.
const WINDOW: usize = 65_535;

/// A connection. It is counted as open until it is dropped.
#[derive(Debug)]
pub(crate) struct Frames {
    stream: TcpStream,
    tally: Arc<Tally>,
    /// The number of the newest request.
    newest: u32,
    /// How many bytes of bodies were sent.
    sent: usize,
}

impl Drop for Frames {
    fn drop(&mut self) {
        self.tally.open.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Frames {
    pub(super) fn new(stream: TcpStream, tally: Arc<Tally>) -> Self {
        tally.open.fetch_add(1, Ordering::SeqCst);
        let _ = stream.set_nodelay(true);
        Self { stream, tally, newest: 0, sent: 0 }
    }

    /// Begins. The client may have so many requests under way at once.
    pub(crate) async fn greet(&mut self, at_once: u32) -> io::Result<()> {
        let mut preface = [0; 24];
        self.stream.read_exact(&mut preface).await?;
        let mut settings = MAX_CONCURRENT_STREAMS.to_be_bytes().to_vec();
        settings.extend_from_slice(&at_once.to_be_bytes());
        self.send(SETTINGS, 0, 0, &settings).await
    }

    /// Waits for the next request, which is not counted yet.
    pub(crate) async fn request(&mut self) -> io::Result<u32> {
        loop {
            let mut head = [0; 9];
            self.stream.read_exact(&mut head).await?;
            let [l0, l1, l2, kind, flags, s0, s1, s2, s3] = head;
            let length = u32::from_be_bytes([0, l0, l1, l2]);
            let mut payload = vec![0; usize::try_from(length).unwrap_or_default()];
            self.stream.read_exact(&mut payload).await?;
            match kind {
                SETTINGS if flags & ACK == 0 => self.send(SETTINGS, ACK, 0, &[]).await?,
                PING if flags & ACK == 0 => self.send(PING, ACK, 0, &payload).await?,
                HEADERS => {
                    self.newest = u32::from_be_bytes([s0, s1, s2, s3]);
                    return Ok(self.newest);
                }
                _ => (),
            }
        }
    }

    /// Counts a request: the server will do something about it.
    pub(crate) fn count(&self) {
        self.tally.begun();
    }

    /// Sends the head of an answer, with a wait if there is one to tell.
    pub(crate) async fn head(&mut self, stream: u32, status: u16, wait: &str) -> io::Result<()> {
        // Literals without indexing of RFC 7541: `:status` is 8 of the table, `retry-after` 53.
        let mut block = vec![8, 3];
        block.extend_from_slice(status.to_string().as_bytes());
        if !wait.is_empty() {
            block.extend_from_slice(&[0x0f, 53 - 15, u8::try_from(wait.len()).unwrap_or_default()]);
            block.extend_from_slice(wait.as_bytes());
        }
        self.send(HEADERS, END_HEADERS, stream, &block).await
    }

    /// Sends a part of a body, as far as the window allows.
    pub(crate) async fn part(&mut self, stream: u32, body: &[u8]) -> io::Result<()> {
        let room = WINDOW.saturating_sub(self.sent).min(body.len());
        for part in body.get(..room).unwrap_or_default().chunks(4_096) {
            self.sent += part.len();
            self.send(DATA, 0, stream, part).await?;
        }
        Ok(())
    }

    /// Ends an answer.
    pub(crate) async fn end(&mut self, stream: u32) -> io::Result<()> {
        self.send(DATA, END_STREAM, stream, &[]).await
    }

    /// Whether so little of the window is left that the connection should end.
    pub(crate) const fn is_worn(&self) -> bool {
        WINDOW < self.sent + 8_192
    }

    /// Ends one request: 7 says that it was not acted on.
    pub(crate) async fn reset(&mut self, stream: u32, code: u32) -> io::Result<()> {
        self.send(RST_STREAM, 0, stream, &code.to_be_bytes()).await
    }

    pub(crate) async fn ping(&mut self) -> io::Result<()> {
        self.send(PING, 0, 0, &[7; 8]).await
    }

    /// Ends the connection, and says that no request above `last` was acted on.
    pub(crate) async fn go_away(mut self, last: u32) -> Served {
        let payload = [last.to_be_bytes(), [0; 4]].concat();
        self.send(GOAWAY, 0, 0, &payload).await?;
        let drain = async {
            self.stream.shutdown().await?;
            // Unread bytes would turn the end into a reset.
            while self.stream.read(&mut [0; 1024]).await? > 0 {}
            Ok(())
        };
        timeout(LINGER, drain).await.unwrap_or(Ok(()))
    }

    /// Ends the connection after what came so far.
    pub(crate) async fn finish(self) -> Served {
        let newest = self.newest;
        self.go_away(newest).await
    }

    async fn send(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) -> io::Result<()> {
        let [_, length @ ..] = u32::try_from(payload.len()).unwrap_or_default().to_be_bytes();
        let head = [length.as_slice(), &[kind, flags], &stream.to_be_bytes()].concat();
        self.stream.write_all(&[&head, payload].concat()).await
    }
}
