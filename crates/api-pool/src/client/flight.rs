//! An attempt between its `Started` and its terminal event.

use std::time::{Duration, Instant};

use crate::clock;
use crate::error::ClientError;
use crate::event::TransportEvent;
use crate::observer::Watcher;

/// Reports exactly one terminal event: what [`land`](Self::land) is given, else `Cancelled`.
///
/// The clock is read only where somebody listens.
pub(super) struct Flight<'a> {
    watcher: Option<&'a Watcher>,
    sent: Option<Instant>,
    head: Option<Instant>,
}

/// How an attempt ended.
pub(super) enum Landing<'e> {
    Succeeded { status: u16, bytes: Option<u64> },
    Failed(&'e ClientError),
}

impl<'a> Flight<'a> {
    /// Reports `Started`.
    pub(super) fn start(watcher: Option<&'a Watcher>) -> Self {
        if let Some(watcher) = watcher {
            watcher.report(TransportEvent::Started);
        }
        Self { watcher, sent: None, head: None }
    }

    /// The request leaves now.
    pub(super) fn sent(&mut self) {
        self.sent = self.watcher.map(|_| clock::now());
    }

    /// The response head is here.
    pub(super) fn head(&mut self) {
        self.head = self.watcher.map(|_| clock::now());
    }

    /// Reports the terminal event. `took` overrides the measured time.
    pub(super) fn land(mut self, landing: Landing<'_>, took: Option<Duration>) {
        let Some(watcher) = self.watcher.take() else { return };
        let took = took.unwrap_or_else(|| match (self.sent, self.head) {
            (Some(sent), Some(head)) => head.saturating_duration_since(sent),
            (Some(sent), None) => clock::now().saturating_duration_since(sent),
            (None, _) => Duration::ZERO,
        });
        let ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        watcher.report(match landing {
            Landing::Succeeded { status, bytes } => TransportEvent::succeeded(status, ms, bytes),
            Landing::Failed(error) => TransportEvent::failed(error.clone(), ms),
        });
    }
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        if let Some(watcher) = self.watcher {
            watcher.report(TransportEvent::Cancelled);
        }
    }
}
