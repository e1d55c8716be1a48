//! All experiments, one file for each noun.

mod breaker;
mod deciding;
#[cfg(feature = "adapters")]
mod document;
mod limiter;
mod machinery;
#[cfg(feature = "virtual-time")]
mod paused;
#[cfg(feature = "adapters")]
mod rows;
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
    #[cfg(feature = "virtual-time")]
    paused::TWO_FAILURES,
    #[cfg(feature = "adapters")]
    rows::REST,
    #[cfg(feature = "adapters")]
    rows::REST_TEN_TIMES,
    #[cfg(feature = "adapters")]
    rows::GRAPHQL,
    #[cfg(feature = "adapters")]
    rows::GRAPHQL_TEN_TIMES,
    #[cfg(feature = "adapters")]
    document::DOCUMENT,
];

pub(crate) const SIZES: &[Sizes] = &[sizes::FUTURES, sizes::RETRIES, sizes::VALUES];

/// Runs `future` to its end on this thread, with Tokio's timers and sockets.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime starts")
        .block_on(future)
}

/// Runs `future` to its end on a clock that jumps to the next timer whenever nothing else is left.
#[cfg(feature = "virtual-time")]
fn block_on_paused<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime starts")
        .block_on(future)
}
