//! The only clock of the crate.

use std::time::{Duration, Instant};

/// The moment Tokio's clock shows.
#[expect(clippy::disallowed_methods, reason = "this is the one clock module")]
pub(crate) fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

/// Waits on Tokio's clock.
#[expect(clippy::disallowed_methods, reason = "this is the one clock module")]
pub(crate) async fn sleep(duration: Duration) {
    tokio::time::sleep(duration).await;
}
