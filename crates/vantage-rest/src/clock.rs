//! The one clock of this crate: it measures, it never waits.

use tokio::time::Instant;

/// The current instant, which a paused Tokio clock holds still.
#[expect(clippy::disallowed_methods, reason = "this is the crate's clock module")]
pub(crate) fn now() -> Instant {
    Instant::now()
}
