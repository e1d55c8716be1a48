//! What a call does at an open breaker.

/// What a call does when it meets an open breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BreakerMode {
    /// Fail at once, without sending anything.
    ///
    /// Such a call may still be the one that probes, when the cooldown is over and nobody else is
    /// waiting to.
    FailFast,
    /// Wait, without polling, until this call may probe or the service is back.
    WaitForProbe,
}
