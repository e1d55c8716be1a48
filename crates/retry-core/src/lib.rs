#![no_std]
//! retry-core

#[cfg(feature = "std")]
extern crate std;

mod backoff;
pub mod duration_text;
mod entropy;
pub mod http;
mod jitter;
mod nanos;
mod policy;
pub mod retry_after;
mod run;
mod verdict;

#[cfg(feature = "std")]
pub use crate::entropy::DefaultEntropy;
pub use crate::{
    backoff::Backoff,
    entropy::{Entropy, SeededEntropy, UnitEntropy},
    jitter::Jitter,
    policy::{Policy, RetryAfterRule},
    run::{Next, Origin, Run, StopReason},
    verdict::{BySelf, Classify, Failure, Retryable, Verdict},
};
