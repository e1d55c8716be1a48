//! The same promises to a stack over reqwest 0.13.
#![cfg(feature = "reqwest013-middleware")]

mod support;

use {reqwest013 as line, reqwest013_middleware as stack};

#[path = "support/middleware.rs"]
mod suite;
