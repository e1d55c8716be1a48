//! A blocking retry loop in milliseconds, with everything injected.

use core::num::NonZeroU32;
use core::time::Duration;

#[cfg(feature = "std")]
use crate::DefaultEntropy;
use crate::{Backoff, Entropy, Failure, InvalidConfig, Jitter, Next, Policy, RetryAfterRule};

/// The settings of [`retry_with_backoff_using`]: attempts, and delays in milliseconds.
///
/// Before retry number `n`, counting from zero, the wait is drawn between 0 and
/// `base_delay_ms` × `backoff_multiplier`ⁿ, at most `max_delay_ms`. It may be 0.
///
/// # Examples
///
/// ```
/// use retry_core::RetryConfig;
///
/// assert_eq!(RetryConfig::default(), RetryConfig::new(3, 100, 5_000, 2));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryConfig {
    max_attempts: u32,
    base_delay_ms: u64,
    max_delay_ms: u64,
    backoff_multiplier: u32,
}

impl RetryConfig {
    /// Settings from plain numbers.
    ///
    /// Total: no attempts count as one, a multiplier of 0 counts as 1, and a base above the
    /// maximum waits the maximum. [`try_new`](Self::try_new) refuses these.
    ///
    /// # Examples
    ///
    /// ```
    /// use retry_core::RetryConfig;
    ///
    /// // Five attempts, 500 ms tripling to 30 s.
    /// const PATIENT: RetryConfig = RetryConfig::new(5, 500, 30_000, 3);
    /// assert_eq!(PATIENT.policy().backoff().delay(1).as_millis(), 1_500);
    /// ```
    #[must_use]
    pub const fn new(
        max_attempts: u32,
        base_delay_ms: u64,
        max_delay_ms: u64,
        backoff_multiplier: u32,
    ) -> Self {
        Self { max_attempts, base_delay_ms, max_delay_ms, backoff_multiplier }
    }

    /// Settings from plain numbers, checked.
    ///
    /// # Errors
    ///
    /// [`InvalidConfig`] for no attempts, a multiplier of 0, or a base above the maximum.
    ///
    /// # Examples
    ///
    /// ```
    /// use retry_core::RetryConfig;
    ///
    /// let error = RetryConfig::try_new(3, 100, 5_000, 0).unwrap_err();
    /// assert_eq!(error.field(), "backoff_multiplier");
    /// assert!(RetryConfig::try_new(3, 100, 50, 2).is_err());
    /// ```
    pub const fn try_new(
        max_attempts: u32,
        base_delay_ms: u64,
        max_delay_ms: u64,
        backoff_multiplier: u32,
    ) -> Result<Self, InvalidConfig> {
        if max_attempts == 0 {
            return Err(InvalidConfig::Zero { field: "max_attempts" });
        }
        if backoff_multiplier == 0 {
            return Err(InvalidConfig::Zero { field: "backoff_multiplier" });
        }
        if max_delay_ms < base_delay_ms {
            return Err(InvalidConfig::AboveCap {
                field: "base_delay_ms",
                value: Duration::from_millis(base_delay_ms),
                cap: Duration::from_millis(max_delay_ms),
            });
        }
        Ok(Self::new(max_attempts, base_delay_ms, max_delay_ms, backoff_multiplier))
    }

    /// The same rules as a [`Policy`]: full jitter, no floor, hints ignored.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::time::Duration;
    /// use retry_core::RetryConfig;
    ///
    /// let policy = RetryConfig::default().policy();
    /// assert_eq!(policy.backoff().delay(1), Duration::from_millis(200));
    /// assert_eq!(policy.floor(), Duration::ZERO);
    /// ```
    #[must_use]
    pub const fn policy(&self) -> Policy {
        let base = Duration::from_millis(self.base_delay_ms);
        let backoff = Backoff::exponential_with(base, at_least_one(self.backoff_multiplier))
            .with_cap(Duration::from_millis(self.max_delay_ms));
        Policy::new(backoff)
            .with_jitter(Jitter::Full)
            .with_max_attempts(at_least_one(self.max_attempts))
            .with_retry_after(RetryAfterRule::Ignore)
            .with_floor(Duration::ZERO)
    }
}

/// Three attempts, 100 ms doubling to 5 s.
impl Default for RetryConfig {
    fn default() -> Self {
        Self::new(3, 100, 5_000, 2)
    }
}

const fn at_least_one(number: u32) -> NonZeroU32 {
    match NonZeroU32::new(number) {
        Some(number) => number,
        None => NonZeroU32::MIN,
    }
}

/// Runs `op` until it succeeds, fails for good, or the attempts are spent.
///
/// `op` is given the number of the attempt, counting from zero. `is_retryable` judges each
/// error. `sleep` is called before each retry with the wait in milliseconds, drawn with
/// full jitter and rounded to the nearest; it is the caller's, so a test need not wait and
/// an embedded program can use its own timer.
///
/// # Errors
///
/// The error of the last attempt.
///
/// # Examples
///
/// ```
/// use retry_core::{RetryConfig, retry_with_backoff};
///
/// let mut slept = Vec::new();
/// let answer = retry_with_backoff(
///     &RetryConfig::default(),
///     |attempt| if attempt < 2 { Err("busy") } else { Ok(attempt) },
///     |error| *error == "busy",
///     |millis| slept.push(millis),
/// );
///
/// assert_eq!(answer, Ok(2));
/// assert!(slept[0] <= 100 && slept[1] <= 200);
/// ```
#[cfg(feature = "std")]
#[cfg_attr(docsrs, doc(cfg(feature = "std")))]
pub fn retry_with_backoff<T, E>(
    config: &RetryConfig,
    op: impl FnMut(u32) -> Result<T, E>,
    is_retryable: impl FnMut(&E) -> bool,
    sleep: impl FnMut(u64),
) -> Result<T, E> {
    retry_with_backoff_using(config, op, is_retryable, sleep, &mut DefaultEntropy::new())
}

/// Like `retry_with_backoff` (feature `std`), with the randomness
/// injected as well, so that it always exists.
///
/// # Errors
///
/// The error of the last attempt.
///
/// # Examples
///
/// ```
/// use retry_core::{RetryConfig, retry_with_backoff_using};
///
/// let mut slept = Vec::new();
/// let outcome: Result<(), _> = retry_with_backoff_using(
///     &RetryConfig::new(4, 50, 5_000, 3),
///     |_attempt| Err("busy"),
///     |_error| true,
///     |millis| slept.push(millis),
///     &mut || u64::MAX,
/// );
///
/// assert_eq!(outcome, Err("busy"));
/// assert_eq!(slept, [50, 150, 450]);
/// ```
pub fn retry_with_backoff_using<T, E>(
    config: &RetryConfig,
    mut op: impl FnMut(u32) -> Result<T, E>,
    mut is_retryable: impl FnMut(&E) -> bool,
    mut sleep: impl FnMut(u64),
    entropy: &mut (impl Entropy + ?Sized),
) -> Result<T, E> {
    let policy = config.policy();
    let mut run = policy.run();
    loop {
        let error = match op(run.attempts()) {
            Ok(value) => return Ok(value),
            Err(error) => error,
        };
        let failure =
            if is_retryable(&error) { Failure::transient() } else { Failure::permanent() };
        match run.on_failure(failure, Duration::ZERO, entropy) {
            Next::Retry { after, .. } => sleep(nearest_millis(after)),
            Next::Stop(_) => return Err(error),
        }
    }
}

/// Rounds half up: truncation would turn every draw below the first millisecond into none.
fn nearest_millis(duration: Duration) -> u64 {
    let millis = duration.saturating_add(Duration::from_micros(500)).as_millis();
    u64::try_from(millis).unwrap_or(u64::MAX)
}
