//! The workspace's README and guides, so that what they show compiles and runs as a test.
//!
//! Besides them, `examples/schedules` draws the pictures of the guide to policies. The guides to the adapters are run against the demo server by the
//! adapters' own tests.

/// The README.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub mod readme {}

/// The guide `first-client`.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/first-client.md")]
pub mod first_client {}

/// The guide `policies`.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/policies.md")]
pub mod policies {}

/// The guide `writes`.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/writes.md")]
pub mod writes {}

/// The guide `queues`.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/queues.md")]
pub mod queues {}

/// The guide `auth`.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/auth.md")]
pub mod auth {}

/// The guide `configuration`.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/configuration.md")]
pub mod configuration {}

/// The guide `stacks`.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/stacks.md")]
pub mod stacks {}

/// The guide `observing`.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/observing.md")]
pub mod observing {}

/// The guide `testing`.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/testing.md")]
pub mod testing {}

/// The guide `sync`.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/sync.md")]
pub mod sync {}

/// The guide `moving-over`.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/moving-over.md")]
pub mod moving_over {}
