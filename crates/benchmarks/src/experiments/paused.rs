//! Two failures on a paused clock.

use std::{cell::Cell, future::ready, hint::black_box};

use api_pool::with_retry_using;
use backon::{ExponentialBuilder, Retryable as _};
use retry_core::{Entropy, SeededEntropy};
use tokio_retry::{Retry, strategy};

use super::{
    block_on_paused,
    deciding::{BASE, Busy, CAP, POLICY, answer, scaled},
};
use crate::{
    experiment::{Experiment, Subject},
    outage::sleep,
};

pub(crate) const TWO_FAILURES: Experiment = Experiment {
    id: "two-failures-paused",
    title: "an asynchronous operation fails twice, waits on a paused clock, and succeeds",
    floor: "a loop written by hand",
    features: "virtual-time",
    repeats: (5_000, 25_000),
    subjects: &[
        Subject::new("a loop written by hand", by_hand),
        Subject::new("api-pool: with_retry_using", with_policy),
        Subject::new("backon", with_backon),
        Subject::new("tokio-retry", with_tokio_retry),
    ],
};

/// Fails twice, then succeeds, then begins anew.
#[derive(Default)]
struct Script(Cell<u32>);

impl Script {
    fn next(&self) -> Result<u64, Busy> {
        let turn = self.0.get();
        self.0.set(turn + 1);
        answer(turn % 3 < 2)
    }
}

fn by_hand(times: u64) {
    let (script, mut entropy) = (Script::default(), SeededEntropy::new(1));
    block_on_paused(async {
        for _ in 0..times {
            let mut attempt = 0_u32;
            let result = loop {
                match ready(script.next()).await {
                    Ok(value) => break Ok(value),
                    Err(error) if attempt >= 4 => break Err(error),
                    Err(_) => {
                        let most = BASE.saturating_mul(1 << attempt).min(CAP).as_nanos() as u64;
                        let wait = scaled(most, entropy.next_u64());
                        attempt += 1;
                        sleep(std::time::Duration::from_nanos(wait)).await;
                    }
                }
            };
            black_box(result.is_ok());
        }
    });
}

fn with_policy(times: u64) {
    let (script, mut entropy) = (Script::default(), SeededEntropy::new(1));
    let policy = black_box(POLICY);
    block_on_paused(async {
        for _ in 0..times {
            let entropy = || entropy.next_u64();
            let result = with_retry_using(policy, entropy, || ready(script.next())).await;
            black_box(result.is_ok());
        }
    });
}

fn with_backon(times: u64) {
    let script = Script::default();
    let backoff = ExponentialBuilder::default().with_min_delay(BASE).with_max_delay(CAP);
    let backoff = black_box(backoff.with_jitter());
    block_on_paused(async {
        for _ in 0..times {
            black_box((|| ready(script.next())).retry(backoff).await.is_ok());
        }
    });
}

/// Its schedule is the powers of a base, so 250 ms cannot be had.
fn with_tokio_retry(times: u64) {
    let script = Script::default();
    block_on_paused(async {
        for _ in 0..times {
            let waits = strategy::ExponentialBackoff::from_millis(black_box(2))
                .factor(128)
                .max_delay(CAP)
                .map(strategy::jitter)
                .take(4);
            black_box(Retry::start(waits, || ready(script.next())).await.is_ok());
        }
    });
}
