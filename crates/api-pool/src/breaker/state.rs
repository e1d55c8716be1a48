//! What a breaker shows to the outside.

use std::time::Instant;

/// Where a circuit breaker stands.
///
/// ```
/// use api_pool::BreakerState;
///
/// fn describe(state: BreakerState) -> &'static str {
///     match state {
///         BreakerState::Closed => "healthy",
///         BreakerState::Open { .. } => "resting",
///         _ => "about to be probed",
///     }
/// }
///
/// assert_eq!(describe(BreakerState::Closed), "healthy");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BreakerState {
    /// Calls go through.
    Closed,
    /// Calls are refused or wait.
    Open {
        /// When the cooldown ends, and a probe may be sent. An instant decades ahead stands for a
        /// cooldown that the clock cannot hold, and for a breaker that was opened by hand: neither
        /// ends by itself.
        until: Instant,
    },
    /// The cooldown is over: one probe at a time decides, whether or not one is in flight.
    HalfOpen,
}
