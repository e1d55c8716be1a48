//! The workspace's README and guides, so that what they show compiles and runs as a test.
//!
//! There is nothing else here.

/// The README.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub mod readme {}
