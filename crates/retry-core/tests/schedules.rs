//! The delays of schedules in use, from `vectors/schedules.json`.

mod support;

use std::num::NonZeroU32;
use std::time::Duration;

use retry_core::{
    Backoff, Jitter, Policy, RetryAfterRule, RetryConfig, StopReason, retry_with_backoff_using,
};
use serde_json::Value;
use support::{cases, ms, waits};

const VECTORS: &str = include_str!("vectors/schedules.json");

struct Case {
    name: String,
    base: u64,
    factor: u32,
    max: u64,
    max_attempts: Option<u32>,
    jitter: Jitter,
    exact: Option<Vec<Duration>>,
    upper: Option<Vec<Duration>>,
    next_upper: Option<Vec<Duration>>,
}

impl Case {
    fn read(case: &Value) -> Self {
        let number = |key: &str| case[key].as_u64();
        let small =
            |key: &str| number(key).map(|value| u32::try_from(value).expect("the row is complete"));
        let millis = |key: &str| {
            case[key].as_array().map(|list| {
                list.iter().map(|value| ms(value.as_u64().expect("milliseconds"))).collect()
            })
        };
        Self {
            name: case["name"].as_str().expect("the row is complete").to_owned(),
            base: number("base_ms").expect("the row is complete"),
            factor: small("factor").expect("the row is complete"),
            max: number("max_ms").expect("the row is complete"),
            max_attempts: small("max_attempts"),
            jitter: match case["jitter"].as_str().expect("the row is complete") {
                "none" => Jitter::None,
                "full" => Jitter::Full,
                other => panic!("unknown jitter {other}"),
            },
            exact: millis("exact"),
            upper: millis("upper"),
            next_upper: millis("next_upper_if_continued"),
        }
    }

    fn policy(&self) -> Policy {
        let factor = NonZeroU32::new(self.factor).expect("the row is complete");
        let backoff = Backoff::exponential_with(ms(self.base), factor).with_cap(ms(self.max));
        let policy = Policy::new(backoff).with_jitter(self.jitter).with_floor(Duration::ZERO);
        match self.max_attempts {
            Some(attempts) => policy.try_with_max_attempts(attempts).expect("the row is complete"),
            None => policy.unbounded(),
        }
    }
}

fn all() -> Vec<Case> {
    let all: Vec<Case> = cases(VECTORS).iter().map(Case::read).collect();
    assert_eq!(all.len(), 8);
    all
}

#[test]
fn schedules_without_jitter_are_exact_to_the_nanosecond() {
    let mut seen = 0;
    for case in all() {
        let Some(exact) = &case.exact else { continue };
        seen += 1;
        assert_eq!(waits(&case.policy(), exact.len(), 1).0, *exact, "{}", case.name);
    }
    assert_eq!(seen, 4);
}

#[test]
fn full_jitter_reaches_from_zero_to_the_delay_and_no_further() {
    let mut seen = 0;
    for case in all() {
        let Some(upper) = &case.upper else { continue };
        seen += 1;
        assert_eq!(waits(&case.policy(), upper.len(), u64::MAX).0, *upper, "{}", case.name);
        let lowest = waits(&case.policy(), upper.len(), 0).0;
        assert!(lowest.iter().all(Duration::is_zero), "{}", case.name);
    }
    assert_eq!(seen, 4);
}

#[test]
fn attempts_end_exactly_where_the_schedule_says() {
    let mut seen = 0;
    for case in all() {
        let Some(made) = case.max_attempts else { continue };
        seen += 1;
        let expected = case.exact.as_ref().or(case.upper.as_ref()).unwrap();
        let (waits, reason) = waits(&case.policy(), usize::MAX, u64::MAX);
        assert_eq!(waits, *expected, "{}", case.name);
        assert_eq!(reason, Some(StopReason::Attempts { made }), "{}", case.name);
    }
    assert_eq!(seen, 6);
}

#[test]
fn a_schedule_goes_on_where_more_attempts_are_allowed() {
    let mut seen = 0;
    for case in all() {
        let Some(next) = &case.next_upper else { continue };
        seen += 1;
        let upper = case.upper.clone().unwrap();
        let (waits, _) = waits(&case.policy().unbounded(), upper.len() + next.len(), u64::MAX);
        assert_eq!(waits, [upper, next.clone()].concat(), "{}", case.name);
    }
    assert_eq!(seen, 3);
}

#[test]
fn the_driver_in_milliseconds_sleeps_the_same_schedules() {
    for case in all() {
        let (Some(attempts), Some(upper)) = (case.max_attempts, &case.upper) else { continue };
        let config = RetryConfig::try_new(attempts, case.base, case.max, case.factor).unwrap();
        let mut calls = Vec::new();
        let mut slept = Vec::new();
        let outcome = retry_with_backoff_using(
            &config,
            |attempt| {
                calls.push(attempt);
                Err::<(), _>("busy")
            },
            |_| true,
            |millis| slept.push(ms(millis)),
            &mut || u64::MAX,
        );
        assert_eq!(outcome, Err("busy"));
        assert_eq!(slept, *upper, "{}", case.name);
        assert_eq!(calls, (0..attempts).collect::<Vec<_>>(), "{}", case.name);
    }
}

#[test]
fn the_default_policy_is_the_extract_loops() {
    let (waits, reason) = waits(&Policy::default(), usize::MAX, 0);
    assert_eq!(waits, [ms(200), ms(400), ms(800)]);
    assert_eq!(reason, Some(StopReason::Attempts { made: 4 }));
    assert_eq!(Policy::default().backoff().cap(), ms(10_000));
    assert_eq!(Policy::default().retry_after(), RetryAfterRule::Exact);
}

#[test]
fn each_shape_grows_by_its_own_rule() {
    fn delays(backoff: Backoff) -> [u128; 7] {
        [0, 1, 2, 3, 4, 5, 6].map(|retry| backoff.delay(retry).as_millis())
    }
    fn squares(retry: u32) -> Duration {
        ms(u64::from(retry).pow(2))
    }
    let three = NonZeroU32::new(3).unwrap();
    let eight = NonZeroU32::new(8).unwrap();

    assert_eq!(delays(Backoff::constant(ms(7))), [7; 7]);
    assert_eq!(delays(Backoff::linear(ms(7))), [7, 14, 21, 28, 35, 42, 49]);
    assert_eq!(delays(Backoff::exponential(ms(7))), [7, 14, 28, 56, 112, 224, 448]);
    assert_eq!(delays(Backoff::exponential_with(ms(1), three)), [1, 3, 9, 27, 81, 243, 729]);
    assert_eq!(
        delays(Backoff::exponential_with(ms(1), eight).with_cap(Duration::MAX)),
        [1, 8, 64, 512, 4_096, 32_768, 262_144]
    );
    assert_eq!(delays(Backoff::exponential_with(ms(7), NonZeroU32::MIN)), [7; 7]);
    assert_eq!(delays(Backoff::fibonacci(ms(1))), [1, 1, 2, 3, 5, 8, 13]);
    assert_eq!(delays(Backoff::custom(squares)), [0, 1, 4, 9, 16, 25, 36]);
}

#[test]
fn the_cap_defaults_to_a_minute_or_a_longer_base() {
    let minute = ms(60_000);
    assert_eq!(Backoff::exponential(ms(1)).cap(), minute);
    assert_eq!(Backoff::constant(ms(59_999)).cap(), minute);
    assert_eq!(Backoff::constant(ms(60_001)).cap(), ms(60_001));
    assert_eq!(Backoff::linear(Duration::MAX).cap(), Duration::MAX);
    assert_eq!(Backoff::custom(ms_of).cap(), minute);

    fn ms_of(retry: u32) -> Duration {
        ms(retry.into())
    }
}

#[test]
fn schedules_are_equal_when_they_were_built_alike() {
    fn one(_: u32) -> Duration {
        ms(1)
    }
    let two = NonZeroU32::new(2).unwrap();
    let three = NonZeroU32::new(3).unwrap();
    let different = [
        Backoff::constant(ms(1)),
        Backoff::constant(ms(2)),
        Backoff::constant(ms(1)).with_cap(ms(1)),
        Backoff::linear(ms(1)),
        Backoff::linear(ms(2)),
        Backoff::fibonacci(ms(1)),
        Backoff::fibonacci(ms(2)),
        Backoff::exponential(ms(1)),
        Backoff::exponential(ms(2)),
        Backoff::exponential_with(ms(1), three),
        Backoff::custom(one),
    ];
    for (i, left) in different.iter().enumerate() {
        for (j, right) in different.iter().enumerate() {
            assert_eq!(left == right, i == j, "{left:?} and {right:?}");
        }
    }
    assert_eq!(Backoff::exponential(ms(1)), Backoff::exponential_with(ms(1), two));
}

#[test]
fn a_policy_shows_its_durations_as_text() {
    let policy = Policy::new(Backoff::exponential(ms(250)).with_cap(ms(10_000)));
    assert_eq!(
        format!("{policy:?}"),
        "Policy { backoff: Exponential { base: 250ms, factor: 2, cap: 10s }, jitter: Full, \
         max_attempts: Some(4), max_elapsed: unlimited, retry_after: Clamp, floor: 1ms }"
    );
    let shapes = [
        (Backoff::constant(ms(1)), "Constant { base: 1ms, cap: 1m }"),
        (Backoff::linear(ms(1)), "Linear { base: 1ms, cap: 1m }"),
        (Backoff::fibonacci(ms(1)), "Fibonacci { base: 1ms, cap: 1m }"),
        (Backoff::custom(|_| ms(1)), "Custom { cap: 1m }"),
    ];
    for (backoff, text) in shapes {
        assert_eq!(format!("{backoff:?}"), text);
    }
}
