//! What a call holds of its client, and what its failures left.

use std::time::Duration;

use retry_core::Policy;

use super::budget::Paid;
use super::flight::Flight;
use crate::error::{AttemptRecord, ClientError, History};
use crate::fate::Fate;
use crate::policy::CallPolicy;
use crate::seldom::Vacant;

/// In one place, so that one look shows when there is nothing.
// In this order its parts are set up apart from each other: see `Phase`.
#[derive(Default)]
#[repr(C)]
pub(super) struct Held<'a> {
    // Dropped first: a retry that was paid for and not made goes back last.
    pub(super) flight: Flight<'a>,
    /// Set up by the first failure.
    pub(super) after_failure: Option<Box<AfterFailure<'a>>>,
}

impl Vacant for Held<'_> {
    #[inline(always)]
    fn is_vacant(&self) -> bool {
        let Self { flight, after_failure } = self;
        flight.is_vacant() && after_failure.is_none()
    }
}

/// What only a call that failed once needs.
pub(super) struct AfterFailure<'a> {
    pub(super) policy: Policy,
    /// What the policy's run is picked up from: attempts that it decided on, and its last wait.
    pub(super) decided: u32,
    pub(super) previous: Duration,
    /// Attempts that failed, those included that were refused before they started.
    failures: usize,
    /// How far any of them got, other than those that are replayed: a 401 refuses to act.
    pub(super) fate: Fate,
    pub(super) history: History,
    /// The retry that is being waited for.
    pub(super) paid: Option<Paid<'a>>,
}

impl AfterFailure<'_> {
    pub(super) fn new(policy: &CallPolicy) -> Self {
        Self {
            policy: policy.schedule(),
            decided: 0,
            previous: Duration::ZERO,
            failures: 0,
            fate: Fate::NotSent,
            history: History::default(),
            paid: None,
        }
    }

    /// Remembers an attempt that failed.
    pub(super) fn note(&mut self, error: &ClientError) {
        self.failures += 1;
        self.history.push(AttemptRecord {
            number: self.failures,
            kind: error.kind_name(),
            status: error.status(),
            fate: error.fate(),
            wait: None,
        });
    }
}

#[cfg(test)]
mod tests;
