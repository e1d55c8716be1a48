//! A rate as the arithmetic wants it: whole nanoseconds from one token to the next, and a burst.

use std::{
    num::{NonZeroU32, NonZeroU64},
    time::Duration,
};

/// What a rate of nothing, or of nothing sensible, is repaired to: one token in 1000 s.
const SLOWEST: f64 = 0.001;

/// The longest time a bucket may take to fill, about 146 years: what keeps sums of it in 64 bits.
const LONGEST_FILL: u64 = 1 << 62;

const NANOS_PER_SECOND: f64 = 1e9;

/// How far above a whole number of nanoseconds an interval still counts as that number.
///
/// A rate such as `1000.0 / 61.0` is an interval of 61 ms that binary fractions cannot express.
const ROUNDING: f64 = 0.001;

/// A rate that no bucket can keep.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RateError {
    /// A burst of no token at all would refuse every request.
    #[error("`burst` is {value}, but must be at least 1")]
    #[non_exhaustive]
    Burst {
        /// The burst that was asked for.
        value: usize,
    },
    /// The rate is zero, negative, infinite or not a number.
    #[error("`per_second` is {value}, but must be a finite number above 0")]
    #[non_exhaustive]
    PerSecond {
        /// The rate that was asked for.
        value: f64,
    },
}

/// One token per interval, up to a burst of them.
///
/// The interval is rounded up to whole nanoseconds, so that the rate is never exceeded; no rate is
/// above one token per nanosecond. A burst that would take centuries to fill is cut to what 146
/// years fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quota {
    interval: NonZeroU64,
    burst: NonZeroU32,
}

impl Quota {
    /// `per_second` tokens per second, up to `burst` at once.
    ///
    /// # Errors
    ///
    /// [`RateError`] where either is nothing to work with.
    pub(crate) fn checked(per_second: f64, burst: usize) -> Result<Self, RateError> {
        if !(per_second.is_finite() && per_second > 0.0) {
            return Err(RateError::PerSecond { value: per_second });
        }
        if burst == 0 {
            return Err(RateError::Burst { value: burst });
        }
        Ok(Self::saturating(per_second, burst))
    }

    /// As [`Quota::checked`], but repairs what is refused there, and logs that it did.
    ///
    /// A rate of zero or less, or that is not a number, becomes 0.001 per second; a burst of zero
    /// becomes one. An infinite rate is the highest there is.
    pub(crate) fn repaired(per_second: f64, burst: usize) -> Self {
        let rate = if per_second > 0.0 { per_second } else { SLOWEST };
        if let Err(error) = Self::checked(per_second, 1) {
            tracing::warn!(%error, used = rate, "rate limit repaired");
        }
        if let Err(error) = Self::checked(SLOWEST, burst) {
            tracing::warn!(%error, used = 1, "rate limit repaired");
        }
        Self::saturating(rate, burst)
    }

    fn saturating(per_second: f64, burst: usize) -> Self {
        let nanos = (NANOS_PER_SECOND / per_second - ROUNDING).ceil();
        let interval = (nanos as u64).clamp(1, LONGEST_FILL);
        let burst = u32::try_from(LONGEST_FILL / interval)
            .unwrap_or(u32::MAX)
            .min(u32::try_from(burst).unwrap_or(u32::MAX));
        Self {
            interval: NonZeroU64::new(interval).unwrap_or(NonZeroU64::MIN),
            burst: NonZeroU32::new(burst).unwrap_or(NonZeroU32::MIN),
        }
    }

    /// The nanoseconds from one token to the next.
    pub(super) const fn interval(self) -> u64 {
        self.interval.get()
    }

    /// [`Quota::interval`] as a duration.
    pub(super) const fn refill(self) -> Duration {
        Duration::from_nanos(self.interval.get())
    }

    /// How many tokens there are at most.
    #[cfg(feature = "rate-limit")]
    pub(super) const fn burst(self) -> NonZeroU32 {
        self.burst
    }

    /// The nanoseconds in which an empty bucket fills.
    pub(super) const fn fill(self) -> u64 {
        self.interval.get().saturating_mul(self.burst.get() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_quota(per_second: f64, burst: usize, interval: u64, kept: u32) {
        let quota = Quota::repaired(per_second, burst);
        assert_eq!((quota.interval(), quota.burst.get()), (interval, kept));
    }

    #[test]
    fn an_interval_is_rounded_up_unless_only_the_float_is_to_blame() {
        assert_quota(200.0, 1, 5_000_000, 1);
        assert_quota(3.0, 1, 333_333_334, 1);
        assert_quota(1000.0 / 61.0, 1, 61_000_000, 1);
        assert_quota(0.001, 1, 1_000_000_000_000, 1);
    }

    #[test]
    fn extreme_rates_and_bursts_saturate() {
        assert_quota(f64::INFINITY, 5, 1, 5);
        assert_quota(f64::MAX, usize::MAX, 1, u32::MAX);
        assert_quota(f64::MIN_POSITIVE, usize::MAX, LONGEST_FILL, 1);
        assert_quota(0.001, usize::MAX, 1_000_000_000_000, 4_611_686);
        assert!(Quota::repaired(0.001, usize::MAX).fill() <= LONGEST_FILL);
    }

    #[test]
    fn nonsense_becomes_one_token_in_a_thousand_seconds() {
        for rate in [0.0, -0.0, -3.0, f64::NAN, f64::NEG_INFINITY] {
            assert_quota(rate, 0, 1_000_000_000_000, 1);
        }
    }

    #[test]
    fn the_checked_form_names_the_field_and_the_value() {
        let texts = [(0.0, 1), (f64::NAN, 1), (f64::INFINITY, 1), (-2.5, 1), (1.0, 0)]
            .map(|(rate, burst)| Quota::checked(rate, burst).unwrap_err().to_string());
        assert_eq!(
            texts,
            [
                "`per_second` is 0, but must be a finite number above 0",
                "`per_second` is NaN, but must be a finite number above 0",
                "`per_second` is inf, but must be a finite number above 0",
                "`per_second` is -2.5, but must be a finite number above 0",
                "`burst` is 0, but must be at least 1",
            ]
        );
        assert_eq!(Quota::checked(2.0, 3), Ok(Quota::repaired(2.0, 3)));
    }
}
