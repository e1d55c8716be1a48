//! An attempt between its `Started` and its terminal event, with everything it holds.

use std::time::{Duration, Instant};

use retry_core::http::Health;

use crate::auth::Generation;
use crate::breaker::{Admission, Transition};
use crate::clock;
use crate::error::ClientError;
use crate::event::TransportEvent;
use crate::observer::{AttemptInfo, AttemptObserver, Watcher};
use crate::queue::Permit;

/// Reports exactly one terminal event: what [`land`](Self::land) is given, else `Cancelled`.
///
/// The clock is read only where somebody listens.
pub(super) struct Flight<'a> {
    watcher: Option<&'a Watcher>,
    attempt: Option<Box<dyn AttemptObserver>>,
    sent: Option<Instant>,
    head: Option<Instant>,
    permit: Option<Permit>,
    admission: Option<Admission<'a>>,
    /// Of the token that was sent.
    pub(super) generation: Option<Generation>,
}

/// How an attempt ended.
pub(super) enum Landing<'e> {
    Succeeded { status: u16, bytes: Option<u64> },
    Failed(&'e ClientError),
}

impl<'a> Flight<'a> {
    /// Reports `Started`.
    #[inline]
    pub(super) fn start(watcher: Option<&'a Watcher>) -> Self {
        if let Some(watcher) = watcher {
            watcher.report(TransportEvent::Started);
        }
        Self {
            watcher,
            attempt: None,
            sent: None,
            head: None,
            permit: None,
            admission: None,
            generation: None,
        }
    }

    /// Takes what the attempt holds.
    #[inline]
    pub(super) fn carry(
        &mut self,
        permit: Permit,
        admission: Option<Admission<'a>>,
        generation: Option<Generation>,
    ) {
        self.permit = Some(permit);
        self.admission = admission;
        self.generation = generation;
    }

    /// The request is about to leave. `info` is asked for where somebody listens.
    pub(super) fn leaving<'i>(&mut self, info: impl FnOnce() -> AttemptInfo<'i>) {
        self.attempt = self.watcher.and_then(|watcher| watcher.attempt(&info()));
    }

    /// The request leaves now.
    #[inline]
    pub(super) fn sent(&mut self) {
        self.sent = self.watcher.map(|_| clock::now());
    }

    /// The response head is here.
    #[inline]
    pub(super) fn head(&mut self) {
        self.head = self.watcher.map(|_| clock::now());
    }

    /// Gives the slot back, then tells the breaker. An answer that proves nothing only gives its
    /// place there back.
    #[inline]
    pub(super) fn settle(&mut self, health: Option<Health>) -> Option<Transition> {
        self.permit = None;
        self.admission.take()?.settle(health?)
    }

    /// Reports the terminal event; nothing after it. `took` overrides the measured time.
    #[inline]
    pub(super) fn land(&mut self, landing: Landing<'_>, took: Option<Duration>) {
        if let Some(watcher) = self.watcher.take() {
            self.report(watcher, landing, took);
        }
    }

    fn report(&mut self, watcher: &Watcher, landing: Landing<'_>, took: Option<Duration>) {
        let took = took.unwrap_or_else(|| match (self.sent, self.head) {
            (Some(sent), Some(head)) => head.saturating_duration_since(sent),
            (Some(sent), None) => clock::now().saturating_duration_since(sent),
            (None, _) => Duration::ZERO,
        });
        let ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        let event = match landing {
            Landing::Succeeded { status, bytes } => TransportEvent::succeeded(status, ms, bytes),
            Landing::Failed(error) => TransportEvent::failed(error.clone(), ms),
        };
        watcher.ended(self.attempt.take(), event);
    }
}

impl Drop for Flight<'_> {
    #[inline]
    fn drop(&mut self) {
        let Some(watcher) = self.watcher else { return };
        // Before the report, so that an observer finds nothing held.
        self.permit = None;
        self.admission = None;
        watcher.ended(self.attempt.take(), TransportEvent::Cancelled);
    }
}
