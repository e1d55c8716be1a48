//! Settings from a configuration.

use std::time::Duration;

use retry_core::{Ratio, RetryBudget};

use super::{Rate, ResilientClientBuilder};
use crate::breaker::BreakerConfig;
use crate::config::{BreakerSettings, BudgetSettings, PoolConfig, RateSettings, Switch};
use crate::policy::RetryPolicy;
use crate::transport::Transport;

impl<T: Transport> ResilientClientBuilder<T> {
    /// Takes over what `config` sets, and leaves the rest as it is.
    ///
    /// Called first, it gives way to what the program sets; called last, it overrules it.
    ///
    /// # Examples
    ///
    /// ```
    /// use api_pool::ResilientClient;
    /// use api_pool::config::{PoolConfig, Preset};
    ///
    /// let config = PoolConfig::preset(Preset::Gentle);
    /// let client = ResilientClient::builder().configure(&config).max_parallel(1).build();
    /// # drop(client);
    /// ```
    pub fn configure(mut self, config: &PoolConfig) -> Self {
        let PoolConfig {
            max_parallel,
            max_waiting,
            max_wait,
            request_timeout,
            max_body_bytes,
            retry,
            breaker,
            rate,
            retry_budget,
        } = config;
        self.limits.limit = max_parallel.or(self.limits.limit);
        self.limits.max_waiting = max_waiting.or(self.limits.max_waiting);
        self.limits.max_wait = max_wait.or(self.limits.max_wait);
        if let Some(timeout) = *request_timeout {
            self.options.request_timeout = (timeout != Duration::MAX).then_some(timeout);
        }
        if let Some(limit) = max_body_bytes {
            self.body_limit = limit.get();
        }
        if let Some(retry) = retry {
            self.retry = RetryPolicy::new(retry.max_retries, retry.base_backoff, retry.max_backoff);
        }
        take_over(&mut self.breaker, *breaker, |settings| {
            let BreakerSettings { threshold, cooldown, max_cooldown } = settings;
            BreakerConfig::growing(threshold, cooldown, max_cooldown)
        });
        take_over(&mut self.rate, *rate, |RateSettings { per_second, burst }| Rate {
            per_second,
            burst: burst.get(),
        });
        take_over(&mut self.budget, *retry_budget, |BudgetSettings { percent, reserve }| {
            RetryBudget::new(Ratio::percent(percent), reserve)
        });
        self
    }
}

fn take_over<S, O>(setting: &mut Option<O>, switch: Switch<S>, on: impl FnOnce(S) -> O) {
    match switch {
        Switch::Off => *setting = None,
        Switch::On(settings) => *setting = Some(on(settings)),
        Switch::Unset => (),
    }
}
