//! The last attempts of a call, in bounded memory.

use std::time::Duration;

use crate::fate::Fate;

/// One failed attempt of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AttemptRecord {
    /// Which attempt of the call this was, counting from 1.
    pub number: usize,
    /// The name of the failure's kind, as [`ErrorKind::name`](crate::ErrorKind::name) gives it.
    pub kind: &'static str,
    /// The response's status, where there was one.
    pub status: Option<u16>,
    /// What may have become of the request.
    pub fate: Fate,
    /// The wait scheduled after the attempt; `None` after the last one and before a replay.
    pub wait: Option<Duration>,
}

/// The last failed attempts of a call, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    records: Vec<AttemptRecord>,
}

impl History {
    /// How many attempts are remembered.
    pub const LIMIT: usize = 8;

    pub(crate) fn push(&mut self, record: AttemptRecord) {
        if self.records.len() == Self::LIMIT {
            self.records.remove(0);
        }
        self.records.push(record);
    }

    /// Notes the wait scheduled after the attempt pushed last.
    pub(crate) fn note_wait(&mut self, wait: Duration) {
        if let Some(last) = self.records.last_mut() {
            last.wait = Some(wait);
        }
    }

    /// The attempts, oldest first.
    #[must_use]
    pub fn records(&self) -> &[AttemptRecord] {
        &self.records
    }
}
