#![doc = include_str!("../README.md")]
//!
//! # Where to start
//!
//! | to | use |
//! |---|---|
//! | describe when to retry | [`Policy`], made of a [`Backoff`], a [`Jitter`] and limits |
//! | decide in a loop of your own | [`Policy::run`] and [`Run::on_failure`] |
//! | have only the waits | [`Policy::delays`] |
//! | retry a blocking operation | [`Policy::call`], or [`retry_with_backoff_using`] in milliseconds |
//! | say what an error means | [`Retryable`] for your own types, [`Classify`] for others |
//! | judge an HTTP answer | [`http`] and [`retry_after`] |
//! | judge a numeric error code | [`CodeTable`] |
//! | limit the retries of many calls together | [`RetryBudget`] |
//! | read a policy from a file | the feature `serde`, [`duration_text`], [`Policy::checked`] |
//!
//! # Choosing a jitter
//!
//! [`Jitter::Full`] gives a server that many clients wait for the least work and is the
//! default. [`Jitter::Equal`] keeps half of each delay. [`Jitter::Spread`] never waits less
//! than the schedule says. [`Jitter::Decorrelated`] finds its own growth.
//! [`Jitter::None`] is for a single client and for tests.
//!
//! # Writing the loop yourself
//!
//! A run asks for nothing but the failure, the time since the first attempt began, and
//! random bits:
//!
//! ```
//! use core::time::Duration;
//! use retry_core::{Entropy, Failure, Next, Policy, StopReason};
//!
//! fn fetch(
//!     policy: &Policy,
//!     entropy: &mut impl Entropy,
//!     mut attempt: impl FnMut() -> Result<u32, Failure>,
//!     mut wait: impl FnMut(Duration),
//!     mut clock: impl FnMut() -> Duration,
//! ) -> Result<u32, StopReason> {
//!     let begin = clock();
//!     let mut run = policy.run();
//!     loop {
//!         let failure = match attempt() {
//!             Ok(value) => return Ok(value),
//!             Err(failure) => failure,
//!         };
//!         match run.on_failure(failure, clock().saturating_sub(begin), entropy) {
//!             Next::Retry { after, .. } => wait(after),
//!             Next::Stop(reason) => return Err(reason),
//!         }
//!     }
//! }
//!
//! let mut answers = [Err(Failure::transient()), Ok(7)].into_iter();
//! let policy = Policy::default();
//! let fetched = fetch(
//!     &policy,
//!     &mut || 0,
//!     || answers.next().unwrap_or(Err(Failure::permanent())),
//!     |wait| assert_eq!(wait, Duration::from_millis(200)),
//!     || Duration::ZERO,
//! );
//! assert_eq!(fetched, Ok(7));
//! ```
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

// Explicit even with the feature `std`, so that the prelude stays `core`'s and a stray
// `String` or `Vec` fails in every build.
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
mod next;
mod policy;
pub mod retry_after;
mod rule;
mod run;
mod shape;
mod stop;
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
    next::{Next, Origin},
    policy::Policy,
    rule::RetryAfterRule,
    run::Run,
    stop::StopReason,
    sync::{RetryConfig, retry_with_backoff_using},
    verdict::{BySelf, Classify, Failure, Retryable, Verdict},
};
#[cfg(feature = "std")]
pub use crate::{entropy::DefaultEntropy, sync::retry_with_backoff};
