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
