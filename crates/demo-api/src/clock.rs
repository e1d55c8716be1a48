//! The only clock of the crate.

use std::time::Duration;

use tokio::time::Instant;

/// The moment Tokio's clock shows.
#[expect(clippy::disallowed_methods, reason = "this is the one clock module")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// Waits on Tokio's clock.
#[expect(clippy::disallowed_methods, reason = "this is the one clock module")]
pub(crate) async fn sleep(duration: Duration) {
    tokio::time::sleep(duration).await;
}
