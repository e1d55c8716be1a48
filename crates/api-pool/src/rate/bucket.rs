//! The token bucket: a pure one, and the public one that locks it and tells it the time.

use std::{
    fmt,
    time::{Duration, Instant},
};

use super::{
    elapsed::Elapsed,
    quota::{Quota, RateError},
};
use crate::{
    clock,
    sync::{Mutex, lock},
};

/// A token bucket that starts full and refills continuously.
///
/// It answers at once and never waits: a caller without a token is told when to come back. Nobody
/// is kept in line, so of two callers that come back at once either may be first.
///
/// Time is Tokio's, so a paused clock moves the bucket; no runtime is needed to use it.
///
/// # Examples
///
/// ```
/// use api_pool::TokenBucket;
/// use std::time::Duration;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
/// let bucket = TokenBucket::new(2.0, 1);
/// assert_eq!(bucket.try_take(), None);
/// assert_eq!(bucket.try_take(), Some(Duration::from_millis(500)));
///
/// tokio::time::advance(Duration::from_millis(500)).await;
/// assert_eq!(bucket.try_take(), None);
/// # });
/// ```
pub struct TokenBucket {
    bucket: Mutex<Bucket>,
}

impl TokenBucket {
    /// `per_second` tokens per second, up to `burst` of them; full at first.
    ///
    /// A rate that is zero, negative or not a number becomes 0.001, and a burst of zero becomes
    /// one; both are logged as a warning. [`TokenBucket::try_new`] refuses them instead. The time
    /// between two tokens is rounded up to whole nanoseconds.
    #[must_use]
    pub fn new(per_second: f64, burst: usize) -> Self {
        Self::from_quota(Quota::repaired(per_second, burst))
    }

    /// As [`TokenBucket::new`], but repairs nothing.
    ///
    /// # Errors
    ///
    /// [`RateError`] if `per_second` is not a finite number above zero, or `burst` is zero.
    ///
    /// # Examples
    ///
    /// ```
    /// use api_pool::TokenBucket;
    ///
    /// let error = TokenBucket::try_new(-1.0, 10).unwrap_err();
    /// assert_eq!(error.to_string(), "`per_second` is -1, but must be a finite number above 0");
    /// ```
    pub fn try_new(per_second: f64, burst: usize) -> Result<Self, RateError> {
        Quota::checked(per_second, burst).map(Self::from_quota)
    }

    fn from_quota(quota: Quota) -> Self {
        Self { bucket: Mutex::new(Bucket::new(quota, clock::now())) }
    }

    /// Takes a token and returns `None`, or returns how long it is until one is due.
    ///
    /// The wait is no reservation: whoever asks first after it gets the token.
    #[must_use = "a token was taken only if this is `None`"]
    pub fn try_take(&self) -> Option<Duration> {
        let mut bucket = lock(&self.bucket);
        // Read under the lock, so that the bucket sees its callers' times in order.
        bucket.take(clock::now()).err()
    }

    /// Gives a token back; one more than the burst is lost.
    pub fn refund(&self) {
        lock(&self.bucket).refund(clock::now());
    }
}

impl fmt::Debug for TokenBucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenBucket").finish_non_exhaustive()
    }
}

/// A bucket kept as the time it still needs to fill up.
#[derive(Debug)]
pub(super) struct Bucket {
    quota: Quota,
    /// Nanoseconds until the bucket is full; never more than the quota's fill.
    missing: u64,
    elapsed: Elapsed,
}

impl Bucket {
    pub(super) const fn new(quota: Quota, now: Instant) -> Self {
        Self { quota, missing: 0, elapsed: Elapsed::new(now, quota.refill()) }
    }

    /// Takes a token, or tells how long it is until one is due.
    pub(super) fn take(&mut self, now: Instant) -> Result<(), Duration> {
        self.refill(now);
        let missing = self.missing.saturating_add(self.quota.interval());
        match missing.checked_sub(self.quota.fill()) {
            None | Some(0) => {
                self.missing = missing;
                Ok(())
            }
            Some(wait) => Err(Duration::from_nanos(wait)),
        }
    }

    /// Puts a token back.
    pub(super) fn refund(&mut self, now: Instant) {
        self.refill(now);
        self.missing = self.missing.saturating_sub(self.quota.interval());
    }

    fn refill(&mut self, now: Instant) {
        self.missing = self.missing.saturating_sub(self.elapsed.lap(now));
    }
}

#[cfg(all(test, not(pool_loom)))]
mod tests;
