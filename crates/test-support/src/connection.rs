//! One connection, taking its script's steps.

use std::{io, sync::Arc, time::Duration};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

use crate::{
    script::{Ending, Script, Step},
    seen::Record,
    wire::request_end,
};

/// How long a closed connection waits for the client to leave, so that no RST overtakes the FIN.
const LINGER: Duration = Duration::from_secs(1);

/// One connection; it is counted as open until it is dropped.
pub(crate) struct Connection {
    stream: TcpStream,
    seen: Arc<Record>,
    buffer: Vec<u8>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.seen.closed();
    }
}

/// The connection is over; nothing more can be done on it.
struct Over;

impl From<io::Error> for Over {
    fn from(_: io::Error) -> Self {
        Self
    }
}

impl Connection {
    pub(crate) fn new(stream: TcpStream, seen: Arc<Record>) -> Self {
        seen.opened();
        // Bytes that drip must leave one by one.
        let _ = stream.set_nodelay(true);
        Self { stream, seen, buffer: Vec::new() }
    }

    /// Takes the steps, then closes or starts over.
    pub(crate) async fn run(mut self, script: Script) {
        loop {
            for step in &script.steps {
                if self.take(step).await.is_err() {
                    return;
                }
            }
            if script.ending == Ending::Close || script.steps.is_empty() {
                let _ = self.close().await;
                return;
            }
        }
    }

    async fn take(&mut self, step: &Step) -> Result<(), Over> {
        match step {
            Step::Close => Err(self.close().await),
            Step::Drip(bytes, pause) => {
                for byte in bytes.chunks(1) {
                    sleep(*pause).await;
                    self.send(byte).await?;
                }
                Ok(())
            }
            Step::Endless(bytes) if bytes.is_empty() => Err(Over),
            Step::Endless(bytes) => loop {
                self.send(bytes).await?;
            },
            Step::Pause(pause) => {
                sleep(*pause).await;
                Ok(())
            }
            Step::Read(bytes) => {
                while self.buffer.len() < *bytes {
                    self.receive(*bytes - self.buffer.len()).await?;
                }
                self.buffer.drain(..*bytes);
                Ok(())
            }
            Step::ReadRequest => self.read_request().await,
            Step::Reset => {
                self.stream.set_zero_linger()?;
                Err(Over)
            }
            Step::Send(bytes) => self.send(bytes).await,
            Step::Stall => loop {
                self.receive(usize::MAX).await?;
                self.buffer.clear();
            },
        }
    }

    async fn read_request(&mut self) -> Result<(), Over> {
        let end = loop {
            match request_end(&self.buffer) {
                Some(end) => break end,
                None => self.receive(usize::MAX).await?,
            }
        };
        let request: Vec<u8> = self.buffer.drain(..end).collect();
        self.seen.request(request);
        Ok(())
    }

    /// Reads what has arrived, at most `limit` bytes.
    async fn receive(&mut self, limit: usize) -> Result<(), Over> {
        let mut bytes = [0; 16 * 1024];
        let limit = limit.min(bytes.len());
        let read = self.stream.read(bytes.get_mut(..limit).unwrap_or_default()).await?;
        let bytes = bytes.get(..read).filter(|bytes| !bytes.is_empty()).ok_or(Over)?;
        self.buffer.extend_from_slice(bytes);
        self.seen.received(read);
        Ok(())
    }

    async fn send(&mut self, mut bytes: &[u8]) -> Result<(), Over> {
        while !bytes.is_empty() {
            let sent = self.stream.write(bytes).await?;
            bytes = bytes.get(sent..).unwrap_or_default();
            self.seen.sent(sent);
        }
        Ok(())
    }

    /// Sends FIN and reads on until the client leaves: unread bytes would turn it into RST.
    async fn close(&mut self) -> Over {
        let drain = async {
            self.stream.shutdown().await?;
            let mut bytes = [0; 1024];
            while self.stream.read(&mut bytes).await? > 0 {}
            io::Result::Ok(())
        };
        let _ = timeout(LINGER, drain).await;
        Over
    }
}

#[expect(clippy::disallowed_methods, reason = "a script's pauses are the test's own time")]
async fn sleep(pause: Duration) {
    tokio::time::sleep(pause).await;
}
