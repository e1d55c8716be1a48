//! Why there is no further attempt.

use core::fmt;
use core::time::Duration;

use crate::duration_text::display as text;

/// Why a run ended.
///
/// # Examples
///
/// ```
/// use core::time::Duration;
/// use retry_core::StopReason;
///
/// let reason = StopReason::HintTooLong {
///     hint: Duration::from_secs(3_600),
///     limit: Duration::from_secs(60),
/// };
/// assert_eq!(reason.to_string(), "the server asks to wait 1h, more than the limit of 1m");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// All attempts were made.
    Attempts {
        /// How many.
        made: u32,
    },
    /// The [budget](crate::RetryBudget) for retries is spent. Reported by whoever asks the
    /// budget, never by [`Run::on_failure`](crate::Run::on_failure) itself.
    Budget,
    /// The next attempt would have started too late.
    Elapsed {
        /// The time since the first attempt began, at the failure.
        elapsed: Duration,
        /// The wait that no longer fits.
        wait: Duration,
        /// The latest start of an attempt, from [`Policy::with_max_elapsed`](crate::Policy::with_max_elapsed).
        limit: Duration,
    },
    /// The server asks for a longer wait than [`GiveUpAbove`](crate::RetryAfterRule::GiveUpAbove) accepts.
    HintTooLong {
        /// What it asks for, unclamped.
        hint: Duration,
        /// The longest accepted.
        limit: Duration,
    },
    /// No repetition can mend the failure.
    NotRetryable,
    /// The operation may have had its effect, and a repetition could have it twice. Reported by
    /// whoever knows what became of the operation, never by [`Run::on_failure`](crate::Run::on_failure) itself.
    Unsafe,
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Attempts { made: 1 } => f.write_str("the only attempt failed"),
            Self::Attempts { made } => write!(f, "all {made} attempts failed"),
            Self::Budget => f.write_str("the retry budget is spent"),
            Self::Elapsed { elapsed, wait, limit } => write!(
                f,
                "a wait of {} after {} would end after the limit of {}",
                text(wait),
                text(elapsed),
                text(limit)
            ),
            Self::HintTooLong { hint, limit } => write!(
                f,
                "the server asks to wait {}, more than the limit of {}",
                text(hint),
                text(limit)
            ),
            Self::NotRetryable => f.write_str("the failure is not retryable"),
            Self::Unsafe => f.write_str("a repetition could repeat the operation's effect"),
        }
    }
}
