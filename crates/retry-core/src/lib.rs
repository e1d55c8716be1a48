#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
//! retry-core

#[cfg(feature = "std")]
extern crate std;

mod backoff;
#[cfg(feature = "backoff")]
mod bridge;
mod budget;
mod call;
mod check;
mod codes;
#[cfg(feature = "serde")]
mod config;
mod delays;
pub mod duration_text;
mod entropy;
mod error;
pub mod http;
#[cfg(feature = "http-date")]
#[cfg_attr(docsrs, doc(cfg(feature = "http-date")))]
pub mod http_date;
mod jitter;
mod nanos;
mod policy;
pub mod retry_after;
mod run;
mod sync;
mod verdict;

#[cfg(feature = "backoff")]
#[cfg_attr(docsrs, doc(cfg(feature = "backoff")))]
pub use crate::bridge::BackoffBridge;
pub use crate::{
    backoff::Backoff,
    budget::{BudgetExhausted, Ratio, RetryBudget, Withdrawal},
    call::{Call, CallError, Listen, NoSleep, Scheduled, Silent, Time, WaitsOnly, When},
    codes::CodeTable,
    delays::Delays,
    entropy::{Entropy, SeededEntropy, UnitEntropy},
    error::InvalidConfig,
    jitter::Jitter,
    policy::{Policy, RetryAfterRule},
    run::{Next, Origin, Run, StopReason},
    sync::{RetryConfig, retry_with_backoff_using},
    verdict::{BySelf, Classify, Failure, Retryable, Verdict},
};
#[cfg(feature = "std")]
pub use crate::{entropy::DefaultEntropy, sync::retry_with_backoff};
