//! An attempt between its `Started` and its terminal event, with everything it holds.

use std::time::{Duration, Instant};

use retry_core::http::Health;

use super::sensitive::Sensitive;
use crate::auth::{Credential, Generation};
use crate::breaker::{Admission, Transition};
use crate::clock;
use crate::error::ClientError;
use crate::event::TransportEvent;
use crate::observer::{AttemptInfo, AttemptObserver, Listener, Outgoing, Watcher};
use crate::queue::{Permit, Slots};
use crate::seldom::{Seldom, Vacant};

/// Reports exactly one terminal event: a [success](Self::succeed), a [failure](Self::fail), else
/// `Cancelled`.
///
/// The clock is read only where somebody listens. A call has one, and uses it for one attempt after
/// the other.
// In this order its parts are set up apart from each other: see `executor::Phase`.
#[derive(Default)]
#[repr(C)]
pub(super) struct Flight<'a> {
    // Dropped in this order: when an observer is told, nothing is held.
    permit: Seldom<Option<Permit<&'a Slots>>>,
    admission: Seldom<Option<Admission<'a>>>,
    /// What is sent along.
    credential: Seldom<Option<Credential<'a>>>,
    /// What the request does not want shown.
    pub(super) sensitive: Sensitive,
    watch: Watch<'a>,
}

/// What an attempt holds.
pub(super) struct Load<'a> {
    pub(super) permit: Permit<&'a Slots>,
    pub(super) admission: Option<Admission<'a>>,
    pub(super) credential: Option<Credential<'a>>,
}

/// What is told to whom.
#[derive(Default)]
struct Watch<'a> {
    /// Who is still to be told how it ends.
    listener: Option<Listener<'a>>,
    attempt: Seldom<Option<Box<dyn AttemptObserver>>>,
    sent: Option<Instant>,
    /// How long the head of the response took, if it is here.
    took: Option<Duration>,
}

impl Vacant for Flight<'_> {
    #[inline(always)]
    fn is_vacant(&self) -> bool {
        let Self { permit, admission, credential, sensitive, watch } = self;
        permit.is_vacant()
            && admission.is_vacant()
            && credential.is_vacant()
            && sensitive.is_vacant()
            && watch.is_vacant()
    }
}

impl<'a> Flight<'a> {
    /// Takes what an attempt holds.
    pub(super) fn load(&mut self, load: Load<'a>) {
        let Load { permit, admission, credential } = load;
        self.permit.set(Some(permit));
        self.admission.set(admission);
        self.credential.set(credential);
    }

    /// Gives back what it holds.
    #[cold]
    pub(super) fn unload(&mut self) {
        self.permit.set(None);
        self.admission.set(None);
        self.credential.set(None);
    }

    #[inline]
    pub(super) fn hold_credential(&mut self, credential: Credential<'a>) {
        self.credential.set(Some(credential));
    }

    #[inline]
    pub(super) fn hold_permit(&mut self, permit: Permit<&'a Slots>) {
        self.permit.set(Some(permit));
    }

    #[inline]
    pub(super) fn hold_admission(&mut self, admission: Admission<'a>) {
        self.admission.set(Some(admission));
    }

    /// Reports `Started`.
    #[inline(always)]
    pub(super) fn start(&mut self, watcher: Option<&'a Watcher>) {
        if let Some(watcher) = watcher {
            let listener = watcher.listener();
            self.watch.listener = Some(listener);
            (self.watch.sent, self.watch.took) = (None, None);
            listener.report(|| TransportEvent::Started);
        }
    }

    /// Reports `Started` of an attempt that holds nothing.
    pub(super) fn grounded(watcher: Option<&'a Watcher>) -> Self {
        let mut flight = Self::default();
        flight.start(watcher);
        flight
    }

    /// Whether anybody is told how it ends.
    #[inline]
    pub(super) fn is_watched(&self) -> bool {
        self.watch.listener.is_some()
    }

    /// What is sent along.
    #[inline]
    pub(super) fn credential(&self) -> Option<&Credential<'a>> {
        self.credential.as_ref()
    }

    /// Which token is sent.
    #[inline]
    pub(super) fn generation(&self) -> Option<Generation> {
        self.credential().map(Credential::generation)
    }

    /// The request is about to leave.
    #[inline(always)]
    pub(super) fn leaving(&mut self, request: &dyn Outgoing, resend_count: usize) {
        if let Some(listener) = self.watch.listener {
            self.watch.leaving(listener, request, resend_count);
        }
    }

    /// The request leaves now.
    #[inline]
    pub(super) fn sent(&mut self) {
        if self.is_watched() {
            self.watch.sent = Some(clock::now());
        }
    }

    /// The response head is here.
    #[inline]
    pub(super) fn head(&mut self) {
        if self.is_watched() {
            self.watch.took = Some(self.watch.since_sent());
        }
    }

    /// Gives the slot back, then tells the breaker. An answer that proves nothing only gives its
    /// place there back.
    #[inline(always)]
    pub(super) fn settle(&mut self, health: Option<Health>) -> Option<Transition> {
        drop(self.permit.take());
        self.admission.take()?.settle(health?)
    }

    /// Reports a success; nothing after it.
    #[inline(always)]
    pub(super) fn succeed(&mut self, status: u16, bytes: Option<u64>) {
        if self.is_watched() {
            self.watch.succeed(status, bytes);
        }
    }

    /// Reports a failure; nothing after it. `took` overrides the measured time.
    pub(super) fn fail(&mut self, error: &ClientError, took: Option<Duration>) {
        if let Some(listener) = self.watch.listener.take() {
            let ms = millis(took.unwrap_or_else(|| self.watch.took()));
            self.watch.end(listener, || TransportEvent::failed(error.clone(), ms));
        }
    }
}

impl Vacant for Watch<'_> {
    #[inline(always)]
    fn is_vacant(&self) -> bool {
        let Self { listener, attempt, sent: _, took: _ } = self;
        listener.is_none() && attempt.is_vacant()
    }
}

impl Watch<'_> {
    #[inline(always)]
    fn leaving(&mut self, listener: Listener<'_>, request: &dyn Outgoing, resend_count: usize) {
        self.attempt.set(listener.attempt(&AttemptInfo::new(request, resend_count)));
    }

    #[inline(never)]
    fn succeed(&mut self, status: u16, bytes: Option<u64>) {
        if let Some(listener) = self.listener.take() {
            let ms = millis(self.took());
            self.end(listener, move || TransportEvent::succeeded(status, ms, bytes));
        }
    }

    /// How long the request was on its way, to the head of the response or to now.
    #[inline(always)]
    fn took(&self) -> Duration {
        self.took.unwrap_or_else(|| self.until_now())
    }

    #[cold]
    fn until_now(&self) -> Duration {
        self.since_sent()
    }

    #[inline(always)]
    fn since_sent(&self) -> Duration {
        self.sent.map_or(Duration::ZERO, |sent| clock::now().saturating_duration_since(sent))
    }

    #[inline(always)]
    fn end(&mut self, listener: Listener<'_>, event: impl FnOnce() -> TransportEvent) {
        listener.ended(self.attempt.take(), event);
    }

    #[cold]
    fn cancel(&mut self, listener: Listener<'_>) {
        self.end(listener, || TransportEvent::Cancelled);
    }
}

impl Drop for Watch<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some(listener) = self.listener.take() {
            self.cancel(listener);
        }
    }
}

#[inline]
fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
