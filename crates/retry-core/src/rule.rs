//! What a server's hint does to a wait.

use core::time::Duration;

use crate::nanos;

/// What a server's hint (`Retry-After`) does to the wait.
///
/// # Examples
///
/// ```
/// use core::time::Duration;
/// use retry_core::{Backoff, Failure, Next, Policy, RetryAfterRule};
///
/// let policy = Policy::new(Backoff::constant(Duration::from_secs(1)).with_cap(Duration::from_secs(10)));
/// let asked = Failure::rate_limited(Some(Duration::from_secs(30)));
/// let wait = |rule| {
///     match policy.with_retry_after(rule).run().on_failure(asked, Duration::ZERO, &mut || u64::MAX) {
///         Next::Retry { after, .. } => Some(after.as_secs()),
///         Next::Stop(_) => None,
///     }
/// };
///
/// assert_eq!(wait(RetryAfterRule::Ignore), Some(1));
/// assert_eq!(wait(RetryAfterRule::Clamp), Some(10));
/// assert_eq!(wait(RetryAfterRule::Exact), Some(30));
/// assert_eq!(wait(RetryAfterRule::GiveUpAbove(Duration::from_secs(20))), None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RetryAfterRule {
    /// Nothing: the schedule decides alone.
    Ignore,
    /// Replaces the schedule's delay, up to the cap.
    #[default]
    Clamp,
    /// Is waited exactly, without jitter, also above the cap. The floor still holds.
    Exact,
    /// Like [`Clamp`](Self::Clamp), but a hint above this duration ends the run at once. A
    /// policy keeps one of more than 584 years as 584 years.
    GiveUpAbove(Duration),
}

/// A rule in one byte, with its duration kept apart: in 64 bits, which takes half the room.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Ignore,
    Clamp,
    Exact,
    GiveUpAbove,
}

impl RetryAfterRule {
    pub(crate) const fn apart(self) -> (Kind, u64) {
        match self {
            Self::Ignore => (Kind::Ignore, 0),
            Self::Clamp => (Kind::Clamp, 0),
            Self::Exact => (Kind::Exact, 0),
            Self::GiveUpAbove(limit) => (Kind::GiveUpAbove, nanos::at_most(limit)),
        }
    }

    pub(crate) const fn joined(kind: Kind, limit: u64) -> Self {
        match kind {
            Kind::Ignore => Self::Ignore,
            Kind::Clamp => Self::Clamp,
            Kind::Exact => Self::Exact,
            Kind::GiveUpAbove => Self::GiveUpAbove(nanos::duration(limit)),
        }
    }
}
