//! What the tests of the runtime share.

mod timeline;

pub use timeline::{Timeline, sleep_ms};
