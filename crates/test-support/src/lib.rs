#![doc = include_str!("../README.md")]

mod cancel;

pub use crate::cancel::{CancelAt, poll_count};
