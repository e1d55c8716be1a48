//! Policies as configuration: durations as text, contradictions and unknown fields refused.
//!
//! Nothing here allocates, so no enum with a tag inside is used: a schedule is a flat
//! record whose fields are checked against its kind.

mod backoff;
mod policy;
mod rules;
mod text;

pub use text::{deserialize, serialize};
