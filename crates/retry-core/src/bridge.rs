//! Our schedules for code that still calls the `backoff` crate.

use core::time::Duration;

use crate::{DefaultEntropy, Entropy, Failure, Next, Policy};

/// A [`Policy`] as the `Backoff` of the unmaintained [`backoff`] crate.
///
/// Code on that crate can move over one call at a time: `backoff::retry` takes this in
/// place of an `ExponentialBackoff`, and keeps the attempts, the cap and the jitter of the
/// policy. The time of a call is the sum of its waits; that crate has no way to tell a
/// schedule the time. A `retry_after` of its transient errors overrides the policy there.
///
/// # Examples
///
/// ```
/// use core::time::Duration;
/// use backoff::backoff::Backoff as _;
/// use retry_core::{Backoff, BackoffBridge, Policy};
///
/// let policy = Policy::new(Backoff::exponential(Duration::from_millis(100)));
/// let mut bridge = BackoffBridge::with_entropy(policy, || u64::MAX);
///
/// assert_eq!(bridge.next_backoff(), Some(Duration::from_millis(100)));
/// assert_eq!(bridge.next_backoff(), Some(Duration::from_millis(200)));
/// assert_eq!(bridge.next_backoff(), Some(Duration::from_millis(400)));
/// assert_eq!(bridge.next_backoff(), None, "four attempts were made");
/// bridge.reset();
/// assert_eq!(bridge.next_backoff(), Some(Duration::from_millis(100)));
/// ```
#[derive(Clone, Debug)]
pub struct BackoffBridge<R = DefaultEntropy> {
    policy: Policy,
    entropy: R,
    made: u32,
    previous: Duration,
    waited: Duration,
}

impl BackoffBridge {
    /// The schedule of `policy`, with the default source of randomness.
    ///
    /// # Examples
    ///
    /// ```
    /// use retry_core::{BackoffBridge, Policy};
    ///
    /// let outcome: Result<u32, backoff::Error<&str>> =
    ///     backoff::retry(BackoffBridge::new(Policy::default()), || Ok(7));
    /// assert!(matches!(outcome, Ok(7)));
    /// ```
    #[must_use]
    pub const fn new(policy: Policy) -> Self {
        Self::with_entropy(policy, DefaultEntropy::new())
    }
}

impl<R> BackoffBridge<R> {
    /// The schedule of `policy`, drawing jitter from `entropy`.
    pub const fn with_entropy(policy: Policy, entropy: R) -> Self {
        Self { policy, entropy, made: 0, previous: Duration::ZERO, waited: Duration::ZERO }
    }
}

impl<R: Entropy> backoff::backoff::Backoff for BackoffBridge<R> {
    fn next_backoff(&mut self) -> Option<Duration> {
        let mut run = self.policy.resume(self.made, self.previous);
        let next = run.on_failure(Failure::transient(), self.waited, &mut self.entropy);
        self.made = run.attempts();
        self.previous = run.previous();
        match next {
            Next::Retry { after, .. } => {
                self.waited = self.waited.saturating_add(after);
                Some(after)
            }
            Next::Stop(_) => None,
        }
    }

    fn reset(&mut self) {
        self.made = 0;
        self.previous = Duration::ZERO;
        self.waited = Duration::ZERO;
    }
}
