//! An operation that fails now and then, with retry.

use std::{thread, time::Duration};

use retry_core::{Backoff, Policy, SeededEntropy};

#[derive(Debug, thiserror::Error)]
#[error("busy")]
struct Busy;

fn main() -> Result<(), Busy> {
    let policy = Policy::new(Backoff::exponential(Duration::from_millis(250)));
    let mut entropy = SeededEntropy::new(u64::from(std::process::id()));
    policy
        .call(|| operation(std::env::args().count()))
        .when(|_| true)
        .sleep(thread::sleep)
        .run_using(&mut entropy)
        .map_err(|_| Busy)
}

fn operation(fails: usize) -> Result<(), Busy> {
    if fails == 1 { Err(Busy) } else { Ok(()) }
}
