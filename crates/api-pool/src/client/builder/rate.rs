//! Settings of the rate limit.

use super::{Rate, ResilientClientBuilder};
use crate::transport::Transport;

impl<T: Transport> ResilientClientBuilder<T> {
    /// Limits attempts to `per_second`, with a burst of that number rounded up, at least 1.
    /// Default: no limit. A rate that is not above zero becomes one in 1,000 s.
    pub fn rate_limit(self, per_second: f64) -> Self {
        self.rate_limit_with_burst(per_second, (per_second.ceil() as usize).max(1))
    }

    /// Limits attempts to `per_second` on average, `burst` at once after a pause. Default: no
    /// limit. A rate that is not above zero becomes one in 1,000 s; a burst of 0 becomes 1.
    pub fn rate_limit_with_burst(mut self, per_second: f64, burst: usize) -> Self {
        self.rate = Some(Rate { per_second, burst });
        self
    }
}
