//! Durations as 64-bit nanoseconds, half the size of a [`Duration`] and free of its panics.
//!
//! `u64::MAX` stands for [`Duration::MAX`], "no limit". What lies between the largest
//! count of nanoseconds (584 years) and `Duration::MAX` is rounded so that a promise made
//! in terms of the original still holds: limits down, lower bounds up.

use core::time::Duration;

/// "No limit": what [`Duration::MAX`] becomes.
pub(crate) const UNLIMITED: u64 = u64::MAX;

const SECOND: u64 = 1_000_000_000;

const NO_LIMIT: u128 = Duration::MAX.as_nanos();

/// For an upper limit: the result is at most `duration`.
pub(crate) const fn at_most(duration: Duration) -> u64 {
    let nanos = duration.as_nanos();
    if nanos == NO_LIMIT {
        UNLIMITED
    } else if nanos >= UNLIMITED as u128 {
        UNLIMITED - 1
    } else {
        nanos as u64
    }
}

/// For a lower bound or a wait: the result is at least `duration`.
#[inline]
pub(crate) const fn at_least(duration: Duration) -> u64 {
    let nanos = duration.as_nanos();
    if nanos >= UNLIMITED as u128 { UNLIMITED } else { nanos as u64 }
}

/// Back to a [`Duration`].
#[inline]
pub(crate) const fn duration(nanos: u64) -> Duration {
    if nanos == UNLIMITED { Duration::MAX } else { Duration::from_nanos(nanos) }
}

/// From any number of nanoseconds; `None` if a [`Duration`] cannot hold it.
pub(crate) fn exactly(nanos: u128) -> Option<Duration> {
    let seconds = u64::try_from(nanos / u128::from(SECOND)).ok()?;
    let rest = (nanos % u128::from(SECOND)) as u64;
    Some(Duration::from_secs(seconds).saturating_add(Duration::from_nanos(rest)))
}

/// The time from `earlier` to `later`, or zero.
///
/// The subtractions of `Duration` itself keep a panic in the compiled code, which the
/// compiler cannot prove to be unreachable.
pub(crate) fn between(earlier: Duration, later: Duration) -> Duration {
    if later <= earlier {
        return Duration::ZERO;
    }
    let seconds = later.as_secs().saturating_sub(earlier.as_secs());
    let (from, to) = (u64::from(earlier.subsec_nanos()), u64::from(later.subsec_nanos()));
    let (seconds, rest) = match to.checked_sub(from) {
        Some(rest) => (seconds, rest),
        None => (seconds.saturating_sub(1), (to + SECOND).saturating_sub(from)),
    };
    Duration::from_secs(seconds).saturating_add(Duration::from_nanos(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    const YEARS_600: Duration = Duration::from_secs(600 * 365 * 86_400);

    #[test]
    fn no_limit_survives_the_round_trip() {
        assert_eq!(duration(at_most(Duration::MAX)), Duration::MAX);
        assert_eq!(duration(at_least(Duration::MAX)), Duration::MAX);
    }

    #[test]
    fn what_does_not_fit_rounds_to_the_safe_side() {
        assert!(duration(at_most(YEARS_600)) < YEARS_600);
        assert!(duration(at_least(YEARS_600)) > YEARS_600);
        assert_eq!(at_most(YEARS_600), UNLIMITED - 1);
    }

    #[test]
    fn between_is_a_saturating_subtraction() {
        let nanos = [0, 1, 500_000_000, 999_999_999];
        let times = [0, 1, 2, u64::MAX]
            .into_iter()
            .flat_map(|seconds| nanos.map(|nanos| Duration::new(seconds, nanos)));
        for earlier in times.clone() {
            for later in times.clone() {
                assert_eq!(between(earlier, later), later.saturating_sub(earlier));
            }
        }
    }

    #[test]
    fn what_fits_is_exact() {
        for nanos in [0, 1, 999_999_999, 1_000_000_000, UNLIMITED - 1] {
            let exact = Duration::from_nanos(nanos);
            assert_eq!(at_most(exact), nanos);
            assert_eq!(at_least(exact), nanos);
            assert_eq!(duration(nanos), exact);
        }
        assert_eq!(at_most(Duration::from_nanos(UNLIMITED)), UNLIMITED - 1);
    }
}
