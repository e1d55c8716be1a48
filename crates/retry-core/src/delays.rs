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

impl<'p, R: Entropy> Delays<'p, R> {
    #[inline]
    pub(crate) fn new(policy: &'p Policy, entropy: R) -> Self {
        Self { policy, entropy, previous: 0, retry: 0 }
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
        self.previous = self.policy.scheduled(self.retry, self.previous).draw(&mut self.entropy);
        self.retry = made;
        Some(nanos::duration(self.previous))
    }
}

impl<R: Entropy> FusedIterator for Delays<'_, R> {}
