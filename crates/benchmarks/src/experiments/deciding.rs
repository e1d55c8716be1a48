//! Deciding whether and when to try again, without waiting.

use std::{future::ready, hint::black_box, time::Duration};

use api_pool::with_retry;
use backon::{BackoffBuilder, BlockingRetryable, ExponentialBuilder, Retryable as _};
use retry_core::{Backoff, Entropy, Jitter, Policy, Retryable, SeededEntropy};
use tokio_retry::{Retry, strategy};

use super::block_on;
use crate::experiment::{Experiment, Subject};

pub(crate) const SUCCESS: Experiment = Experiment {
    id: "success",
    title: "an asynchronous operation with retries succeeds at once",
    floor: "a loop written by hand",
    features: "",
    repeats: (10_000, 110_000),
    subjects: &[
        Subject::new("a loop written by hand", success_by_hand),
        Subject::new("api-pool: with_retry", success_with_retry),
        Subject::new("backon", success_with_backon),
        Subject::new("tokio-retry", success_with_tokio_retry),
    ],
};

pub(crate) const TWO_FAILURES: Experiment = Experiment {
    id: "two-failures",
    title: "a blocking operation fails twice, waits by a sleep that does nothing, and succeeds",
    floor: "a loop written by hand",
    features: "",
    repeats: (10_000, 110_000),
    subjects: &[
        Subject::new("a loop written by hand", failures_by_hand),
        Subject::new("retry-core: Policy::call", failures_with_policy),
        Subject::new("backon", failures_with_backon),
    ],
};

pub(crate) const SCHEDULE: Experiment = Experiment {
    id: "schedule",
    title: "a schedule is made and five delays with jitter are drawn",
    floor: "by hand",
    features: "",
    repeats: (10_000, 110_000),
    subjects: &[
        Subject::new("by hand", schedule_by_hand),
        Subject::new("retry-core", schedule_with_policy),
        Subject::new("backon", schedule_with_backon),
        Subject::new("tokio-retry", schedule_with_tokio_retry),
    ],
};

pub(super) const BASE: Duration = Duration::from_millis(250);
pub(super) const CAP: Duration = Duration::from_secs(10);
pub(super) const POLICY: Policy =
    Policy::new(Backoff::exponential(BASE).with_cap(CAP)).with_jitter(Jitter::Full);

/// Worth another try.
#[derive(Debug)]
pub(super) struct Busy;

impl Retryable for Busy {
    fn is_transient(&self) -> bool {
        true
    }

    fn retry_after(&self) -> Option<Duration> {
        None
    }
}

/// Fails where asked to, so that the compiler cannot know.
pub(super) fn answer(fails: bool) -> Result<u64, Busy> {
    if black_box(fails) { Err(Busy) } else { Ok(black_box(1)) }
}

fn success_by_hand(times: u64) {
    block_on(async {
        for _ in 0..times {
            let mut attempt = 0_u32;
            let result = loop {
                match ready(answer(false)).await {
                    Ok(value) => break Ok(value),
                    Err(error) if attempt >= 4 => break Err(error),
                    Err(_) => {
                        let wait = BASE.saturating_mul(1 << attempt).min(CAP);
                        attempt += 1;
                        crate::clock::sleep(wait).await;
                    }
                }
            };
            black_box(result.is_ok());
        }
    });
}

fn success_with_retry(times: u64) {
    let policy = black_box(POLICY);
    block_on(async {
        for _ in 0..times {
            black_box(with_retry(policy, || ready(answer(false))).await.is_ok());
        }
    });
}

fn success_with_backon(times: u64) {
    let backoff = black_box(ExponentialBuilder::default().with_jitter());
    block_on(async {
        for _ in 0..times {
            black_box((|| ready(answer(false))).retry(backoff).await.is_ok());
        }
    });
}

fn success_with_tokio_retry(times: u64) {
    block_on(async {
        for _ in 0..times {
            let waits = strategy::ExponentialBackoff::from_millis(black_box(2))
                .map(strategy::jitter)
                .take(4);
            black_box(Retry::start(waits, || ready(answer(false))).await.is_ok());
        }
    });
}

fn failures_by_hand(times: u64) {
    let mut entropy = SeededEntropy::new(1);
    for _ in 0..times {
        let mut attempt = 0_u32;
        let result = loop {
            match answer(attempt < 2) {
                Ok(value) => break Ok(value),
                Err(error) if attempt >= 4 => break Err(error),
                Err(_) => {
                    let wait = BASE.saturating_mul(1 << attempt).min(CAP).as_nanos() as u64;
                    black_box(scaled(wait, entropy.next_u64()));
                    attempt += 1;
                }
            }
        };
        black_box(result.is_ok());
    }
}

fn failures_with_policy(times: u64) {
    let policy = black_box(POLICY);
    let mut entropy = SeededEntropy::new(1);
    for _ in 0..times {
        let mut attempt = 0_u32;
        let operation = || {
            attempt += 1;
            answer(attempt <= 2)
        };
        let sleep = |wait| {
            black_box(wait);
        };
        black_box(policy.call(operation).sleep(sleep).run_using(&mut entropy).is_ok());
    }
}

fn failures_with_backon(times: u64) {
    let backoff = black_box(ExponentialBuilder::default().with_jitter());
    for _ in 0..times {
        let mut attempt = 0_u32;
        let operation = || {
            attempt += 1;
            answer(attempt <= 2)
        };
        let sleep = |wait| {
            black_box(wait);
        };
        black_box(operation.retry(backoff).sleep(sleep).call().is_ok());
    }
}

/// A number in [0, `most`], from 64 random bits.
pub(super) fn scaled(most: u64, bits: u64) -> u64 {
    ((u128::from(most) * u128::from(bits)) >> 64) as u64
}

fn schedule_by_hand(times: u64) {
    let (base, cap) = (black_box(250_000_000_u64), black_box(10_000_000_000_u64));
    let mut entropy = SeededEntropy::new(1);
    for _ in 0..times {
        let mut delay = base;
        for _ in 0..5 {
            black_box(scaled(delay, entropy.next_u64()));
            delay = (delay * 2).min(cap);
        }
    }
}

fn schedule_with_policy(times: u64) {
    let (base, cap) = (black_box(BASE), black_box(CAP));
    let mut entropy = SeededEntropy::new(1);
    for _ in 0..times {
        let policy = Policy::new(Backoff::exponential(base).with_cap(cap))
            .with_jitter(Jitter::Full)
            .unbounded();
        for wait in policy.delays(|| entropy.next_u64()).take(5) {
            black_box(wait);
        }
    }
}

fn schedule_with_backon(times: u64) {
    let (base, cap) = (black_box(BASE), black_box(CAP));
    for _ in 0..times {
        let backoff = ExponentialBuilder::default()
            .with_min_delay(base)
            .with_max_delay(cap)
            .with_max_times(5)
            .with_jitter();
        for wait in backoff.build() {
            black_box(wait);
        }
    }
}

fn schedule_with_tokio_retry(times: u64) {
    let (base, cap) = (black_box(2), black_box(CAP));
    for _ in 0..times {
        let waits = strategy::ExponentialBackoff::from_millis(base)
            .max_delay(cap)
            .map(strategy::jitter)
            .take(5);
        for wait in waits {
            black_box(wait);
        }
    }
}
