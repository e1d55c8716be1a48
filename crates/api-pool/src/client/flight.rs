//! An attempt between its `Started` and its terminal event, with everything it holds.

use std::time::{Duration, Instant};

use retry_core::http::Health;

use crate::auth::Generation;
use crate::breaker::{Admission, Transition};
use crate::clock;
use crate::error::ClientError;
use crate::event::TransportEvent;
use crate::observer::{AttemptInfo, AttemptObserver, Outgoing, Watcher};
use crate::queue::{Permit, Slots};
use crate::seldom::Seldom;

/// Reports exactly one terminal event: a [success](Self::succeed), a [failure](Self::fail), else
/// `Cancelled`.
///
/// The clock is read only where somebody listens. A call has one, and uses it for one attempt after
/// the other.
#[derive(Default)]
pub(super) struct Flight<'a> {
    load: Seldom<Load<'a>>,
    watch: Seldom<Watch<'a>>,
}

/// What an attempt holds.
pub(super) struct Load<'a> {
    pub(super) permit: Permit<&'a Slots>,
    pub(super) admission: Option<Admission<'a>>,
    /// Of the token that is sent.
    pub(super) generation: Option<Generation>,
}

/// Who listens, and what is to be told.
struct Watch<'a> {
    watcher: &'a Watcher,
    attempt: Option<Box<dyn AttemptObserver>>,
    sent: Option<Instant>,
    head: Option<Instant>,
}

impl<'a> Flight<'a> {
    /// Takes what an attempt holds, and reports `Started`.
    #[inline(always)]
    pub(super) fn start(&mut self, watcher: Option<&'a Watcher>, load: Load<'a>) {
        *self.load = Some(load);
        if let Some(watcher) = watcher {
            self.watch(watcher);
        }
    }

    /// Reports `Started` of an attempt that holds nothing.
    pub(super) fn grounded(watcher: Option<&'a Watcher>) -> Self {
        let mut flight = Self::default();
        if let Some(watcher) = watcher {
            flight.watch(watcher);
        }
        flight
    }

    #[inline(always)]
    fn watch(&mut self, watcher: &'a Watcher) {
        *self.watch = Some(Watch { watcher, attempt: None, sent: None, head: None });
        watcher.report(|| TransportEvent::Started);
    }

    /// Whether anybody is told how it ends.
    #[inline]
    pub(super) fn is_watched(&self) -> bool {
        self.watch.is_some()
    }

    /// Which token is sent.
    pub(super) fn generation(&self) -> Option<Generation> {
        self.load.as_ref()?.generation
    }

    /// The request is about to leave.
    #[inline(always)]
    pub(super) fn leaving(&mut self, request: &dyn Outgoing, resend_count: usize) {
        if let Some(watch) = &mut *self.watch {
            watch.leaving(request, resend_count);
        }
    }

    /// The request leaves now.
    #[inline]
    pub(super) fn sent(&mut self) {
        if let Some(watch) = &mut *self.watch {
            watch.sent = Some(clock::now());
        }
    }

    /// The response head is here.
    #[inline]
    pub(super) fn head(&mut self) {
        if let Some(watch) = &mut *self.watch {
            watch.head = Some(clock::now());
        }
    }

    /// Gives the slot back, then tells the breaker. An answer that proves nothing only gives its
    /// place there back.
    #[inline(always)]
    pub(super) fn settle(&mut self, health: Option<Health>) -> Option<Transition> {
        let Load { permit, admission, .. } = self.load.take()?;
        drop(permit);
        admission?.settle(health?)
    }

    /// Reports a success; nothing after it.
    #[inline(always)]
    pub(super) fn succeed(&mut self, status: u16, bytes: Option<u64>) {
        // Looked at where it is, and moved only if it is there.
        if self.watch.is_some()
            && let Some(watch) = self.watch.take()
        {
            let ms = millis(watch.took());
            watch.end(|| TransportEvent::succeeded(status, ms, bytes));
        }
    }

    /// Reports a failure; nothing after it. `took` overrides the measured time.
    pub(super) fn fail(&mut self, error: &ClientError, took: Option<Duration>) {
        if let Some(watch) = self.watch.take() {
            let ms = millis(took.unwrap_or_else(|| watch.took()));
            watch.end(|| TransportEvent::failed(error.clone(), ms));
        }
    }

    #[cold]
    fn cancel(&mut self) {
        // Before anybody is told, so that an observer finds nothing held.
        *self.load = None;
        if let Some(watch) = self.watch.take() {
            watch.end(|| TransportEvent::Cancelled);
        }
    }
}

impl Drop for Flight<'_> {
    #[inline]
    fn drop(&mut self) {
        if self.load.is_some() || self.watch.is_some() {
            self.cancel();
        }
    }
}

impl Watch<'_> {
    #[inline(never)]
    fn leaving(&mut self, request: &dyn Outgoing, resend_count: usize) {
        self.attempt = self.watcher.attempt(&AttemptInfo::new(request, resend_count));
    }

    /// How long the request was on its way, to the head of the response or to now.
    #[inline(always)]
    fn took(&self) -> Duration {
        let Some(sent) = self.sent else { return Duration::ZERO };
        self.head.unwrap_or_else(clock::now).saturating_duration_since(sent)
    }

    #[inline(always)]
    fn end(self, event: impl FnOnce() -> TransportEvent) {
        self.watcher.ended(self.attempt, event);
    }
}

fn millis(duration: Duration) -> u64 {
    duration.as_secs().saturating_mul(1000).saturating_add(duration.subsec_millis().into())
}
