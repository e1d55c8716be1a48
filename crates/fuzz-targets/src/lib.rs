#![doc = include_str!("../README.md")]

mod bytes;
mod config;
mod decide;
mod drive;
mod error_body;
mod once;
mod pool_config;
mod render;
mod retry_after;
mod specs;
mod token;

pub use crate::retry_after::retry_after;
pub use crate::{
    config::config, decide::decide, drive::drive, error_body::error_body, pool_config::pool_config,
    render::render, specs::specs, token::token,
};

/// See [`vantage_graphql::fuzzing`].
#[cfg(fuzzing)]
pub use vantage_graphql::fuzzing::decode as graphql_decode;
/// See [`vantage_rest::fuzzing`].
#[cfg(fuzzing)]
pub use vantage_rest::fuzzing::{decode as rest_decode, lower as rest_lower};
