//! The two blocking drivers, with everything injected.

mod support;

use std::cell::{Cell, RefCell};
use std::error::Error as _;
use std::fmt;
use std::time::Duration;

use proptest::prelude::*;
use retry_core::{
    Backoff, CallError, Failure, Jitter, Origin, Policy, RetryAfterRule, RetryConfig, Retryable,
    SeededEntropy, StopReason, retry_with_backoff_using,
};
use support::{Counting, ms, secs};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trouble {
    Busy(u64),
    Refused,
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "trouble: {self:?}")
    }
}

impl std::error::Error for Trouble {}

impl Retryable for Trouble {
    fn is_transient(&self) -> bool {
        matches!(self, Self::Busy(_))
    }

    fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Busy(seconds) => Some(secs(*seconds)),
            Self::Refused => None,
        }
    }
}

const BUSY: Trouble = Trouble::Busy(0);

#[test]
fn attempts_are_numbered_from_zero_and_a_sleep_is_between_each_two() {
    let journal = RefCell::new(Vec::new());
    let outcome = retry_with_backoff_using(
        &RetryConfig::default(),
        |attempt| {
            journal.borrow_mut().push(format!("op {attempt}"));
            if attempt < 2 { Err(BUSY) } else { Ok("done") }
        },
        |error| *error == BUSY,
        |millis| journal.borrow_mut().push(format!("sleep {millis}")),
        &mut || u64::MAX,
    );
    assert_eq!(outcome, Ok("done"));
    assert_eq!(journal.into_inner(), ["op 0", "sleep 100", "op 1", "sleep 200", "op 2"]);
}

#[test]
fn a_final_error_is_returned_without_a_sleep() {
    let mut calls = 0;
    let outcome: Result<(), _> = retry_with_backoff_using(
        &RetryConfig::default(),
        |_| {
            calls += 1;
            Err(Trouble::Refused)
        },
        |error| *error == BUSY,
        |_| panic!("slept"),
        &mut || 0,
    );
    assert_eq!((outcome, calls), (Err(Trouble::Refused), 1));
}

#[test]
fn a_first_success_neither_sleeps_nor_draws_nor_judges() {
    let mut entropy = Counting { draws: 0 };
    let outcome: Result<u32, Trouble> = retry_with_backoff_using(
        &RetryConfig::default(),
        Ok,
        |_| panic!("judged"),
        |_| panic!("slept"),
        &mut entropy,
    );
    assert_eq!((outcome, entropy.draws), (Ok(0), 0));
}

fn slept(config: RetryConfig, bits: u64) -> (u32, Vec<u64>) {
    let mut calls = 0;
    let mut sleeps = Vec::new();
    let _ = retry_with_backoff_using(
        &config,
        |_| {
            calls += 1;
            Err::<(), _>(BUSY)
        },
        |_| true,
        |millis| sleeps.push(millis),
        &mut || bits,
    );
    (calls, sleeps)
}

#[test]
fn plain_numbers_that_contradict_each_other_do_the_documented_thing() {
    assert_eq!(slept(RetryConfig::new(0, 100, 5_000, 2), u64::MAX), (1, vec![]));
    assert_eq!(slept(RetryConfig::new(3, 100, 5_000, 0), u64::MAX), (3, vec![100, 100]));
    assert_eq!(slept(RetryConfig::new(3, 900, 500, 2), u64::MAX), (3, vec![500, 500]));
    assert_eq!(slept(RetryConfig::new(2, 0, 0, 2), u64::MAX), (2, vec![0]));
    let (calls, sleeps) = slept(RetryConfig::new(3, u64::MAX, u64::MAX, u32::MAX), u64::MAX);
    assert_eq!(calls, 3);
    assert!(sleeps.iter().all(|millis| 1 << 43 < *millis), "{sleeps:?}");
}

/// For callers that take the rules and run them themselves.
#[test]
fn the_policy_of_the_numbers_ignores_hints_and_has_no_floor() {
    let policy = RetryConfig::default().policy();
    assert_eq!(policy.retry_after(), RetryAfterRule::Ignore);
    assert_eq!((policy.floor(), policy.jitter()), (Duration::ZERO, Jitter::Full));
}

#[test]
fn checked_numbers_name_what_is_wrong() {
    let refused = [
        (RetryConfig::try_new(0, 1, 2, 2), "max_attempts: 0 is not allowed"),
        (RetryConfig::try_new(1, 1, 2, 0), "backoff_multiplier: 0 is not allowed"),
        (RetryConfig::try_new(1, 9, 2, 2), "base_delay_ms: 9ms is above the cap of 2ms"),
    ];
    for (refused, text) in refused {
        assert_eq!(refused.unwrap_err().to_string(), text);
    }
    assert_eq!(RetryConfig::try_new(3, 100, 5_000, 2), Ok(RetryConfig::default()));
    assert!(RetryConfig::try_new(1, 2, 2, 1).is_ok());
}

/// Full jitter in whole milliseconds: rounded, not cut, or a bound of 1 would mean never.
#[test]
fn waits_are_rounded_to_the_nearest_millisecond() {
    let config = RetryConfig::new(2, 1, 1, 1);
    assert_eq!(slept(config, u64::MAX).1, [1]);
    assert_eq!(slept(config, 1 << 63).1, [1], "half a millisecond");
    assert_eq!(slept(config, (1 << 63) - (1 << 45)).1, [0], "less than half of one");
    assert_eq!(slept(config, 0).1, [0]);
}

proptest! {
    // Kills: the maximum not applied, an off-by-one in the attempts, jitter above the bound.
    #[test]
    fn sleeps_never_exceed_their_bounds(
        attempts in 1..8_u32, base in 0..500_u64, max in 0..3_000_u64, factor in 1..5_u32, seed: u64,
    ) {
        let config = RetryConfig::new(attempts, base, max, factor);
        let mut sleeps = Vec::new();
        let _ = retry_with_backoff_using(
            &config,
            |_| Err::<(), _>(BUSY),
            |_| true,
            |millis| sleeps.push(millis),
            &mut SeededEntropy::new(seed),
        );
        prop_assert_eq!(sleeps.len(), attempts as usize - 1);
        let mut bound = base;
        for millis in sleeps {
            prop_assert!(millis <= bound.min(max));
            bound *= u64::from(factor);
        }
    }
}

#[cfg(feature = "std")]
#[test]
fn the_driver_with_the_default_source_draws_within_its_bounds() {
    let mut distinct = std::collections::HashSet::new();
    for _ in 0..50 {
        let outcome = retry_with_backoff_sleeping(&mut distinct);
        assert_eq!(outcome, Err(BUSY));
    }
    assert!(10 < distinct.len(), "{distinct:?}");

    fn retry_with_backoff_sleeping(
        distinct: &mut std::collections::HashSet<u64>,
    ) -> Result<(), Trouble> {
        let config = RetryConfig::new(2, 1_000, 5_000, 2);
        retry_core::retry_with_backoff(
            &config,
            |_| Err(BUSY),
            |_| true,
            |millis| {
                assert!(millis <= 1_000);
                distinct.insert(millis);
            },
        )
    }
}

fn policy() -> Policy {
    Policy::new(Backoff::exponential(ms(100))).with_jitter(Jitter::None)
}

#[test]
fn a_call_asks_the_error_itself_unless_told_otherwise() {
    let mut waits = Vec::new();
    let error = policy()
        .call(|| Err::<(), _>(Trouble::Busy(7)))
        .sleep(|wait| waits.push(wait))
        .run_using(&mut || 0)
        .unwrap_err();
    assert_eq!(error.reason(), StopReason::Attempts { made: 4 });
    assert_eq!(waits, [secs(7); 3], "the hint of the error");

    let error = policy()
        .call(|| Err::<(), _>(Trouble::Refused))
        .sleep(|_| panic!("slept"))
        .run_using(&mut || 0)
        .unwrap_err();
    assert_eq!((error.reason(), error.attempts()), (StopReason::NotRetryable, 1));
}

#[test]
fn a_predicate_or_a_classifier_judges_instead() {
    let error = policy()
        .call(|| Err::<(), _>(Trouble::Busy(7)))
        .when(|error| *error == Trouble::Refused)
        .sleep(|_| panic!("slept"))
        .run_using(&mut || 0)
        .unwrap_err();
    assert_eq!(error.into_error(), Trouble::Busy(7));

    let mut waits = Vec::new();
    let error = policy()
        .call(|| Err::<(), _>(Trouble::Refused))
        .classify(|_: &Trouble| Failure::rate_limited(Some(secs(2))))
        .sleep(|wait| waits.push(wait))
        .run_using(&mut || 0)
        .unwrap_err();
    assert_eq!(error.attempts(), 4);
    assert_eq!(waits, [secs(2); 3]);
}

#[test]
fn listeners_hear_of_each_retry_before_its_wait() {
    let journal = RefCell::new(Vec::new());
    let calls = Cell::new(0);
    let outcome = policy()
        .call(|| {
            calls.set(calls.get() + 1);
            if calls.get() < 3 { Err(Trouble::Busy(calls.get())) } else { Ok("done") }
        })
        .notify(|retry| {
            assert_eq!(retry.origin, Origin::Hint);
            let line =
                format!("retry {} in {:?} after {}", retry.attempt, retry.after, retry.error);
            journal.borrow_mut().push(line);
        })
        .sleep(|wait| journal.borrow_mut().push(format!("sleep {wait:?}")))
        .run_using(&mut || 0);
    assert_eq!(outcome, Ok("done"));
    let expected = [
        "retry 1 in 1s after trouble: Busy(1)",
        "sleep 1s",
        "retry 2 in 2s after trouble: Busy(2)",
        "sleep 2s",
    ];
    assert_eq!(journal.into_inner(), expected);
}

#[test]
fn without_a_clock_the_waits_are_the_time() {
    let mut waits = Vec::new();
    let error = Policy::new(Backoff::constant(secs(5)))
        .with_jitter(Jitter::None)
        .unbounded()
        .with_max_elapsed(secs(15))
        .call(|| Err::<(), _>(BUSY))
        .sleep(|wait| waits.push(wait))
        .run_using(&mut || 0)
        .unwrap_err();
    let reason = StopReason::Elapsed { elapsed: secs(15), wait: secs(5), limit: secs(15) };
    assert_eq!(error.reason(), reason);
    assert_eq!(waits, [secs(5); 3]);
}

#[test]
fn with_a_clock_its_origin_does_not_matter_and_a_step_back_does_no_harm() {
    let readings = [secs(1_000), secs(1_002), secs(990), secs(1_030)];
    let mut clock = readings.into_iter();
    let error = Policy::new(Backoff::constant(secs(5)))
        .with_jitter(Jitter::None)
        .unbounded()
        .with_max_elapsed(secs(15))
        .call(|| Err::<(), _>(BUSY))
        .sleep(|_| ())
        .clock(|| clock.next().expect("one reading per attempt and one before"))
        .run_using(&mut || 0)
        .unwrap_err();
    let reason = StopReason::Elapsed { elapsed: secs(30), wait: secs(5), limit: secs(15) };
    assert_eq!((error.reason(), error.attempts()), (reason, 3));
}

#[test]
fn a_clock_is_not_read_where_the_time_has_no_limit() {
    let error = policy()
        .call(|| Err::<(), _>(BUSY))
        .sleep(|_| ())
        .clock(|| panic!("read"))
        .run_using(&mut || 0)
        .unwrap_err();
    assert!(matches!(error.reason(), StopReason::Attempts { .. }));
}

#[test]
fn the_error_of_a_call_tells_the_reason_and_has_the_last_error_as_its_source() {
    let error = policy()
        .with_retry_after(RetryAfterRule::GiveUpAbove(secs(60)))
        .call(|| Err::<(), _>(Trouble::Busy(3_600)))
        .sleep(|_| panic!("slept"))
        .run_using(&mut || 0)
        .unwrap_err();
    assert_eq!(error.to_string(), "the server asks to wait 1h, more than the limit of 1m");
    assert_eq!(error.source().unwrap().to_string(), "trouble: Busy(3600)");
    assert_eq!(error.error(), &Trouble::Busy(3_600));
    let _: &CallError<Trouble> = &error;
}

#[cfg(feature = "std")]
#[test]
fn a_call_runs_with_the_default_source() {
    let mut waits = Vec::new();
    let error = Policy::new(Backoff::constant(secs(8)))
        .call(|| Err::<(), _>(BUSY))
        .sleep(|wait| waits.push(wait))
        .run()
        .unwrap_err();
    assert_eq!(error.attempts(), 4);
    assert!(waits.iter().all(|wait| ms(1) <= *wait && *wait <= secs(8)));
    assert!(waits[0] != waits[1] || waits[1] != waits[2], "drawn afresh: {waits:?}");
}

#[test]
fn the_parts_of_a_call_show_no_more_than_the_policy() {
    let policy = policy();
    let call = policy.call(|| Err::<(), _>(BUSY)).when(|_| true);
    assert_eq!(format!("{call:?}"), format!("Call {{ policy: {policy:?}, .. }}"));
}
