//! Who is told of one attempt.

use super::{AttemptInfo, AttemptObserver, TransportObserver, shielded};
use crate::event::TransportEvent;

/// An observer and the key it knows the client by, looked up once for all that an attempt tells.
#[derive(Clone, Copy)]
pub(crate) struct Listener<'a> {
    key: &'a str,
    observer: &'a dyn TransportObserver,
}

impl<'a> Listener<'a> {
    #[inline]
    pub(super) const fn new(key: &'a str, observer: &'a dyn TransportObserver) -> Self {
        Self { key, observer }
    }

    /// Reports an event, which is made where it is handed over.
    #[inline(always)]
    pub(crate) fn report(self, event: impl FnOnce() -> TransportEvent) {
        shielded(move || self.observer.on_event(self.key, event()));
    }

    #[inline(always)]
    pub(crate) fn attempt(self, attempt: &AttemptInfo<'_>) -> Option<Box<dyn AttemptObserver>> {
        shielded(|| self.observer.on_attempt(self.key, attempt)).flatten()
    }

    /// Reports a terminal event, first to the observer of the attempt.
    #[inline(always)]
    pub(crate) fn ended(
        self,
        attempt: Option<Box<dyn AttemptObserver>>,
        event: impl FnOnce() -> TransportEvent,
    ) {
        match attempt {
            Some(attempt) => self.ended_to(attempt, event()),
            None => self.report(event),
        }
    }

    #[inline(never)]
    fn ended_to(self, attempt: Box<dyn AttemptObserver>, event: TransportEvent) {
        shielded(|| attempt.ended(&event));
        self.report(|| event);
    }
}
