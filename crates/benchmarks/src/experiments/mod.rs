//! All experiments, one file for each noun.

mod breaker;
mod deciding;
mod limiter;
mod machinery;
mod sizes;
mod slots;
mod stack;
mod wire;

use std::future::Future;

use crate::experiment::{Experiment, Sizes};

/// In the order in which they are printed.
pub(crate) const EXPERIMENTS: &[Experiment] = &[
    wire::CALL,
    machinery::CALL,
    deciding::SUCCESS,
    deciding::TWO_FAILURES,
    deciding::SCHEDULE,
    breaker::SUCCESS,
    limiter::CHECK,
    slots::FREE,
    slots::CROWD,
];

pub(crate) const SIZES: &[Sizes] = &[sizes::FUTURES, sizes::VALUES];

/// Runs `future` to its end on this thread, with Tokio's timers and sockets.
fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime starts")
        .block_on(future)
}
