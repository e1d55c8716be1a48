//! An operation that fails now and then, with retry.

use std::thread;

use backon::{BlockingRetryable, ExponentialBuilder};

#[derive(Debug, thiserror::Error)]
#[error("busy")]
struct Busy;

fn main() -> Result<(), Busy> {
    let operation = || operation(std::env::args().count());
    operation.retry(ExponentialBuilder::default().with_jitter()).sleep(thread::sleep).call()
}

fn operation(fails: usize) -> Result<(), Busy> {
    if fails == 1 { Err(Busy) } else { Ok(()) }
}
