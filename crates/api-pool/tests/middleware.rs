//! A `reqwest-middleware` stack gets everything the client does, and keeps its own responses.
#![cfg(feature = "reqwest-middleware")]

mod support;

use {reqwest as line, reqwest_middleware as stack};

#[path = "support/middleware.rs"]
mod suite;
