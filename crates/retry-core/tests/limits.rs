//! The limits of a wait, which hold for every policy and every input.

mod support;

use std::num::NonZeroU32;
use std::time::Duration;

use proptest::prelude::*;
use retry_core::{Backoff, Failure, Jitter, Next, Origin, Policy, RetryAfterRule, StopReason};
use support::{ms, secs, wait};

const JITTERS: [Jitter; 8] = [
    Jitter::None,
    Jitter::Full,
    Jitter::Equal,
    Jitter::Decorrelated,
    Jitter::Spread(0),
    Jitter::Spread(25),
    Jitter::Spread(100),
    Jitter::Spread(255),
];

const RETRIES: [u32; 17] =
    [0, 1, 2, 31, 32, 33, 63, 64, 65, 92, 93, 94, 1_023, 1_024, 1_026, 1 << 31, u32::MAX];

const BITS: [u64; 6] = [0, 1, 1 << 63, u64::MAX / 3, u64::MAX - 1, u64::MAX];

/// Up to the ends of the type, and on both sides of where nanoseconds stop to fit.
fn durations() -> [Duration; 12] {
    [
        Duration::ZERO,
        Duration::from_nanos(1),
        ms(1),
        Duration::new(0, 999_999_999),
        secs(1),
        secs(60),
        Duration::from_nanos(u64::MAX - 1),
        Duration::from_nanos(u64::MAX),
        Duration::from_nanos(u64::MAX).saturating_add(Duration::from_nanos(1)),
        secs(1 << 40),
        Duration::MAX.saturating_sub(Duration::from_nanos(1)),
        Duration::MAX,
    ]
}

fn factors() -> [NonZeroU32; 6] {
    [1, 2, 3, 4, 1 << 31, u32::MAX]
        .map(|factor| NonZeroU32::new(factor).expect("a factor above zero"))
}

fn huge(retry: u32) -> Duration {
    if retry == 0 { Duration::MAX } else { Duration::ZERO }
}

fn backoffs(base: Duration) -> Vec<Backoff> {
    let mut all = vec![
        Backoff::constant(base),
        Backoff::linear(base),
        Backoff::exponential(base),
        Backoff::fibonacci(base),
        Backoff::custom(huge),
    ];
    all.extend(factors().map(|factor| Backoff::exponential_with(base, factor)));
    all
}

/// All combinations of extreme values: nothing panics, and floor and cap hold.
#[test]
fn no_extreme_value_leaves_the_limits() {
    let mut decided = 0_u32;
    for base in durations() {
        for backoff in backoffs(base) {
            for cap in durations() {
                let backoff = backoff.with_cap(cap);
                for floor in [Duration::ZERO, Duration::from_nanos(1), ms(1), Duration::MAX] {
                    for jitter in JITTERS {
                        let policy =
                            Policy::new(backoff).with_jitter(jitter).with_floor(floor).unbounded();
                        for (retry, bits) in RETRIES.iter().zip(BITS.iter().cycle()) {
                            let after = wait(&policy, *retry, Failure::transient(), *bits);
                            assert!(floor <= after, "{policy:?} {retry} {bits}");
                            assert!(after <= cap.max(floor), "{policy:?} {retry} {bits}");
                            decided += 1;
                        }
                    }
                }
            }
        }
    }
    assert_eq!(decided, 12 * 11 * 12 * 4 * 8 * 17);
}

#[test]
fn no_extreme_hint_leaves_the_limits() {
    for cap in durations() {
        for floor in [Duration::ZERO, ms(1), secs(61)] {
            for (hint, jitter) in durations().into_iter().flat_map(|h| JITTERS.map(|j| (h, j))) {
                let policy = Policy::new(Backoff::exponential(ms(250)).with_cap(cap))
                    .with_jitter(jitter)
                    .with_floor(floor)
                    .with_retry_after(RetryAfterRule::Clamp)
                    .unbounded();
                for bits in BITS {
                    let after = wait(&policy, 3, Failure::rate_limited(Some(hint)), bits);
                    assert!(floor <= after && after <= cap.max(floor), "{policy:?} {hint:?}");
                    // The cap as the policy holds it: 584 years at most, unless unlimited.
                    let held = policy.backoff().cap();
                    assert!(hint.min(held) <= after, "{policy:?} {hint:?} {bits}");
                }
            }
        }
    }
}

/// The schedule by its definition, in 128 bits and without shortcuts.
fn defined(shape: u8, base: u128, factor: u32, cap: u128, retry: u32) -> u128 {
    let times = match shape {
        0 => 1,
        1 => u128::from(retry) + 1,
        2 => {
            let mut product = 1_u128;
            for _ in 0..retry.min(200) {
                product = (product * u128::from(factor)).min(u128::from(u64::MAX));
            }
            product
        }
        _ => {
            let (mut now, mut next) = (1_u128, 1_u128);
            for _ in 0..retry.min(200) {
                (now, next) = (next, (now + next).min(u128::from(u64::MAX)));
            }
            now
        }
    };
    (base * times).min(cap)
}

/// 200 schedules, each for the retries 0 to 4,096.
#[test]
fn delays_follow_their_definition_and_never_decrease() {
    let bases = [1, 999, 1_000_000, 250_000_000, 7_000_000_000_u64];
    let caps = [0, 1_000, 40_000_000, 10_000_000_000, 3_600_000_000_000_u64];
    let mut checked = 0;
    for base in bases {
        for cap in caps {
            for (shape, factor) in
                [(0, 1), (1, 1), (2, 1), (2, 2), (2, 3), (2, 10), (2, u32::MAX), (3, 1)]
            {
                let from = Duration::from_nanos(base);
                let backoff = match shape {
                    0 => Backoff::constant(from),
                    1 => Backoff::linear(from),
                    2 => Backoff::exponential_with(from, NonZeroU32::new(factor).unwrap()),
                    _ => Backoff::fibonacci(from),
                }
                .with_cap(Duration::from_nanos(cap));
                let mut previous = Duration::ZERO;
                for retry in (0..=4_096).chain([1 << 31, u32::MAX]) {
                    let delay = backoff.delay(retry);
                    let expected = defined(shape, base.into(), factor, cap.into(), retry);
                    assert_eq!(delay.as_nanos(), expected, "{backoff:?} {retry}");
                    assert!(previous <= delay, "{backoff:?} {retry}");
                    previous = delay;
                }
                checked += 1;
            }
        }
    }
    assert_eq!(checked, 200);
}

/// Doubling is exact up to the last bit, and saturates after it.
#[test]
fn the_last_delay_that_fits_is_exact() {
    let delay = |nanos, retry| {
        Backoff::exponential(Duration::from_nanos(nanos)).with_cap(Duration::MAX).delay(retry)
    };
    assert_eq!(delay(1, 63), Duration::from_nanos(1 << 63));
    assert_eq!(delay(1, 64), Duration::MAX);
    assert_eq!(delay(3, 62), Duration::from_nanos(3 << 62));
    assert_eq!(delay(3, 63), Duration::MAX);
}

#[test]
fn nothing_grows_from_a_base_of_nothing() {
    let zero = Duration::ZERO;
    for backoff in [Backoff::linear(zero), Backoff::exponential(zero), Backoff::fibonacci(zero)] {
        for retry in RETRIES {
            assert_eq!(backoff.with_cap(Duration::MAX).delay(retry), zero, "{backoff:?} {retry}");
        }
        for jitter in JITTERS {
            let policy = Policy::new(backoff).with_jitter(jitter).with_floor(zero);
            assert!(policy.delays(|| u64::MAX).all(|wait| wait.is_zero()), "{policy:?}");
        }
    }
}

/// The ends of a range, by rational arithmetic: `low` and `high` times 100 · (100 + p).
fn spread_ends(delay: u128, cap: u128, percent: u128) -> (u128, u128) {
    let shortened_cap = cap * 100 / (100 + percent);
    (delay.min(shortened_cap), (delay + delay * percent / 100).min(cap))
}

/// Every percentage, at, near and far from the cap.
#[test]
fn spread_moves_down_at_the_cap_instead_of_shrinking() {
    let caps = [1, 99, 100, 10_000_000_000, u64::MAX / 2, u64::MAX - 1];
    for percent in 0..=u8::MAX {
        for cap in caps {
            for delay in [1, 57, cap / 7, cap / 2, cap / 100 * 99, cap - 1, cap, u64::MAX] {
                let policy = Policy::new(
                    Backoff::constant(Duration::from_nanos(delay))
                        .with_cap(Duration::from_nanos(cap)),
                )
                .with_jitter(Jitter::Spread(percent))
                .with_floor(Duration::ZERO);
                let (low, high) = spread_ends(delay.min(cap).into(), cap.into(), percent.into());
                let ends = [0, u64::MAX].map(|bits| wait(&policy, 0, Failure::transient(), bits));
                assert_eq!(ends.map(|end| end.as_nanos()), [low, high], "{percent} {cap} {delay}");
            }
        }
    }
}

#[test]
fn spread_without_a_limit_starts_at_the_delay() {
    let policy = Policy::new(Backoff::constant(secs(8)).with_cap(Duration::MAX))
        .with_jitter(Jitter::Spread(25));
    assert_eq!(wait(&policy, 0, Failure::transient(), 0), secs(8));
    assert_eq!(wait(&policy, 0, Failure::transient(), u64::MAX), secs(10));

    let centuries = Duration::from_nanos(u64::MAX - 5);
    let policy = Policy::new(Backoff::constant(centuries).with_cap(Duration::MAX))
        .with_jitter(Jitter::Spread(25));
    assert_eq!(wait(&policy, 0, Failure::transient(), 0), centuries);
}

#[test]
fn a_hint_is_lengthened_by_spread_up_to_the_cap_and_kept_by_the_others() {
    let hinted = Failure::rate_limited(Some(secs(8)));
    for jitter in JITTERS {
        let policy = Policy::new(Backoff::exponential(ms(250)).with_cap(secs(9)))
            .with_jitter(jitter)
            .unbounded();
        let (low, high) = (wait(&policy, 5, hinted, 0), wait(&policy, 5, hinted, u64::MAX));
        assert_eq!(low, secs(8), "{jitter:?}");
        let lengthened = matches!(jitter, Jitter::Spread(1..));
        assert_eq!(high, if lengthened { secs(9) } else { secs(8) }, "{jitter:?}");
    }
}

/// A server that says an hour, and a cap of 40 ms.
#[test]
fn a_long_hint_is_cut_to_the_cap_jitter_included() {
    for jitter in JITTERS {
        let policy = Policy::new(Backoff::constant(ms(10)).with_cap(ms(40))).with_jitter(jitter);
        for bits in BITS {
            let after = wait(&policy, 0, Failure::rate_limited(Some(secs(3_600))), bits);
            assert_eq!(after, ms(40), "{jitter:?}");
        }
    }
}

/// A base of a second and a cap of 10 ms: no drift in either direction.
#[test]
fn ten_thousand_failures_wait_ten_thousand_times_at_most_the_cap() {
    for jitter in JITTERS {
        let policy = Policy::new(Backoff::exponential(secs(1)).with_cap(ms(10)))
            .with_jitter(jitter)
            .unbounded();
        let mut run = policy.run();
        let mut entropy = retry_core::SeededEntropy::new(10);
        let mut total = Duration::ZERO;
        for _ in 0..10_000 {
            let next = run.on_failure(Failure::transient(), Duration::ZERO, &mut entropy);
            let Next::Retry { after, .. } = next else { panic!("stopped: {next:?}") };
            assert!(ms(1) <= after && after <= ms(10), "{jitter:?}");
            total += after;
        }
        assert_eq!(run.attempts(), 10_000);
        assert!(secs(50) <= total, "{jitter:?}: {total:?}");
    }
}

#[test]
fn the_count_of_attempts_does_not_wrap_around() {
    let policy = Policy::new(Backoff::exponential(secs(1))).unbounded();
    let mut run = policy.resume(u32::MAX, Duration::ZERO);
    let next = run.on_failure(Failure::transient(), Duration::ZERO, &mut || u64::MAX);
    assert!(matches!(next, Next::Retry { after, attempt: u32::MAX, .. } if after == secs(60)));
    assert_eq!(run.attempts(), u32::MAX);
}

#[test]
fn a_zero_cap_waits_the_floor() {
    for jitter in JITTERS {
        let policy =
            Policy::new(Backoff::exponential(secs(1)).with_cap(Duration::ZERO)).with_jitter(jitter);
        assert_eq!(wait(&policy, 0, Failure::transient(), u64::MAX), ms(1), "{jitter:?}");
        let hinted = Failure::rate_limited(Some(secs(5)));
        assert_eq!(wait(&policy, 0, hinted, u64::MAX), ms(1), "{jitter:?}");
    }
}

prop_compose! {
    // Milliseconds around each other, so that base, cap, floor and hint all bite.
    fn policy()(
        base in 0..3_000_u64,
        cap in 1..3_000_u64,
        floor in 0..100_u64,
        shape in 0..4_u8,
        factor in 1..5_u32,
        jitter in 0..JITTERS.len(),
    ) -> Policy {
        let backoff = match shape {
            0 => Backoff::constant(ms(base)),
            1 => Backoff::linear(ms(base)),
            2 => Backoff::exponential_with(ms(base), NonZeroU32::new(factor).expect("a factor above zero")),
            _ => Backoff::fibonacci(ms(base)),
        };
        Policy::new(backoff.with_cap(ms(cap)))
            .with_floor(ms(floor))
            .with_jitter(JITTERS[jitter])
            .unbounded()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    // Kills: the cap not applied after jitter, the floor not applied, the fold of
    // decorrelated jitter removed, its previous wait not limited.
    #[test]
    fn a_wait_stays_between_floor_and_cap(
        policy in policy(), retry in 0..40_u32, previous in 0..9_000_u64, bits: u64,
    ) {
        let mut run = policy.resume(retry, ms(previous));
        let after = support::wait_in(&mut run, Failure::transient(), bits);
        let cap = policy.backoff().cap().max(policy.floor());
        prop_assert!(policy.floor() <= after && after <= cap);
    }

    // Kills: the hint shortened by jitter, compared with the schedule instead of replacing
    // it, or its origin mixed up.
    #[test]
    fn a_hint_up_to_the_cap_is_waited_out(
        policy in policy(), retry in 0..40_u32, hint in 1..4_000_u64, bits: u64,
    ) {
        let cap = policy.backoff().cap();
        let failure = Failure::transient().with_hint(Some(ms(hint)));
        let next = policy.resume(retry, ms(7)).on_failure(failure, Duration::ZERO, &mut || bits);
        let Next::Retry { after, origin, .. } = next else { panic!("stopped: {next:?}") };
        prop_assert!(ms(hint).min(cap) <= after && after <= cap.max(policy.floor()));
        prop_assert_eq!(origin == Origin::Hint, ms(hint) <= cap);
        prop_assert_eq!(origin == Origin::ClampedHint, cap < ms(hint));
        if !matches!(policy.jitter(), Jitter::Spread(_)) {
            prop_assert_eq!(after, ms(hint).min(cap).max(policy.floor()));
        }
    }

    // Kills: `Exact` capped or jittered, the floor forgotten, `Ignore` not ignoring, the
    // comparison of `GiveUpAbove` off by one or against the clamped hint.
    #[test]
    fn each_rule_for_hints_does_what_it_says(
        policy in policy(), hint in 1..4_000_u64, limit in 1..4_000_u64, bits: u64,
    ) {
        let plain = Failure::transient();
        let hinted = plain.with_hint(Some(ms(hint)));
        let exact = policy.with_retry_after(RetryAfterRule::Exact);
        prop_assert_eq!(wait(&exact, 2, hinted, bits), ms(hint).max(policy.floor()));
        let ignoring = policy.with_retry_after(RetryAfterRule::Ignore);
        prop_assert_eq!(wait(&ignoring, 2, hinted, bits), wait(&ignoring, 2, plain, bits));

        let choosy = policy.with_retry_after(RetryAfterRule::GiveUpAbove(ms(limit)));
        let next = choosy.resume(2, ms(7)).on_failure(hinted, Duration::ZERO, &mut || bits);
        if limit < hint {
            let reason = StopReason::HintTooLong { hint: ms(hint), limit: ms(limit) };
            prop_assert_eq!(next, Next::Stop(reason));
        } else {
            let clamping = policy.with_retry_after(RetryAfterRule::Clamp);
            let same = clamping.resume(2, ms(7)).on_failure(hinted, Duration::ZERO, &mut || bits);
            prop_assert_eq!(next, same);
        }
    }

    // Kills: the wait left out of the comparison, `<` for `<=`, a stop without need.
    #[test]
    fn no_attempt_starts_after_the_limit(
        policy in policy(), elapsed in 0..6_000_u64, limit in 1..6_000_u64, bits: u64,
    ) {
        let (elapsed, limit) = (ms(elapsed), ms(limit));
        let unlimited = wait(&policy, 1, Failure::transient(), bits);
        let limited = policy.with_max_elapsed(limit);
        let next = limited
            .resume(1, Duration::ZERO)
            .on_failure(Failure::transient(), elapsed, &mut || bits);
        match next {
            Next::Retry { after, .. } => {
                prop_assert_eq!(after, unlimited);
                prop_assert!(elapsed + after <= limit);
            }
            Next::Stop(StopReason::Elapsed { elapsed: at, wait, limit: most }) => {
                prop_assert_eq!((at, most), (elapsed, limit));
                prop_assert!(wait <= unlimited && limit < elapsed + wait);
            }
            Next::Stop(other) => prop_assert!(false, "stopped: {}", other),
        }
    }
}

#[test]
fn a_policy_says_its_rule_for_hints_as_it_was_told() {
    let rules = [
        RetryAfterRule::Ignore,
        RetryAfterRule::Clamp,
        RetryAfterRule::Exact,
        RetryAfterRule::GiveUpAbove(Duration::from_nanos(7)),
        RetryAfterRule::GiveUpAbove(Duration::MAX),
    ];
    for rule in rules {
        assert_eq!(Policy::default().with_retry_after(rule).retry_after(), rule);
    }
}
