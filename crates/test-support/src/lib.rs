#![doc = include_str!("../README.md")]

mod cancel;
mod capture;
mod connection;
mod script;
mod seen;
mod server;
mod timeline;
mod wire;

pub use crate::{
    cancel::{CancelAt, poll_count},
    capture::Capture,
    script::Script,
    seen::Seen,
    server::FaultServer,
    timeline::{Timeline, sleep_ms},
    wire::{answer, head, request_end},
};
