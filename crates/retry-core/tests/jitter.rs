//! What jitter draws, and that it is drawn from what the caller injects.

mod support;

use std::collections::HashSet;
use std::time::Duration;

use retry_core::{Backoff, Entropy, Failure, Jitter, Policy, SeededEntropy, UnitEntropy};
use support::{Counting, ms, secs, wait};

const BUCKETS: usize = 100;
const DRAWS: usize = 1_000_000;

/// The value that the statistic of 99 degrees of freedom exceeds with probability 0.001.
const CRITICAL: f64 = 148.23;

fn policy(jitter: Jitter) -> Policy {
    Policy::new(Backoff::constant(secs(8)).with_cap(secs(60)))
        .with_jitter(jitter)
        .with_floor(Duration::ZERO)
        .unbounded()
}

fn chi_squared(mut draw: impl FnMut() -> Duration, low: Duration, width: Duration) -> f64 {
    let bucket = width.as_nanos() / BUCKETS as u128;
    let mut counts = [0_u32; BUCKETS];
    for _ in 0..DRAWS {
        // The upper end itself belongs to the last bucket.
        let index = ((draw() - low).as_nanos() / bucket).min(BUCKETS as u128 - 1);
        counts[usize::try_from(index).expect("a bucket")] += 1;
    }
    let expected = (DRAWS / BUCKETS) as f64;
    counts.iter().map(|count| (f64::from(*count) - expected).powi(2) / expected).sum()
}

fn drawn(policy: &Policy, entropy: &mut SeededEntropy) -> Duration {
    wait(policy, 0, Failure::transient(), entropy.next_u64())
}

#[test]
fn full_jitter_is_uniform_for_twenty_seeds() {
    let policy = policy(Jitter::Full);
    for seed in 0..20 {
        let mut entropy = SeededEntropy::new(seed);
        let statistic = chi_squared(|| drawn(&policy, &mut entropy), Duration::ZERO, secs(8));
        assert!(statistic < CRITICAL, "seed {seed}: {statistic}");
    }
}

#[test]
fn the_other_jitters_are_uniform_in_their_ranges() {
    let ranges = [
        (Jitter::Equal, secs(4), secs(4)),
        (Jitter::Decorrelated, secs(8), secs(16)),
        (Jitter::Spread(25), secs(8), secs(2)),
    ];
    for (jitter, low, width) in ranges {
        let policy = policy(jitter);
        let mut entropy = SeededEntropy::new(1);
        let statistic = chi_squared(|| drawn(&policy, &mut entropy), low, width);
        assert!(statistic < CRITICAL, "{jitter:?}: {statistic}");
    }
}

/// The test above can fail: half a percent too much in one bucket of ten is seen.
#[test]
fn a_slight_bias_is_noticed() {
    let policy = policy(Jitter::Full);
    let mut entropy = SeededEntropy::new(1);
    let mut count = 0_u32;
    let biased = || {
        count += 1;
        if count.is_multiple_of(200) { ms(40) } else { drawn(&policy, &mut entropy) }
    };
    assert!(CRITICAL < chi_squared(biased, Duration::ZERO, secs(8)));
}

#[test]
fn the_ends_of_every_range_are_exact() {
    let eight = 8_000_000_000_u64;
    let ends = [
        (Jitter::None, eight, eight),
        (Jitter::Full, 0, eight),
        (Jitter::Equal, eight / 2, eight),
        (Jitter::Decorrelated, eight, 3 * eight),
        (Jitter::Spread(0), eight, eight),
        (Jitter::Spread(25), eight, eight / 4 * 5),
        (Jitter::Spread(255), eight, eight / 20 * 71),
    ];
    for (jitter, low, high) in ends {
        let policy = policy(jitter);
        let at = |bits| wait(&policy, 0, Failure::transient(), bits);
        assert_eq!(at(0), Duration::from_nanos(low), "{jitter:?}");
        assert_eq!(at(u64::MAX), Duration::from_nanos(high), "{jitter:?}");
    }
}

/// A range of ten values: each gets its share of the bits, to the bit.
#[test]
fn every_value_of_a_small_range_has_the_same_share_of_the_bits() {
    let policy = Policy::new(Backoff::constant(Duration::from_nanos(9)))
        .with_jitter(Jitter::Full)
        .with_floor(Duration::ZERO);
    let at = |bits| wait(&policy, 0, Failure::transient(), bits).as_nanos();
    for value in 1..10_u128 {
        let first = u64::try_from((value << 64).div_ceil(10)).unwrap();
        assert_eq!(at(first), value);
        assert_eq!(at(first - 1), value - 1);
    }
}

#[test]
fn the_floor_cuts_the_range_and_leaves_no_heap_at_its_end() {
    let policy = policy(Jitter::Full).with_floor(secs(4));
    let mut entropy = SeededEntropy::new(3);
    let statistic = chi_squared(|| drawn(&policy, &mut entropy), secs(4), secs(4));
    assert!(statistic < CRITICAL, "{statistic}");
}

#[test]
fn a_million_waits_at_the_cap_are_below_it_and_distinct() {
    let jitters = [Jitter::Full, Jitter::Equal, Jitter::Decorrelated, Jitter::Spread(25)];
    for jitter in jitters {
        let policy = Policy::new(Backoff::exponential(ms(250)).with_cap(secs(10)))
            .with_jitter(jitter)
            .unbounded();
        let mut entropy = SeededEntropy::new(4);
        let mut distinct = HashSet::with_capacity(DRAWS);
        for _ in 0..DRAWS {
            let mut run = policy.resume(40, secs(10));
            let after = support::wait_in(&mut run, Failure::transient(), entropy.next_u64());
            assert!(after <= secs(10), "{jitter:?}");
            distinct.insert(after);
        }
        assert!(DRAWS / 10 * 9 <= distinct.len(), "{jitter:?}: {}", distinct.len());
    }
}

/// Above the cap an eighth of the excess comes off it.
#[test]
fn decorrelated_jitter_folds_back_under_the_cap() {
    let policy = Policy::new(Backoff::exponential(secs(1)).with_cap(secs(8)))
        .with_jitter(Jitter::Decorrelated);
    let at = |previous, bits| {
        support::wait_in(&mut policy.resume(1, previous), Failure::transient(), bits)
    };
    assert_eq!(at(secs(2), u64::MAX), secs(6));
    assert_eq!(at(secs(4), u64::MAX), ms(7_500));
    assert_eq!(at(secs(8), u64::MAX), secs(6));
    assert_eq!(at(secs(900), u64::MAX), secs(6), "a long hint does not count beyond the cap");
    assert_eq!(at(secs(8), 0), secs(1));
    assert_eq!(at(Duration::ZERO, u64::MAX), secs(3), "the first draw is around the base");
}

#[test]
fn decorrelated_jitter_goes_on_from_the_previous_wait() {
    let policy = policy(Jitter::Decorrelated);
    let mut run = policy.run();
    let waits = [0; 3].map(|_| support::wait_in(&mut run, Failure::transient(), u64::MAX));
    // 24 s, then 72 s folded under the cap of 60 s, then three times that folded.
    assert_eq!(waits, [secs(24), ms(58_500), Duration::from_nanos(45_562_500_000)]);
    assert_eq!(run.previous(), waits[2]);
}

#[test]
fn nothing_is_drawn_where_there_is_nothing_to_choose() {
    let hinted = Failure::rate_limited(Some(secs(2)));
    let plain = Failure::transient();
    let none = policy(Jitter::None);
    let full = policy(Jitter::Full);
    let exact = full.with_retry_after(retry_core::RetryAfterRule::Exact);
    let cases = [
        (none, plain, Duration::ZERO, 0),
        (full, plain, Duration::ZERO, 1),
        (policy(Jitter::Spread(0)), plain, Duration::ZERO, 0),
        (policy(Jitter::Spread(25)), hinted, Duration::ZERO, 1),
        (full, hinted, Duration::ZERO, 0),
        (exact, hinted, Duration::ZERO, 0),
        (full, Failure::permanent(), Duration::ZERO, 0),
        (full, Failure::auth(), Duration::ZERO, 0),
        (full.try_with_max_attempts(1).unwrap(), plain, Duration::ZERO, 0),
        (full.with_max_elapsed(secs(5)), plain, secs(6), 0),
    ];
    for (number, (policy, failure, elapsed, draws)) in cases.into_iter().enumerate() {
        let mut entropy = Counting { draws: 0 };
        let _ = policy.run().on_failure(failure, elapsed, &mut entropy);
        assert_eq!(entropy.draws, draws, "case {number}");
    }
}

#[test]
fn a_number_of_the_unit_interval_becomes_its_exact_share_of_64_bits() {
    let exact = [
        (0.0, 0),
        (0.5, 1 << 63),
        (0.75, 3 << 62),
        (2.0_f64.powi(-64), 1),
        (2.0_f64.powi(-65), 0),
        (3.0 * 2.0_f64.powi(-65), 1),
        (1.0 - f64::EPSILON / 2.0, u64::MAX << 11),
        (1.0 / 3.0, 0x5555_5555_5555_5400),
        (f64::MIN_POSITIVE, 0),
        (f64::MIN_POSITIVE / 2.0, 0),
    ];
    for (number, bits) in exact {
        assert_eq!(UnitEntropy::new(|| number).next_u64(), bits, "{number:e}");
    }
}

/// Every exponent of a double, against arithmetic in 128 bits.
#[test]
fn every_exponent_is_scaled_exactly() {
    for exponent in 0..=1_022_u64 {
        for fraction in [0, 1, 0x8_0000_0000_0000, 0xF_FFFF_FFFF_FFFF] {
            let number = f64::from_bits(exponent << 52 | fraction);
            let mantissa = u128::from(fraction) | 1 << 52;
            // number = mantissa · 2^(exponent − 1075)
            let shift = 1_075 - 64 - i64::try_from(exponent).unwrap();
            let expected = if shift <= 0 { mantissa << -shift } else { mantissa >> shift.min(127) };
            let bits = UnitEntropy::new(|| number).next_u64();
            assert_eq!(u128::from(bits), expected, "{number:e}");
        }
    }
}

#[test]
fn a_source_that_leaves_the_unit_interval_is_clamped() {
    let longest = [1.0, 1.5, 1e300, f64::MAX, f64::INFINITY, f64::NAN, -f64::NAN];
    for number in longest {
        assert_eq!(UnitEntropy::new(|| number).next_u64(), u64::MAX, "{number}");
    }
    for number in [-0.0, -0.5, -1e300, f64::NEG_INFINITY] {
        assert_eq!(UnitEntropy::new(|| number).next_u64(), 0, "{number}");
    }
}

/// What an injected `|| 0.25` must give to the nanosecond.
#[test]
fn a_fraction_gives_its_fraction_of_the_delay() {
    let policy = policy(Jitter::Full);
    let fractions = [
        (0.0, 0),
        (0.1, 800_000_000),
        (0.25, 2_000_000_000),
        (0.5, 4_000_000_000),
        (0.9, 7_200_000_000),
        (1.0 - f64::EPSILON / 2.0, 8_000_000_000),
    ];
    for (fraction, nanos) in fractions {
        let bits = UnitEntropy::new(|| fraction).next_u64();
        let after = wait(&policy, 0, Failure::transient(), bits);
        assert_eq!(after, Duration::from_nanos(nanos), "{fraction}");
    }
}

/// The reference values of the published generator for the seed 1234567.
#[test]
fn the_seeded_generator_is_split_mix() {
    let mut entropy = SeededEntropy::new(1_234_567);
    let drawn = [0; 5].map(|_| entropy.next_u64());
    let published = [
        6_457_827_717_110_365_317,
        3_203_168_211_198_807_973,
        9_817_491_932_198_370_423,
        4_593_380_528_125_082_431,
        16_408_922_859_458_223_821,
    ];
    assert_eq!(drawn, published);
}

#[cfg(feature = "std")]
#[test]
fn default_sources_differ_from_each_other() {
    let first_draws: HashSet<u64> =
        (0..1_000).map(|_| retry_core::DefaultEntropy::new().next_u64()).collect();
    assert_eq!(first_draws.len(), 1_000);
}

#[cfg(feature = "std")]
#[test]
fn a_default_source_does_not_repeat_itself() {
    let mut entropy = retry_core::DefaultEntropy::new();
    let drawn: HashSet<u64> = (0..1_000).map(|_| entropy.next_u64()).collect();
    assert_eq!(drawn.len(), 1_000);
}

#[test]
fn a_source_of_fractions_shows_its_name_and_no_more() {
    assert_eq!(format!("{:?}", UnitEntropy::new(|| 0.5)), "UnitEntropy { .. }");
}
