//! One attempt, watched from when its request leaves.

use core::fmt;

use crate::event::TransportEvent;
use crate::transport::Address;

/// A request that is about to be sent.
///
/// What could be a secret is not here: neither path nor query, neither header nor body.
#[derive(Clone, Copy)]
pub struct AttemptInfo<'a> {
    request: &'a dyn Outgoing,
    resend_count: usize,
}

/// A request as far as observers may see it, looked at only when one of them asks.
pub(crate) trait Outgoing {
    fn method(&self) -> &str;
    fn address(&self) -> Address<'_>;
}

impl<'a> AttemptInfo<'a> {
    pub(crate) const fn new(request: &'a dyn Outgoing, resend_count: usize) -> Self {
        Self { request, resend_count }
    }

    /// The method, such as `GET`.
    #[must_use]
    pub fn method(&self) -> &'a str {
        self.request.method()
    }

    /// Where the request goes, before any redirect.
    #[must_use]
    pub fn address(&self) -> Address<'a> {
        self.request.address()
    }

    /// How many attempts the call has made before: 0 for its first.
    #[must_use]
    pub const fn resend_count(&self) -> usize {
        self.resend_count
    }
}

impl fmt::Debug for AttemptInfo<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AttemptInfo")
            .field("method", &self.method())
            .field("address", &self.address())
            .field("resend_count", &self.resend_count)
            .finish()
    }
}

/// Watches one attempt. See
/// [`TransportObserver::on_attempt`](crate::TransportObserver::on_attempt).
pub trait AttemptObserver: Send {
    /// The attempt is over.
    ///
    /// `event` is its terminal event, [`Succeeded`](TransportEvent::Succeeded),
    /// [`Failed`](TransportEvent::Failed) or [`Cancelled`](TransportEvent::Cancelled), and is
    /// reported to [`on_event`](crate::TransportObserver::on_event) next.
    fn ended(self: Box<Self>, event: &TransportEvent);
}

/// Several observers of one attempt as one; none of none.
pub(super) fn together(
    observers: impl IntoIterator<Item = Box<dyn AttemptObserver>>,
) -> Option<Box<dyn AttemptObserver>> {
    // Nothing is allocated for an empty one.
    let mut all: Vec<_> = observers.into_iter().collect();
    if all.len() > 1 { Some(Box::new(All(all))) } else { all.pop() }
}

struct All(Vec<Box<dyn AttemptObserver>>);

impl AttemptObserver for All {
    fn ended(self: Box<Self>, event: &TransportEvent) {
        for observer in self.0 {
            super::shielded(|| observer.ended(event));
        }
    }
}
