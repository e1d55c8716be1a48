//! The end of a call without a value.

use core::fmt;

use crate::StopReason;

/// A call that ended without a value: the last error, and why there was no further attempt.
///
/// `Display` tells the reason; the error is the [`source`](core::error::Error::source).
///
/// # Examples
///
/// ```
/// use retry_core::{CallError, Policy, StopReason};
///
/// let error: CallError<_> = Policy::default()
///     .call(|| "x".parse::<u32>())
///     .when(|_error| false)
///     .sleep(|_wait| ())
///     .run_using(&mut || 0)
///     .unwrap_err();
/// assert_eq!(error.reason(), StopReason::NotRetryable);
/// assert_eq!(error.to_string(), "the failure is not retryable");
/// assert_eq!(error.into_error().to_string(), "invalid digit found in string");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallError<E> {
    error: E,
    reason: StopReason,
    attempts: u32,
}

impl<E> CallError<E> {
    pub(super) const fn new(error: E, reason: StopReason, attempts: u32) -> Self {
        Self { error, reason, attempts }
    }

    /// The error of the last attempt.
    #[must_use]
    pub const fn error(&self) -> &E {
        &self.error
    }

    /// Takes the error of the last attempt.
    #[must_use]
    pub fn into_error(self) -> E {
        self.error
    }

    /// Why there was no further attempt.
    #[must_use]
    pub const fn reason(&self) -> StopReason {
        self.reason
    }

    /// How many attempts were made.
    #[must_use]
    pub const fn attempts(&self) -> u32 {
        self.attempts
    }
}

impl<E> fmt::Display for CallError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reason.fmt(f)
    }
}

impl<E: core::error::Error + 'static> core::error::Error for CallError<E> {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        Some(&self.error)
    }
}
