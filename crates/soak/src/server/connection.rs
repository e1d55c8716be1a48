//! One connection: reading requests, counting them, and ways to end badly.

use std::{
    io,
    sync::{Arc, atomic::Ordering},
};

use test_support::request_end;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

use super::{LINGER, Served, Tally};

/// A connection. It is counted as open until it is dropped.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    tally: Arc<Tally>,
    buffer: Vec<u8>,
    /// Whether the request at the front of the buffer has been counted.
    counted: bool,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.tally.open.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Connection {
    pub(super) fn new(stream: TcpStream, tally: Arc<Tally>) -> Self {
        tally.open.fetch_add(1, Ordering::SeqCst);
        let _ = stream.set_nodelay(true);
        Self { stream, tally, buffer: Vec::new(), counted: false }
    }

    /// Waits for the first byte of a request, and leaves it where it is.
    pub(crate) async fn knock(&mut self) -> io::Result<()> {
        if self.buffer.is_empty() && self.stream.peek(&mut [0]).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.count();
        Ok(())
    }

    /// Reads until `length` bytes of the request are here, or all of it; says which.
    pub(crate) async fn read_some(&mut self, length: usize) -> io::Result<Part> {
        self.knock().await?;
        loop {
            if let Some(end) = request_end(&self.buffer) {
                return Ok(if length < end { Part::Some } else { Part::All });
            }
            if length <= self.buffer.len() {
                return Ok(Part::Some);
            }
            self.receive(length - self.buffer.len()).await?;
        }
    }

    /// The path of the request, as soon as its first line is here.
    pub(crate) async fn path(&mut self) -> io::Result<String> {
        self.knock().await?;
        loop {
            if let Some(end) = self.buffer.iter().position(|byte| *byte == b'\n') {
                let line = String::from_utf8_lossy(self.buffer.get(..end).unwrap_or_default());
                return Ok(line.split(' ').nth(1).unwrap_or_default().to_owned());
            }
            self.receive(usize::MAX).await?;
        }
    }

    /// The request as far as its headers go, which stays where it is.
    pub(crate) async fn head(&mut self) -> io::Result<&str> {
        while request_end(&self.buffer).is_none() {
            self.receive(usize::MAX).await?;
        }
        Ok(std::str::from_utf8(&self.buffer).unwrap_or_default())
    }

    /// Reads a complete request.
    pub(crate) async fn request(&mut self) -> io::Result<Vec<u8>> {
        self.knock().await?;
        let end = loop {
            match request_end(&self.buffer) {
                Some(end) => break end,
                None => self.receive(usize::MAX).await?,
            }
        };
        self.counted = false;
        Ok(self.buffer.drain(..end).collect())
    }

    pub(crate) async fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes).await
    }

    /// Ends in the orderly way (FIN), counting a request that crosses it.
    pub(crate) async fn finish(mut self) -> Served {
        let drain = async {
            self.stream.shutdown().await?;
            loop {
                self.buffer.clear();
                self.receive(usize::MAX).await?;
                self.count();
            }
        };
        timeout(LINGER, drain).await.unwrap_or(Ok(()))
    }

    /// Ends at once (RST).
    pub(crate) fn reset(self) -> Served {
        self.stream.set_zero_linger()
    }

    /// Does nothing until the client leaves.
    pub(crate) async fn stall(&mut self) -> Served {
        loop {
            self.receive(usize::MAX).await?;
        }
    }

    fn count(&mut self) {
        if !self.counted {
            self.counted = true;
            self.tally.begun();
        }
    }

    async fn receive(&mut self, limit: usize) -> io::Result<()> {
        let mut bytes = [0; 4 * 1024];
        let limit = limit.min(bytes.len());
        let read = self.stream.read(bytes.get_mut(..limit).unwrap_or_default()).await?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.buffer.extend_from_slice(bytes.get(..read).unwrap_or_default());
        Ok(())
    }
}

/// How much of a request was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// As much as was asked for, and there is more.
    Some,
    /// All of it.
    All,
}
