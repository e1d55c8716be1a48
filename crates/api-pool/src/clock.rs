//! The one clock: Tokio's, so that a paused runtime moves everything.
//!
//! Machines never call it. They are given `now` by the shell that holds them.

use std::pin::Pin;
use std::time::{Duration, Instant};

use tokio::time::Sleep;

/// How far ahead an instant is placed that the clock cannot hold: 30 years.
const FAR: Duration = Duration::from_secs(60 * 60 * 24 * 365 * 30);

/// The present, as Tokio's clock tells it.
pub(crate) fn now() -> Instant {
    #[expect(clippy::disallowed_methods, reason = "this is the clock module")]
    tokio::time::Instant::now().into_std()
}

/// `start + wait`, or an instant about 30 years ahead where the clock cannot hold the sum.
pub(crate) fn after(start: Instant, wait: Duration) -> Instant {
    start.checked_add(wait).unwrap_or_else(|| start + FAR)
}

/// Completes at `deadline`; at once when it has passed.
pub(crate) fn sleep_until(deadline: Instant) -> Sleep {
    tokio::time::sleep_until(deadline.into())
}

/// Completes `wait` from now; in about 30 years where the clock cannot hold the sum.
pub(crate) fn sleep(wait: Duration) -> Sleep {
    sleep_until(after(now(), wait))
}

/// Has a timer start over, to complete `wait` from now.
pub(crate) fn reset(timer: Pin<&mut Sleep>, wait: Duration) {
    timer.reset(after(now(), wait).into());
}

/// The wall clock's time since the Unix epoch, for dates that name no other reference.
#[cfg(feature = "http-date")]
pub(crate) fn since_epoch() -> Duration {
    #[expect(clippy::disallowed_methods, reason = "this is the clock module")]
    let now = std::time::SystemTime::now();
    now.duration_since(std::time::UNIX_EPOCH).unwrap_or_default()
}
