//! What a server has seen and done.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Requests whose bytes are kept.
const RECORDED: usize = 1_000;

/// What a [`FaultServer`](crate::FaultServer) has seen and done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    connections: u64,
    open: u64,
    requests: u64,
    received: u64,
    sent: u64,
    recorded: Vec<Vec<u8>>,
}

impl Seen {
    /// Accepted connections.
    #[must_use]
    pub fn connections(&self) -> u64 {
        self.connections
    }

    /// Connections that are open now.
    #[must_use]
    pub fn open(&self) -> u64 {
        self.open
    }

    /// Requests that were read completely.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.requests
    }

    /// Bytes received by the scripts' steps.
    #[must_use]
    pub fn received(&self) -> u64 {
        self.received
    }

    /// Bytes given to the sockets.
    #[must_use]
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// The bytes of the first 1,000 complete requests, in the order of their completion.
    #[must_use]
    pub fn recorded(&self) -> &[Vec<u8>] {
        &self.recorded
    }
}

/// The live counts.
#[derive(Debug, Default)]
pub(crate) struct Record(Mutex<Seen>);

impl Record {
    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn snapshot(&self) -> Seen {
        self.lock().clone()
    }

    pub(crate) fn opened(&self) {
        let mut seen = self.lock();
        seen.connections += 1;
        seen.open += 1;
    }

    pub(crate) fn closed(&self) {
        self.lock().open -= 1;
    }

    pub(crate) fn received(&self, bytes: usize) {
        self.lock().received += u64::try_from(bytes).unwrap_or(u64::MAX);
    }

    pub(crate) fn sent(&self, bytes: usize) {
        self.lock().sent += u64::try_from(bytes).unwrap_or(u64::MAX);
    }

    pub(crate) fn request(&self, bytes: Vec<u8>) {
        let mut seen = self.lock();
        seen.requests += 1;
        if seen.recorded.len() < RECORDED {
            seen.recorded.push(bytes);
        }
    }
}
