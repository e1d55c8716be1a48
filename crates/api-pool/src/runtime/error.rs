//! How a call of the runtime ends without a result.

use core::{error::Error, fmt};
use std::time::Duration;

/// A call that ended without a result.
///
/// # Examples
///
/// ```
/// use api_pool::RunError;
///
/// let error = RunError::Failed(std::io::Error::other("offline"));
/// assert_eq!(error.to_string(), "the operation failed");
/// assert_eq!(error.into_failed().map(|error| error.to_string()), Some("offline".to_owned()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunError<E> {
    /// The execution was cancelled for all who shared it.
    Cancelled,
    /// The scope or the runtime was disposed of first.
    Disposed(Disposed),
    /// The operation failed, and no repeat was left. Holds the error of the last attempt.
    Failed(E),
    /// As many attempts were waiting in the group as may, `limit`.
    QueueFull {
        /// The most attempts that may wait.
        limit: usize,
    },
    /// The attempt waited for a slot as long as it may, `limit`.
    QueueTimeout {
        /// The longest that an attempt may wait.
        limit: Duration,
    },
    /// The shared execution would have had to wait for itself.
    Recursive,
}

impl<E> RunError<E> {
    /// The operation's own error, if that is what ended the call.
    pub fn into_failed(self) -> Option<E> {
        match self {
            Self::Failed(error) => Some(error),
            _ => None,
        }
    }

    /// The operation's own error, if that is what ended the call.
    pub const fn failed(&self) -> Option<&E> {
        match self {
            Self::Failed(error) => Some(error),
            _ => None,
        }
    }

    /// Whether the scope or the runtime was disposed of first.
    pub const fn is_disposed(&self) -> bool {
        matches!(self, Self::Disposed(_))
    }

    /// Replaces the operation's own error.
    pub fn map<F>(self, change: impl FnOnce(E) -> F) -> RunError<F> {
        match self {
            Self::Cancelled => RunError::Cancelled,
            Self::Disposed(disposed) => RunError::Disposed(disposed),
            Self::Failed(error) => RunError::Failed(change(error)),
            Self::QueueFull { limit } => RunError::QueueFull { limit },
            Self::QueueTimeout { limit } => RunError::QueueTimeout { limit },
            Self::Recursive => RunError::Recursive,
        }
    }
}

impl<E> From<Disposed> for RunError<E> {
    fn from(disposed: Disposed) -> Self {
        Self::Disposed(disposed)
    }
}

impl<E> fmt::Display for RunError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cancelled => f.write_str("the shared execution was cancelled"),
            Self::Disposed(disposed) => disposed.fmt(f),
            Self::Failed(_) => f.write_str("the operation failed"),
            Self::QueueFull { limit } => write!(f, "queue full: {limit} attempts are waiting"),
            Self::QueueTimeout { limit } => write!(f, "no slot became free within {limit:?}"),
            Self::Recursive => f.write_str("the shared execution would wait for itself"),
        }
    }
}

impl<E: Error + 'static> Error for RunError<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Failed(error) => Some(error),
            Self::Disposed(_)
            | Self::Cancelled
            | Self::QueueFull { .. }
            | Self::QueueTimeout { .. }
            | Self::Recursive => None,
        }
    }
}

/// The scope or the runtime that a call belonged to was disposed of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Disposed;

impl fmt::Display for Disposed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("disposed")
    }
}

impl Error for Disposed {}

#[cfg(test)]
mod tests {
    use std::num::ParseIntError;

    use super::*;

    #[test]
    fn each_way_to_end_is_told_and_only_a_failure_has_a_cause() {
        let failed = "x".parse::<u8>().unwrap_err();
        let limit = Duration::from_secs(2);
        let ends: [(RunError<ParseIntError>, &str); 6] = [
            (RunError::Cancelled, "the shared execution was cancelled"),
            (Disposed.into(), "disposed"),
            (RunError::Failed(failed.clone()), "the operation failed"),
            (RunError::QueueFull { limit: 3 }, "queue full: 3 attempts are waiting"),
            (RunError::QueueTimeout { limit }, "no slot became free within 2s"),
            (RunError::Recursive, "the shared execution would wait for itself"),
        ];
        for (end, text) in ends {
            assert_eq!(end.to_string(), text);
            let own = matches!(end, RunError::Failed(_)).then_some(&failed);
            assert_eq!(end.failed(), own);
            let cause = end.source().map(ToString::to_string);
            assert_eq!(cause, own.map(ToString::to_string));
            assert_eq!(end.is_disposed(), text == "disposed");
            let other = end.clone().map(|_| fmt::Error);
            assert_eq!(other.to_string(), text);
            assert_eq!(other.into_failed(), own.map(|_| fmt::Error));
            assert_eq!(end.into_failed().as_ref(), own);
        }
    }
}
