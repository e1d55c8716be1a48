//! Why a service gave up.

use core::fmt;
use std::error::Error as StdError;

use retry_core::StopReason;

use crate::error::replay::BodyNotRepeatable;

/// A boxed error, as `tower` has it.
pub(super) type BoxError = Box<dyn StdError + Send + Sync>;

/// The last error of a request, which was not or no longer retried.
///
/// # Examples
///
/// ```
/// # fn show(error: &api_pool::tower::RetryError) {
/// if error.was_not_repeatable() {
///     eprintln!("send a body that can be cloned: {error}");
/// }
/// # }
/// ```
#[derive(Debug)]
pub struct RetryError {
    attempts: u32,
    stop: Stop,
    source: BoxError,
}

/// What kept the next attempt from being made.
#[derive(Debug)]
pub(super) enum Stop {
    Body,
    Policy(StopReason),
}

impl RetryError {
    pub(super) fn new(attempts: u32, stop: Stop, source: BoxError) -> Self {
        Self { attempts, stop, source }
    }

    /// The attempts made.
    #[must_use]
    pub const fn attempts(&self) -> u32 {
        self.attempts
    }

    /// Whether there was one attempt only because the request's body cannot be sent again.
    #[must_use]
    pub const fn was_not_repeatable(&self) -> bool {
        matches!(self.stop, Stop::Body)
    }

    /// Why the policy stopped; `None` where it was not asked.
    #[must_use]
    pub const fn stop_reason(&self) -> Option<&StopReason> {
        match &self.stop {
            Stop::Body => None,
            Stop::Policy(reason) => Some(reason),
        }
    }
}

impl fmt::Display for RetryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.attempts == 1 { "" } else { "s" };
        write!(f, "request failed after {} attempt{plural}", self.attempts)?;
        match self.stop {
            Stop::Body => write!(f, ", {BodyNotRepeatable}"),
            Stop::Policy(_) => Ok(()),
        }
    }
}

impl StdError for RetryError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&*self.source)
    }
}
