//! Settings that go together, by name.

use std::num::{NonZeroU32, NonZeroUsize};
use std::time::Duration;

use super::{BreakerSettings, BudgetSettings, PoolConfig, RateSettings, RetrySettings, Switch};

/// Settings that go together. A configuration names one as `preset` and then says what differs.
///
/// | | `default` | `gentle` | `batch` |
/// |---|---|---|---|
/// | for | most APIs | a small API, or one shared with others | jobs that nobody waits for |
/// | `max_parallel` | 8 | 2 | 16 |
/// | `request_timeout` | 30 s | 30 s | 2 min |
/// | `retry` | 4, 50 ms to 10 s | 2, 500 ms to 30 s | 8, 1 s to 1 min |
/// | `breaker` | 5, 5 s to 1 min | 3, 10 s to 5 min | 10, 10 s to 2 min |
/// | `rate` | | 2 per second, burst 1 | |
/// | `retry_budget` | | 10 %, 3 | 20 %, 10 |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Preset {
    /// For jobs that nobody waits for: many calls at a time, long timeouts, many retries, but not
    /// all of them at once.
    Batch,
    /// What a builder without any setting does, and its default breaker.
    Default,
    /// For a small API, or one that is shared with others: few calls, slowly.
    Gentle,
}

impl Preset {
    /// Every name.
    pub(super) const EXPECTED: &'static str = "`default`, `gentle` or `batch`";

    /// The name in a configuration.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Batch => "batch",
            Self::Default => "default",
            Self::Gentle => "gentle",
        }
    }

    pub(super) fn named(name: &str) -> Option<Self> {
        [Self::Batch, Self::Default, Self::Gentle].into_iter().find(|preset| preset.name() == name)
    }

    pub(super) fn config(self) -> PoolConfig {
        let (parallel, timeout, retry, breaker) = match self {
            Self::Batch => (16, secs(120), retry(8, secs(1), secs(60)), (10, secs(10), secs(120))),
            Self::Default => (8, secs(30), RetrySettings::DEFAULT, (5, secs(5), secs(60))),
            Self::Gentle => {
                let half = Duration::from_millis(500);
                (2, secs(30), retry(2, half, secs(30)), (3, secs(10), secs(300)))
            }
        };
        let (threshold, cooldown, max_cooldown) = breaker;
        let threshold = NonZeroU32::new(threshold).unwrap_or(NonZeroU32::MIN);
        PoolConfig {
            max_parallel: NonZeroUsize::new(parallel),
            request_timeout: Some(timeout),
            retry: Some(retry),
            breaker: Switch::On(BreakerSettings { threshold, cooldown, max_cooldown }),
            rate: match self {
                Self::Gentle => {
                    Switch::On(RateSettings { per_second: 2.0, burst: NonZeroUsize::MIN })
                }
                Self::Batch | Self::Default => Switch::Unset,
            },
            retry_budget: match self {
                Self::Batch => Switch::On(BudgetSettings { percent: 20, reserve: 10 }),
                Self::Default => Switch::Unset,
                Self::Gentle => Switch::On(BudgetSettings { percent: 10, reserve: 3 }),
            },
            ..PoolConfig::default()
        }
    }
}

const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

const fn retry(max_retries: usize, base_backoff: Duration, max_backoff: Duration) -> RetrySettings {
    RetrySettings { max_retries, base_backoff, max_backoff }
}
