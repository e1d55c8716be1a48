//! What a run answers.

use core::time::Duration;

use crate::StopReason;

/// What to do after a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "there is no third thing to do after a failure")]
#[must_use = "a decision changes nothing until it is followed"]
pub enum Next {
    /// Wait, then try again.
    #[non_exhaustive]
    Retry {
        /// How long to wait, jitter included.
        after: Duration,
        /// The number of this retry: 1 for the first. As many attempts have failed so far.
        attempt: u32,
        /// Where the wait came from.
        origin: Origin,
    },
    /// Give up and report the failure.
    Stop(StopReason),
}

/// Where a wait came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Origin {
    /// The server's hint was above the cap, so the cap took its place.
    ClampedHint,
    /// The server's hint.
    Hint,
    /// The policy's own schedule.
    Schedule,
}
