//! Our schedules through the `backoff` crate's own driver.

#![cfg(feature = "backoff")]

mod support;

use std::cell::Cell;
use std::time::Duration;

use backoff::backoff::Backoff as _;
use retry_core::{Backoff, BackoffBridge, Jitter, Policy, SeededEntropy};
use support::{ms, secs};

fn policy() -> Policy {
    Policy::new(Backoff::exponential(secs(1)).with_cap(ms(10))).unbounded()
}

/// That crate's own schedule exceeds its maximum by jitter, and creeps over many failures.
#[test]
fn ten_thousand_waits_stay_under_the_cap_and_do_not_creep() {
    for jitter in [Jitter::Full, Jitter::Equal, Jitter::Decorrelated, Jitter::Spread(50)] {
        let entropy = SeededEntropy::new(5);
        let mut bridge = BackoffBridge::with_entropy(policy().with_jitter(jitter), entropy);
        let mut total = Duration::ZERO;
        for _ in 0..10_000 {
            let wait = bridge.next_backoff().unwrap();
            assert!(ms(1) <= wait && wait <= ms(10), "{jitter:?}: {wait:?}");
            total += wait;
        }
        assert!(secs(40) <= total && total <= secs(100), "{jitter:?}: {total:?}");
    }
}

#[test]
fn the_waits_and_their_number_are_those_of_the_policy() {
    let mut bridge = BackoffBridge::with_entropy(Policy::default(), || 0);
    let waits = [200, 400, 800].map(|millis| Some(ms(millis)));
    assert_eq!([0; 3].map(|_| bridge.next_backoff()), waits);
    assert_eq!(bridge.next_backoff(), None);
}

#[test]
fn the_sum_of_the_waits_is_held_to_the_elapsed_limit() {
    let policy = Policy::new(Backoff::constant(secs(5)))
        .with_jitter(Jitter::None)
        .unbounded()
        .with_max_elapsed(secs(15));
    let mut bridge = BackoffBridge::new(policy);
    assert_eq!(
        [0; 4].map(|_| bridge.next_backoff()),
        [Some(secs(5)), Some(secs(5)), Some(secs(5)), None]
    );
    bridge.reset();
    assert_eq!(bridge.next_backoff(), Some(secs(5)), "a reset begins anew");
}

#[test]
fn a_reset_forgets_the_previous_wait_as_well() {
    let policy = Policy::new(Backoff::exponential(secs(1)).with_cap(secs(60)))
        .with_jitter(Jitter::Decorrelated)
        .unbounded();
    let mut bridge = BackoffBridge::with_entropy(policy, || u64::MAX);
    assert_eq!([0; 3].map(|_| bridge.next_backoff()), [3, 9, 27].map(|s| Some(secs(s))));
    bridge.reset();
    assert_eq!(bridge.next_backoff(), Some(secs(3)));
}

#[test]
fn that_crates_driver_runs_on_our_schedule() {
    let calls = Cell::new(0);
    let policy = Policy::new(Backoff::constant(Duration::ZERO)).with_floor(Duration::ZERO);
    let outcome: Result<(), backoff::Error<&str>> =
        backoff::retry(BackoffBridge::new(policy), || {
            calls.set(calls.get() + 1);
            Err(backoff::Error::transient("busy"))
        });
    assert!(outcome.is_err());
    assert_eq!(calls.get(), 4);
}
