//! api-pool
#![cfg_attr(docsrs, feature(doc_cfg))]

mod auth;
mod breaker;
mod client;
mod clock;
mod fate;
mod queue;
mod rate;
mod sync;

pub use crate::{
    fate::Fate,
    queue::QueueClass,
    rate::{RateError, TokenBucket},
};
