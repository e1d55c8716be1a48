//! One attempt, watched from when its request leaves.

use crate::event::TransportEvent;
use crate::transport::Address;

/// A request that is about to be sent.
///
/// What could be a secret is not here: neither path nor query, neither header nor body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AttemptInfo<'a> {
    /// The method, such as `GET`.
    pub method: &'a str,
    /// Where the request goes, before any redirect.
    pub address: Address<'a>,
    /// How many attempts the call has made before: 0 for its first.
    pub resend_count: usize,
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
