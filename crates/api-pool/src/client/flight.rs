//! An attempt between its `Started` and its terminal event, with everything it holds.

use std::time::{Duration, Instant};

use retry_core::http::Health;

use crate::auth::Generation;
use crate::breaker::{Admission, Transition};
use crate::clock;
use crate::error::ClientError;
use crate::event::TransportEvent;
use crate::observer::{AttemptInfo, AttemptObserver, Outgoing, Watcher};
use crate::queue::Permit;

/// Reports exactly one terminal event: what [`land`](Self::land) is given, else `Cancelled`.
///
/// The clock is read only where somebody listens. A call has one, and uses it for one attempt after
/// the other.
#[derive(Default)]
pub(super) struct Flight<'a> {
    // Dropped first, so that an observer finds nothing held.
    load: Option<Load<'a>>,
    watch: Option<Watch<'a>>,
}

/// What an attempt holds.
pub(super) struct Load<'a> {
    pub(super) permit: Permit,
    pub(super) admission: Option<Admission<'a>>,
    /// Of the token that is sent.
    pub(super) generation: Option<Generation>,
}

/// Who listens, and what is to be told. Dropped unreported, it reports `Cancelled`.
struct Watch<'a> {
    /// `None` once it has been reported.
    watcher: Option<&'a Watcher>,
    attempt: Option<Box<dyn AttemptObserver>>,
    sent: Option<Instant>,
    head: Option<Instant>,
}

/// How an attempt ended.
pub(super) enum Landing<'e> {
    Succeeded { status: u16, bytes: Option<u64> },
    Failed(&'e ClientError),
}

impl<'a> Flight<'a> {
    /// Takes what an attempt holds, and reports `Started`.
    #[inline]
    pub(super) fn start(&mut self, watcher: Option<&'a Watcher>, load: Load<'a>) {
        self.load = Some(load);
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

    fn watch(&mut self, watcher: &'a Watcher) {
        self.watch = Some(Watch { watcher: Some(watcher), attempt: None, sent: None, head: None });
        watcher.report(TransportEvent::Started);
    }

    /// Whether anybody is told how it ends.
    #[inline]
    pub(super) const fn is_watched(&self) -> bool {
        self.watch.is_some()
    }

    /// Which token is sent.
    pub(super) fn generation(&self) -> Option<Generation> {
        self.load.as_ref()?.generation
    }

    /// The request is about to leave.
    #[inline]
    pub(super) fn leaving(&mut self, request: &dyn Outgoing, resend_count: usize) {
        if let Some(watch) = &mut self.watch
            && let Some(watcher) = watch.watcher
        {
            watch.attempt = watcher.attempt(&AttemptInfo::new(request, resend_count));
        }
    }

    /// The request leaves now.
    #[inline]
    pub(super) fn sent(&mut self) {
        if let Some(watch) = &mut self.watch {
            watch.sent = Some(clock::now());
        }
    }

    /// The response head is here.
    #[inline]
    pub(super) fn head(&mut self) {
        if let Some(watch) = &mut self.watch {
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

    /// Reports the terminal event; nothing after it. `took` overrides the measured time.
    #[inline]
    pub(super) fn land(&mut self, landing: Landing<'_>, took: Option<Duration>) {
        if let Some(watch) = &mut self.watch {
            watch.report(landing, took);
            self.watch = None;
        }
    }
}

impl Watch<'_> {
    fn report(&mut self, landing: Landing<'_>, took: Option<Duration>) {
        let Some(watcher) = self.watcher.take() else { return };
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

impl Drop for Watch<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some(watcher) = self.watcher {
            watcher.ended(self.attempt.take(), TransportEvent::Cancelled);
        }
    }
}
