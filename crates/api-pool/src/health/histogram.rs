//! A histogram of latencies in fixed memory.
//!
//! Buckets are as wide as a sixteenth of the power of two that they start in, so that the error is
//! a share of the value and not a number of milliseconds.

/// How many buckets each power of two is cut into, as a power of two.
const PRECISION: u32 = 4;

/// Values below this have a bucket each.
const EXACT: u64 = 1 << (PRECISION + 1);

/// All values at and above 2 to this power share the last bucket.
const CEILING: u32 = 22;

/// The exact ones, and sixteen for each power of two up to the ceiling.
const BUCKETS: usize = EXACT as usize + ((CEILING - PRECISION - 1) << PRECISION) as usize;

/// The highest value that is told apart, in milliseconds: about 70 minutes.
pub(super) const HIGHEST: u64 = (1 << CEILING) - 1;

/// Counts of values, in milliseconds.
///
/// A quantile read from it is never below the true one, and above it by less than a sixteenth of
/// it; below 32 ms it is exact. Values above [`HIGHEST`] count as that.
#[derive(Clone, Debug)]
pub(super) struct Histogram {
    counts: [u32; BUCKETS],
    total: u64,
    highest: u64,
}

impl Histogram {
    pub(super) const fn new() -> Self {
        Self { counts: [0; BUCKETS], total: 0, highest: 0 }
    }

    pub(super) fn record(&mut self, value: u64) {
        let value = value.min(HIGHEST);
        if let Some(count) = self.counts.get_mut(bucket(value)) {
            *count = count.saturating_add(1);
        }
        self.total = self.total.saturating_add(1);
        self.highest = self.highest.max(value);
    }

    /// Adds everything that `other` counted.
    pub(super) fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.counts.iter_mut().zip(other.counts) {
            *mine = mine.saturating_add(theirs);
        }
        self.total = self.total.saturating_add(other.total);
        self.highest = self.highest.max(other.highest);
    }

    /// The smallest recorded value that at least `percent` of all values do not exceed, rounded up
    /// as the type says; `None` where nothing was recorded.
    pub(super) fn quantile(&self, percent: u64) -> Option<u64> {
        let rank = self.total.saturating_mul(percent).div_ceil(100).max(1);
        let mut seen = 0_u64;
        for (index, count) in self.counts.iter().enumerate() {
            seen = seen.saturating_add(u64::from(*count));
            if seen >= rank {
                return Some(upper_edge(index).min(self.highest));
            }
        }
        // Counters that are full have lost values: the highest one is still right.
        (self.total > 0).then_some(self.highest)
    }
}

/// The bucket of a value up to [`HIGHEST`].
const fn bucket(value: u64) -> usize {
    if value < EXACT {
        return value as usize;
    }
    let octave = value.ilog2();
    let shift = octave - PRECISION;
    // From 16 to 31: the leading bit and the four after it.
    let leading = value >> shift;
    (((shift as u64) << PRECISION) + leading) as usize
}

/// The highest value of a bucket.
const fn upper_edge(index: usize) -> u64 {
    let index = index as u64;
    if index < EXACT {
        return index;
    }
    let shift = (index >> PRECISION) - 1;
    let leading = index - (shift << PRECISION);
    ((leading + 1) << shift) - 1
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(values: &[u64]) -> Histogram {
        let mut histogram = Histogram::new();
        for value in values {
            histogram.record(*value);
        }
        histogram
    }

    /// What a sorted list answers.
    fn exactly(values: &[u64], percent: u64) -> u64 {
        let mut sorted = values.to_vec();
        sorted.sort_unstable();
        let rank = (sorted.len() * percent as usize).div_ceil(100).max(1);
        sorted[rank - 1]
    }

    #[test]
    fn nothing_has_no_quantile() {
        assert_eq!(Histogram::new().quantile(50), None);
    }

    #[test]
    fn the_last_bucket_ends_at_the_highest_value() {
        assert_eq!(bucket(HIGHEST), BUCKETS - 1);
        assert_eq!(upper_edge(BUCKETS - 1), HIGHEST);
    }

    #[test]
    fn buckets_follow_one_another_without_a_gap() {
        for index in 0..BUCKETS - 1 {
            assert_eq!(bucket(upper_edge(index)), index);
            assert_eq!(bucket(upper_edge(index) + 1), index + 1);
        }
    }

    #[test]
    fn what_is_too_long_to_tell_apart_counts_as_the_highest() {
        assert_eq!(of(&[HIGHEST + 1]).quantile(50), Some(HIGHEST));
        assert_eq!(of(&[u64::MAX]).quantile(99), Some(HIGHEST));
    }

    #[test]
    fn quantiles_of_a_known_set() {
        let values: Vec<u64> = (1..=100).collect();
        let histogram = of(&values);
        assert_eq!(histogram.quantile(0), Some(1));
        assert_eq!(histogram.quantile(25), Some(25));
        // 50 and 51 share a bucket, as do 92 to 95 and 96 to 99.
        assert_eq!(histogram.quantile(50), Some(51));
        assert_eq!(histogram.quantile(95), Some(95));
        assert_eq!(histogram.quantile(99), Some(99));
        assert_eq!(histogram.quantile(100), Some(100));
    }

    proptest! {
        // Latencies of each order of magnitude alike: evenly drawn ones would nearly all be hours.
        #[test]
        fn a_quantile_is_never_low_and_less_than_a_sixteenth_high(
            values in prop::collection::vec((0..CEILING).prop_flat_map(|octave| 0..2_u64 << octave), 1..300),
            percent in 0..=100_u64,
        ) {
            let (read, truth) = (of(&values).quantile(percent).unwrap(), exactly(&values, percent));
            prop_assert!(truth <= read, "{read} under {truth}");
            prop_assert!((read - truth) * 16 < truth.max(1), "{read} over {truth}");
            prop_assert!(truth >= EXACT || read == truth, "{read} is not {truth}");
        }

        #[test]
        fn merging_is_recording_both(
            first in prop::collection::vec(0..5_000_000_u64, 0..50),
            second in prop::collection::vec(0..5_000_000_u64, 0..50),
            percent in 0..=100_u64,
        ) {
            let mut merged = of(&first);
            merged.merge(&of(&second));
            let both: Vec<u64> = first.iter().chain(&second).copied().collect();
            prop_assert_eq!(merged.quantile(percent), of(&both).quantile(percent));
        }
    }
}
