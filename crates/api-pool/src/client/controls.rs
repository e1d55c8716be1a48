//! What may be changed by hand while a client is in use.

use std::num::NonZeroUsize;

use super::ResilientClient;
use crate::breaker::{Circuit, Transition};

impl<T> ResilientClient<T> {
    /// Opens the breaker until [`reset_breaker`](Self::reset_breaker): no probe closes it. Does
    /// nothing without a breaker.
    pub fn isolate(&self) {
        let transition = self.inner.circuit.as_ref().and_then(Circuit::isolate);
        self.announce(transition);
    }

    /// Closes the breaker and forgets its failures. Does nothing without a breaker.
    pub fn reset_breaker(&self) {
        let transition = self.inner.circuit.as_ref().and_then(Circuit::reset);
        self.announce(transition);
    }

    /// Changes the number of slots. More are granted at once; with fewer, running attempts end
    /// first. 0 becomes 1. Slots of a [group](crate::ResilientClientBuilder::group) are the
    /// group's: the change is for all who share it.
    pub fn set_max_parallel(&self, limit: usize) {
        if limit == 0 {
            tracing::warn!("set_max_parallel(0) is taken as 1");
        }
        self.inner.slots.resize(NonZeroUsize::new(limit.max(1)));
    }

    fn announce(&self, transition: Option<Transition>) {
        if let Some(transition) = transition {
            self.report(transition.into());
        }
    }
}
