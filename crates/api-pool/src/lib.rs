//! api-pool
#![cfg_attr(docsrs, feature(doc_cfg))]

mod auth;
#[expect(dead_code, reason = "the client is what calls it")]
mod breaker;
mod client;
mod clock;
mod fate;
mod queue;
mod rate;
mod sync;

pub use crate::{
    breaker::{BreakerMode, BreakerState},
    fate::Fate,
    queue::QueueClass,
    rate::{RateError, TokenBucket},
};
