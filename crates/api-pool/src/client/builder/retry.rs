//! Settings of retries.

use retry_core::RetryBudget;

use super::ResilientClientBuilder;
use crate::policy::RetryPolicy;
use crate::transport::Transport;

impl<T: Transport> ResilientClientBuilder<T> {
    /// The retries of [`execute`](crate::ResilientClient::execute); calls with a policy of their
    /// own ignore it. A `max_backoff` below `base_backoff` is the wait before every retry.
    /// Default: [`RetryPolicy::default`].
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        let RetryPolicy { max_retries: _, base_backoff: base, max_backoff: max } = policy;
        if max < base {
            tracing::warn!(?base, ?max, "a longest wait below the first is the only one");
        }
        self.retry = policy;
        self
    }

    /// Limits the retries of all calls together. A retry that the budget does not pay for is not
    /// made: the call ends with its last error and
    /// [`StopReason::Budget`](crate::StopReason::Budget). Default: no limit.
    ///
    /// # Examples
    ///
    /// One retry for five calls, and ten more in any window of 10 s:
    ///
    /// ```
    /// use api_pool::{Ratio, ResilientClient, RetryBudget};
    ///
    /// let budget = RetryBudget::new(Ratio::percent(20), 10);
    /// let client = ResilientClient::builder().retry_budget(budget).build();
    /// # drop(client);
    /// ```
    pub fn retry_budget(mut self, budget: RetryBudget) -> Self {
        self.budget = Some(budget);
        self
    }
}
