#![doc = include_str!("../README.md")]

mod bytes;
mod config;
mod decide;
mod drive;
mod render;
mod retry_after;
mod specs;

pub use crate::retry_after::retry_after;
pub use crate::{config::config, decide::decide, drive::drive, render::render, specs::specs};

/// See [`vantage_rest::fuzzing`].
#[cfg(fuzzing)]
pub use vantage_rest::fuzzing::{decode as rest_decode, lower as rest_lower};
