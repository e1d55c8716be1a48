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
mod samples;
mod specs;
mod token;

pub use crate::retry_after::retry_after;
pub use crate::{
    config::config, decide::decide, drive::drive, error_body::error_body, pool_config::pool_config,
    render::render, samples::samples, specs::specs, token::token,
};

/// See [`vantage_graphql::fuzzing`].
#[cfg(fuzzing)]
pub use vantage_graphql::fuzzing::decode as graphql_decode;
/// See [`vantage_rest::fuzzing`].
#[cfg(fuzzing)]
pub use vantage_rest::fuzzing::{decode as rest_decode, lower as rest_lower};

/// What is called with bytes.
type Target = fn(&[u8]);

/// Every target by its name.
pub const TARGETS: &[(&str, Target)] = &[
    ("retry_after", retry_after),
    ("decide", decide),
    ("config", config),
    ("render", render),
    ("specs", specs),
    ("error_body", error_body),
    ("token", token),
    ("pool_config", pool_config),
    #[cfg(fuzzing)]
    ("rest_decode", rest_decode),
    #[cfg(fuzzing)]
    ("rest_lower", rest_lower),
    #[cfg(fuzzing)]
    ("graphql_decode", graphql_decode),
];
