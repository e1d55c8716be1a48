//! What a call is put together from.

use core::fmt;
use core::time::Duration;

use super::Scheduled;
use crate::{Classify, Failure};

/// In place of a sleep: a call cannot be run until
/// [`Call::sleep`](crate::Call::sleep) replaced it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct NoSleep;

/// In place of a notifier: nobody is told of retries.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Silent;

/// In place of a clock: the time of a call is the sum of its waits.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct WaitsOnly;

/// The judge of [`Call::when`](crate::Call::when): transient where the predicate holds, else permanent.
#[derive(Clone, Copy)]
pub struct When<P> {
    predicate: P,
}

impl<P> When<P> {
    pub(super) const fn new(predicate: P) -> Self {
        Self { predicate }
    }
}

impl<E, P: Fn(&E) -> bool> Classify<E> for When<P> {
    fn classify(&self, error: &E) -> Failure {
        if (self.predicate)(error) { Failure::transient() } else { Failure::permanent() }
    }
}

impl<P> fmt::Debug for When<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("When").finish_non_exhaustive()
    }
}

/// Is told of each retry before its wait: closures, and [`Silent`].
pub trait Listen<E> {
    /// A retry was scheduled; its wait comes next.
    fn tell(&mut self, scheduled: &Scheduled<'_, E>);
}

impl<E> Listen<E> for Silent {
    fn tell(&mut self, _scheduled: &Scheduled<'_, E>) {}
}

impl<E, N: FnMut(&Scheduled<'_, E>)> Listen<E> for N {
    fn tell(&mut self, scheduled: &Scheduled<'_, E>) {
        self(scheduled);
    }
}

/// Measures a call: closures that read a clock, and [`WaitsOnly`].
pub trait Time {
    /// The time since any origin. `waited` is the sum of the waits of this call so far.
    fn now(&mut self, waited: Duration) -> Duration;
}

impl Time for WaitsOnly {
    fn now(&mut self, waited: Duration) -> Duration {
        waited
    }
}

impl<K: FnMut() -> Duration> Time for K {
    fn now(&mut self, _waited: Duration) -> Duration {
        self()
    }
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use std::{borrow::ToOwned, format, string::String};

    use super::*;

    #[test]
    fn a_predicate_is_shown_without_what_it_captured() {
        let key = "hunter2".to_owned();
        let judge = When::new(|error: &String| *error == key);
        assert_eq!(format!("{judge:?}"), "When { .. }");
        assert!(judge.classify(&key).is_retryable());
    }
}
