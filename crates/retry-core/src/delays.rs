//! The waits of a policy one after the other.

use core::iter::FusedIterator;
use core::time::Duration;

use crate::{Entropy, Policy, nanos};

/// The waits of a policy, made by [`Policy::delays`].
#[derive(Clone, Debug)]
#[must_use = "nothing is drawn until it is asked for"]
pub struct Delays<'p, R> {
    policy: &'p Policy,
    entropy: R,
    previous: u64,
    retry: u32,
}

impl Policy {
    /// The waits of a run whose failures are all transient and without a hint, for a loop of
    /// one's own.
    ///
    /// As many as there are retries; without an end if the attempts have no limit. The time
    /// that passes is not looked at.
    ///
    /// # Examples
    ///
    /// ```
    /// use retry_core::Policy;
    ///
    /// let waits: Vec<u128> =
    ///     Policy::default().delays(|| 0).map(|wait| wait.as_millis()).collect();
    /// assert_eq!(waits, [200, 400, 800]);
    /// ```
    #[inline]
    pub fn delays<R: Entropy>(&self, entropy: R) -> Delays<'_, R> {
        Delays { policy: self, entropy, previous: 0, retry: 0 }
    }
}

impl<R: Entropy> Iterator for Delays<'_, R> {
    type Item = Duration;

    #[inline(always)]
    fn next(&mut self) -> Option<Duration> {
        let made = self.retry.saturating_add(1);
        if self.policy.max_attempts().is_some_and(|most| most.get() <= made) {
            return None;
        }
        self.previous = self.policy.draw(self.retry, self.previous, &mut self.entropy);
        self.retry = made;
        Some(nanos::duration(self.previous))
    }
}

impl<R: Entropy> FusedIterator for Delays<'_, R> {}
