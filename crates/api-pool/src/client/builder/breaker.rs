//! Settings of the breaker.

use std::num::NonZeroU32;
use std::time::Duration;

use super::ResilientClientBuilder;
use crate::breaker::BreakerConfig;
use crate::transport::Transport;

impl<T: Transport> ResilientClientBuilder<T> {
    /// A breaker that opens after `threshold` failures in a row, for a fixed `cooldown`.
    /// Default: no breaker. A threshold of 0 becomes 1.
    pub fn circuit_breaker(self, threshold: usize, cooldown: Duration) -> Self {
        self.circuit_breaker_growing(threshold, cooldown, cooldown)
    }

    /// A breaker that opens after `threshold` failures in a row, for `base` at first and twice as
    /// long after each failed probe, up to `max`. Default: no breaker. A threshold of 0 becomes 1;
    /// `max` is raised to `base`.
    ///
    /// While it is half open, one attempt probes the service. It has the time that its policy
    /// gives an [attempt](crate::CallPolicy::with_attempt_timeout), else the
    /// [request timeout](Self::request_timeout) of the default HTTP client, else 30 s, and a second
    /// more; then another is sent in its place and its answer is ignored. Each probe that is
    /// overdue gives the next twice as long, up to eight times. After the second probe in a row
    /// that was answered with 408 or 429, the next waits for `base`.
    pub fn circuit_breaker_growing(
        mut self,
        threshold: usize,
        base: Duration,
        max: Duration,
    ) -> Self {
        if threshold == 0 {
            tracing::warn!("a breaker threshold of 0 is taken as 1");
        }
        if max < base {
            tracing::warn!(?base, ?max, "a longest cooldown below the first is raised to it");
        }
        let threshold = u32::try_from(threshold).unwrap_or(u32::MAX);
        let threshold = NonZeroU32::new(threshold).unwrap_or(NonZeroU32::MIN);
        self.breaker = Some(BreakerConfig::growing(threshold, base, max));
        self
    }

    /// The breaker that suits most APIs: 5 failures in a row, 5 s growing to 60 s.
    pub fn default_breaker(self) -> Self {
        self.circuit_breaker_growing(5, Duration::from_secs(5), Duration::from_secs(60))
    }
}
