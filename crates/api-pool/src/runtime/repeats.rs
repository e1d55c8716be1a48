//! Whether and when a failed attempt is repeated: the decisions for one call.

use std::time::Duration;

use retry_core::{Backoff, Entropy, Failure, Jitter, Next, Policy, RetryAfterRule, Run};

use super::options::{Delay, RetryRules};

/// The delays of calls that choose none: 1 s, doubling up to 30 s, full jitter down to nothing.
static BUILT_IN: Policy =
    Policy::new(Backoff::exponential(Duration::from_secs(1)).with_cap(Duration::from_secs(30)))
        .with_jitter(Jitter::Full)
        .unbounded()
        .with_retry_after(RetryAfterRule::Ignore)
        .with_floor(Duration::ZERO);

/// The repeats of one call.
#[derive(Debug)]
pub(super) struct Repeats<E> {
    rules: RetryRules<E>,
    failures: u32,
    built_in: Run<'static>,
}

impl<E> Repeats<E> {
    pub(super) fn new(rules: RetryRules<E>) -> Self {
        Self { rules, failures: 0, built_in: BUILT_IN.run() }
    }

    /// The wait before the next attempt; `None` if there is none.
    pub(super) fn after(&mut self, error: &E, entropy: &mut impl Entropy) -> Option<Duration> {
        let RetryRules { repeats, condition, delay } = &self.rules;
        if self.failures >= *repeats || condition.as_ref().is_some_and(|worth| !worth(error)) {
            return None;
        }
        self.failures += 1;
        match delay {
            Delay::BuiltIn => {
                match self.built_in.on_failure(Failure::transient(), Duration::ZERO, entropy) {
                    Next::Retry { after, .. } => Some(after),
                    Next::Stop(_) => None,
                }
            }
            Delay::Fixed(delay) => Some(*delay),
            Delay::Function(delay) => Some(delay(self.failures, error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use retry_core::UnitEntropy;

    use super::*;

    fn repeats<E>(allowed: u32, delay: Delay<E>) -> Repeats<E> {
        Repeats::new(RetryRules { repeats: allowed, condition: None, delay })
    }

    fn waits(mut repeats: Repeats<&str>, random: f64) -> Vec<Duration> {
        let mut entropy = UnitEntropy::new(|| random);
        core::iter::from_fn(|| repeats.after(&"offline", &mut entropy)).collect()
    }

    fn seconds(of: impl IntoIterator<Item = u64>) -> Vec<Duration> {
        of.into_iter().map(Duration::from_secs).collect()
    }

    #[test]
    fn makes_as_many_repeats_as_allowed() {
        for allowed in [0, 1, 2, 7] {
            let some = repeats(allowed, Delay::Fixed(Duration::from_secs(1)));
            assert_eq!(waits(some, 0.0), seconds((0..allowed).map(|_| 1)));
        }
    }

    #[test]
    fn doubles_the_bound_of_the_built_in_delay_from_1_s_to_30_s() {
        let most = 1.0 - f64::EPSILON / 2.0;
        assert_eq!(waits(repeats(7, Delay::BuiltIn), most), seconds([1, 2, 4, 8, 16, 30, 30]));
    }

    #[test]
    fn draws_the_built_in_delay_between_nothing_and_its_bound() {
        assert_eq!(waits(repeats(3, Delay::BuiltIn), 0.0), [Duration::ZERO; 3]);
        assert_eq!(
            waits(repeats(3, Delay::BuiltIn), 0.5),
            [500, 1_000, 2_000].map(Duration::from_millis)
        );
    }

    #[test]
    fn draws_nothing_for_a_chosen_delay() {
        let never = &mut || -> u64 { panic!("a chosen delay is exact") };
        let mut fixed = repeats(1, Delay::Fixed(Duration::MAX));
        assert_eq!(fixed.after(&(), never), Some(Duration::MAX));
        let mut function = repeats(1, Delay::Function(std::sync::Arc::new(|_, ()| Duration::ZERO)));
        assert_eq!(function.after(&(), never), Some(Duration::ZERO));
    }

    #[test]
    fn tells_a_delay_function_the_failures_so_far_and_the_last_error() {
        let delay = Delay::Function(std::sync::Arc::new(|failures, error: &u64| {
            Duration::from_secs(u64::from(failures) * 100 + error)
        }));
        let mut repeats = repeats(2, delay);
        let never = &mut || 0;
        assert_eq!(repeats.after(&7, never), Some(Duration::from_secs(107)));
        assert_eq!(repeats.after(&9, never), Some(Duration::from_secs(209)));
        assert_eq!(repeats.after(&9, never), None);
    }

    #[test]
    fn survives_every_count() {
        let mut repeats = repeats(u32::MAX, Delay::BuiltIn);
        repeats.failures = u32::MAX - 1;
        assert!(repeats.after(&(), &mut || u64::MAX).is_some());
        assert_eq!(repeats.after(&(), &mut || u64::MAX), None);
    }
}
