//! The seam through which a client is watched.

mod attempt;
mod listener;
#[cfg(feature = "metrics")]
mod metrics;
#[cfg(feature = "spans")]
mod spans;

use std::any::Any;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

pub(crate) use self::attempt::Outgoing;
use self::attempt::together;
pub use self::attempt::{AttemptInfo, AttemptObserver};
pub(crate) use self::listener::Listener;
#[cfg(feature = "metrics")]
pub use self::metrics::MetricsObserver;
#[cfg(feature = "spans")]
pub use self::spans::Spans;
use crate::event::{TransportEvent, WaitStage};

/// Receives what a client does, as it does it.
///
/// Methods run inline on the caller's task, so they must return quickly. No lock of the client is
/// held meanwhile: an observer may ask the client for its state. A panic in an observer is caught
/// and dropped; the call goes on.
///
/// Two observers combine in a tuple, several in a `Vec`.
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicUsize, Ordering};
/// use api_pool::{ResilientClient, TransportEvent, TransportObserver};
///
/// #[derive(Default)]
/// struct Retries(AtomicUsize);
///
/// impl TransportObserver for Retries {
///     fn on_event(&self, _key: &str, event: TransportEvent) {
///         if let TransportEvent::RetryScheduled { .. } = event {
///             self.0.fetch_add(1, Ordering::Relaxed);
///         }
///     }
/// }
///
/// let retries = Arc::new(Retries::default());
/// let client = ResilientClient::builder().observer("airports", retries.clone()).build();
/// assert_eq!(client.key(), Some("airports"));
/// ```
pub trait TransportObserver: Send + Sync {
    /// Something happened to a call of the client with this key.
    fn on_event(&self, key: &str, event: TransportEvent);

    /// A call waited before an attempt; reported when the wait is over and was not zero.
    ///
    /// Does nothing by default.
    fn on_wait(&self, key: &str, stage: WaitStage, waited: Duration) {
        let _ = (key, stage, waited);
    }

    /// A request is about to be sent. What is returned is told how the attempt ends.
    ///
    /// Comes between [`Started`](TransportEvent::Started) and the terminal event, and not for an
    /// attempt that fails without being sent. Watches nothing by default, and then costs nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// use api_pool::{AttemptInfo, AttemptObserver, TransportEvent, TransportObserver};
    ///
    /// struct Log;
    /// struct Line(String);
    ///
    /// impl TransportObserver for Log {
    ///     fn on_event(&self, _key: &str, _event: TransportEvent) {}
    ///
    ///     fn on_attempt(&self, _: &str, attempt: &AttemptInfo<'_>) -> Option<Box<dyn AttemptObserver>> {
    ///         Some(Box::new(Line(format!("{} to {}", attempt.method(), attempt.address().host))))
    ///     }
    /// }
    ///
    /// impl AttemptObserver for Line {
    ///     fn ended(self: Box<Self>, event: &TransportEvent) {
    ///         println!("{}: {event:?}", self.0);
    ///     }
    /// }
    /// ```
    fn on_attempt(&self, key: &str, attempt: &AttemptInfo<'_>) -> Option<Box<dyn AttemptObserver>> {
        let _ = (key, attempt);
        None
    }
}

impl<O: TransportObserver + ?Sized> TransportObserver for Arc<O> {
    fn on_event(&self, key: &str, event: TransportEvent) {
        (**self).on_event(key, event);
    }

    fn on_wait(&self, key: &str, stage: WaitStage, waited: Duration) {
        (**self).on_wait(key, stage, waited);
    }

    fn on_attempt(&self, key: &str, attempt: &AttemptInfo<'_>) -> Option<Box<dyn AttemptObserver>> {
        (**self).on_attempt(key, attempt)
    }
}

impl<A: TransportObserver, B: TransportObserver> TransportObserver for (A, B) {
    fn on_event(&self, key: &str, event: TransportEvent) {
        shielded(|| self.0.on_event(key, event.clone()));
        self.1.on_event(key, event);
    }

    fn on_wait(&self, key: &str, stage: WaitStage, waited: Duration) {
        shielded(|| self.0.on_wait(key, stage, waited));
        self.1.on_wait(key, stage, waited);
    }

    fn on_attempt(&self, key: &str, attempt: &AttemptInfo<'_>) -> Option<Box<dyn AttemptObserver>> {
        let first = shielded(|| self.0.on_attempt(key, attempt)).flatten();
        // Here as well: a panic that got out would take the first one's along.
        let second = shielded(|| self.1.on_attempt(key, attempt)).flatten();
        together([first, second].into_iter().flatten())
    }
}

impl<O: TransportObserver> TransportObserver for Vec<O> {
    fn on_event(&self, key: &str, event: TransportEvent) {
        for observer in self {
            shielded(|| observer.on_event(key, event.clone()));
        }
    }

    fn on_wait(&self, key: &str, stage: WaitStage, waited: Duration) {
        for observer in self {
            shielded(|| observer.on_wait(key, stage, waited));
        }
    }

    fn on_attempt(&self, key: &str, attempt: &AttemptInfo<'_>) -> Option<Box<dyn AttemptObserver>> {
        let each = |observer: &O| shielded(|| observer.on_attempt(key, attempt)).flatten();
        together(self.iter().filter_map(each))
    }
}

/// An observer and the key it knows the client by.
pub(crate) struct Watcher {
    key: Arc<str>,
    observer: Arc<dyn TransportObserver>,
}

impl Watcher {
    pub(crate) fn new(key: Arc<str>, observer: Arc<dyn TransportObserver>) -> Self {
        Self { key, observer }
    }

    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    #[inline]
    pub(crate) fn listener(&self) -> Listener<'_> {
        Listener::new(&self.key, &*self.observer)
    }

    /// Reports an event, which is made where it is handed over.
    #[inline(always)]
    pub(crate) fn report(&self, event: impl FnOnce() -> TransportEvent) {
        self.listener().report(event);
    }

    pub(crate) fn waited(&self, stage: WaitStage, waited: Duration) {
        shielded(|| self.observer.on_wait(&self.key, stage, waited));
    }
}

/// Runs an observer's code. A panic there has been printed by the panic hook already and concerns
/// nobody else.
#[inline(always)]
fn shielded<O>(notify: impl FnOnce() -> O) -> Option<O> {
    match catch_unwind(AssertUnwindSafe(notify)) {
        Ok(outcome) => Some(outcome),
        Err(payload) => {
            dispose_of(payload);
            None
        }
    }
}

#[cold]
fn dispose_of(payload: Box<dyn Any + Send>) {
    tracing::warn!("a transport observer panicked");
    // It may panic in turn, and what that leaves is not looked at again.
    if let Err(another) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        mem::forget(another);
    }
}
