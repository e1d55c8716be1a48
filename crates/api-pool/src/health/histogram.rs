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
mod tests;
