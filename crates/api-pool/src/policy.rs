//! What one call may cost: how often it is retried, what it does at a shut breaker, how long it
//! may take.

use std::num::NonZeroU32;
use std::time::Duration;

use retry_core::{Backoff, Jitter, Policy, RetryAfterRule};

use crate::{breaker::BreakerMode, queue::QueueClass};

/// The shortest wait between two attempts.
const FLOOR: Duration = Duration::from_millis(1);

/// How much longer than computed a wait may get, in percent.
const SPREAD: u8 = 25;

/// A bounded number of retries with exponential back-off.
///
/// The wait before retry number *n*, counting from zero, is `base_backoff` × 2ⁿ, at most
/// `max_backoff`, lengthened at random by up to a quarter. Both bounds are raised to 1 ms. A
/// server's `Retry-After` replaces the computed wait and is held to `max_backoff` too.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use api_pool::RetryPolicy;
///
/// let policy = RetryPolicy::default();
/// assert_eq!(policy.max_retries, 4);
/// assert_eq!(policy.base_backoff, Duration::from_millis(50));
/// assert_eq!(policy.max_backoff, Duration::from_secs(10));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RetryPolicy {
    /// Repeats after the first attempt.
    pub max_retries: usize,
    /// The wait before the first retry.
    pub base_backoff: Duration,
    /// The longest wait, whatever the schedule or the server says.
    pub max_backoff: Duration,
}

impl RetryPolicy {
    /// A policy of `max_retries` repeats after the first attempt.
    #[must_use]
    pub const fn new(max_retries: usize, base_backoff: Duration, max_backoff: Duration) -> Self {
        Self { max_retries, base_backoff, max_backoff }
    }
}

impl Default for RetryPolicy {
    /// 4 retries, 50 ms doubling to 10 s.
    fn default() -> Self {
        Self::new(4, Duration::from_millis(50), Duration::from_secs(10))
    }
}

impl From<&RetryPolicy> for Policy {
    fn from(policy: &RetryPolicy) -> Self {
        let attempts = u32::try_from(policy.max_retries).unwrap_or(u32::MAX).saturating_add(1);
        schedule(policy.base_backoff, policy.max_backoff)
            .with_max_attempts(NonZeroU32::new(attempts).unwrap_or(NonZeroU32::MAX))
    }
}

impl From<RetryPolicy> for Policy {
    fn from(policy: RetryPolicy) -> Self {
        Self::from(&policy)
    }
}

/// How often a call is repeated.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RetryMode {
    /// One attempt.
    None,
    /// A bounded number of retries.
    Bounded(RetryPolicy),
    /// Retries until the caller drops the call, `base` doubling to `max`.
    #[non_exhaustive]
    UntilCancelled {
        /// The wait before the first retry.
        base: Duration,
        /// The longest wait.
        max: Duration,
    },
}

impl RetryMode {
    /// Retries until the caller drops the call, `base` doubling to `max`.
    #[must_use]
    pub const fn until_cancelled(base: Duration, max: Duration) -> Self {
        Self::UntilCancelled { base, max }
    }

    pub(crate) fn policy(&self) -> Policy {
        match self {
            Self::None => {
                schedule(FLOOR, Duration::from_secs(10)).with_max_attempts(NonZeroU32::MIN)
            }
            Self::Bounded(policy) => policy.into(),
            Self::UntilCancelled { base, max } => schedule(*base, *max).unbounded(),
        }
    }
}

fn schedule(base: Duration, max: Duration) -> Policy {
    Policy::new(Backoff::exponential(base.max(FLOOR)).with_cap(max.max(FLOOR)))
        .with_jitter(Jitter::Spread(SPREAD))
        .with_retry_after(RetryAfterRule::Clamp)
        .with_floor(FLOOR)
}

/// Whether a retry may repeat an operation with side effects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RetrySafety {
    /// Every method is retried alike: the caller vouches for what it sends.
    #[default]
    Default,
    /// A request whose method is not idempotent (RFC 9110 §9.2.2) and that carries no
    /// `Idempotency-Key` header is retried only when it was certainly not sent
    /// ([`Fate::NotSent`](crate::Fate::NotSent)).
    FateAware,
}

/// What becomes of a date in `Retry-After`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dates {
    Ignored,
    #[cfg(feature = "http-date")]
    Read,
}

/// How one call behaves: retries, breaker, place in the queue, limits in time.
///
/// # Examples
///
/// A user waits for the answer, but not for ever:
///
/// ```
/// use std::time::Duration;
/// use api_pool::CallPolicy;
///
/// let policy = CallPolicy::essential()
///     .with_attempt_timeout(Duration::from_secs(5))
///     .with_deadline(Duration::from_secs(60));
/// assert_eq!(policy.deadline(), Some(Duration::from_secs(60)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallPolicy {
    /// How often the call is repeated.
    pub retry: RetryMode,
    /// What the call does while the breaker is shut.
    pub breaker: BreakerMode,
    class: QueueClass,
    safety: RetrySafety,
    dates: Dates,
    attempt_timeout: Option<Duration>,
    deadline: Option<Duration>,
}

impl CallPolicy {
    /// A background call with the given retries and behaviour at a shut breaker.
    #[must_use]
    pub const fn new(retry: RetryMode, breaker: BreakerMode) -> Self {
        Self {
            retry,
            breaker,
            class: QueueClass::Background,
            safety: RetrySafety::Default,
            dates: Dates::Ignored,
            attempt_timeout: None,
            deadline: None,
        }
    }

    /// One attempt, refused at once while the breaker is shut: for polls and prefetches.
    #[must_use]
    pub const fn background() -> Self {
        Self::new(RetryMode::None, BreakerMode::FailFast)
    }

    /// Repeats until it succeeds, fails for good or is dropped, waits for the breaker, and goes
    /// before background calls: for what a user looks at. 250 ms doubling to 10 s.
    #[must_use]
    pub const fn essential() -> Self {
        Self::new(
            RetryMode::until_cancelled(Duration::from_millis(250), Duration::from_secs(10)),
            BreakerMode::WaitForProbe,
        )
        .with_class(QueueClass::Essential)
    }

    /// Retries as `policy` says, refused at once while the breaker is shut.
    #[must_use]
    pub const fn bounded(policy: RetryPolicy) -> Self {
        Self::new(RetryMode::Bounded(policy), BreakerMode::FailFast)
    }

    /// Waits while the breaker is shut, instead of failing at once.
    #[must_use]
    pub const fn wait_for_probe(mut self) -> Self {
        self.breaker = BreakerMode::WaitForProbe;
        self
    }

    /// Puts the call into a class of the queue. Default: background, essential in
    /// [`essential`](Self::essential).
    #[must_use]
    pub const fn with_class(mut self, class: QueueClass) -> Self {
        self.class = class;
        self
    }

    /// Says which failures of unsafe methods are retried. Default: all that are retryable.
    #[must_use]
    pub const fn with_safety(mut self, safety: RetrySafety) -> Self {
        self.safety = safety;
        self
    }

    /// Reads dates in `Retry-After` too (RFC 9110 §10.2.3), measured against the response's own
    /// `Date` where it has one. Default: only whole seconds are read.
    #[cfg(feature = "http-date")]
    #[cfg_attr(docsrs, doc(cfg(feature = "http-date")))]
    #[must_use]
    pub const fn with_retry_after_dates(mut self) -> Self {
        self.dates = Dates::Read;
        self
    }

    /// Limits each attempt from its start to its end, the body included where the call reads it.
    /// An attempt that takes longer is a retryable transport failure. Default: no limit beyond
    /// the HTTP client's own. [`Duration::MAX`] means no limit.
    #[must_use]
    pub const fn with_attempt_timeout(mut self, timeout: Duration) -> Self {
        self.attempt_timeout = limit(timeout);
        self
    }

    /// Limits the whole call, with every wait in it. No attempt starts at it or after it, and one
    /// that runs when it passes ends with [`ErrorKind::Deadline`](crate::ErrorKind::Deadline).
    /// Default: no limit. [`Duration::MAX`] means no limit.
    #[must_use]
    pub const fn with_deadline(mut self, deadline: Duration) -> Self {
        self.deadline = limit(deadline);
        self
    }

    /// The class the call waits in.
    #[must_use]
    pub const fn class(&self) -> QueueClass {
        self.class
    }

    /// Which failures of unsafe methods are retried.
    #[must_use]
    pub const fn safety(&self) -> RetrySafety {
        self.safety
    }

    /// The limit of each attempt.
    #[must_use]
    pub const fn attempt_timeout(&self) -> Option<Duration> {
        self.attempt_timeout
    }

    /// The limit of the whole call.
    #[must_use]
    pub const fn deadline(&self) -> Option<Duration> {
        self.deadline
    }

    pub(crate) const fn dates(&self) -> Dates {
        self.dates
    }

    pub(crate) fn schedule(&self) -> Policy {
        match self.deadline {
            Some(deadline) => self.retry.policy().with_max_elapsed(deadline),
            None => self.retry.policy(),
        }
    }
}

/// `Duration::MAX` spells "no limit".
const fn limit(duration: Duration) -> Option<Duration> {
    if duration.as_nanos() == Duration::MAX.as_nanos() { None } else { Some(duration) }
}
