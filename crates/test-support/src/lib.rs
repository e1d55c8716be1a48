#![doc = include_str!("../README.md")]

mod capture;
mod connection;
mod script;
mod seen;
mod server;
mod wire;

pub use crate::{
    capture::Capture,
    script::Script,
    seen::Seen,
    server::FaultServer,
    wire::{answer, head, request_end},
};
