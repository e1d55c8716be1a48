//! What a call knows before its attempt takes off.

use super::Inner;
use super::timer::Timer;
use crate::breaker::Seat;
use crate::error::{ClientError, ErrorKind};
use crate::fate::Fate;
use crate::policy::CallPolicy;

/// What is needed to wait for everything that an attempt needs.
pub(super) struct Ground<'a, T> {
    pub(super) inner: &'a Inner<T>,
    pub(super) policy: &'a CallPolicy,
    /// The place in the breaker's line that the last refusal left to this call.
    pub(super) seat: Option<Seat>,
    pub(super) deadline: Timer,
    /// Of the attempt, from 1. A replay is not counted.
    pub(super) number: usize,
    /// Attempts that were not refused before they started.
    pub(super) made: usize,
}

impl<'a, T> Ground<'a, T> {
    pub(super) fn new(inner: &'a Inner<T>, policy: &'a CallPolicy) -> Self {
        Self { inner, policy, seat: None, deadline: Timer::default(), number: 1, made: 0 }
    }

    /// Hands over what a wait needs; it comes back when the wait is over.
    pub(super) fn hand_over(&mut self) -> Self {
        Self {
            inner: self.inner,
            policy: self.policy,
            seat: self.seat.take(),
            deadline: std::mem::take(&mut self.deadline),
            number: self.number,
            made: self.made,
        }
    }

    /// The error of an attempt that was not sent for lack of permission.
    pub(super) fn refused(&self, kind: ErrorKind) -> ClientError {
        ClientError::new(kind, self.made).with_fate(Fate::NotSent)
    }

    /// The error of an attempt.
    pub(super) fn failed(&self, kind: ErrorKind) -> ClientError {
        ClientError::new(kind, self.number)
    }
}
