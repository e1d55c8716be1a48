//! Whether a service may call itself ready.

use core::fmt;
use std::collections::BTreeSet;
use std::time::Duration;

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

use super::snapshot::{BreakerHealth, HealthSnapshot, KeyHealth};

/// When a service that depends on other APIs is ready.
///
/// A key that has not been seen is ready: nobody knows better. So is one whose breaker is about to
/// be probed: if a load balancer kept traffic away until the breaker closed, no call would ever
/// close it.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use api_pool::health::ReadinessRules;
///
/// let rules = ReadinessRules::default()
///     .without_key("recommendations")
///     .with_max_error_percent(20)
///     .with_max_p95(Duration::from_secs(2));
/// # let _ = rules;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadinessRules {
    optional: BTreeSet<String>,
    max_error_percent: u8,
    max_p95: Duration,
    min_requests: u64,
}

impl Default for ReadinessRules {
    /// No breaker open, and at most half of the attempts failed, if there were 20.
    fn default() -> Self {
        Self {
            optional: BTreeSet::new(),
            max_error_percent: 50,
            max_p95: Duration::MAX,
            min_requests: 20,
        }
    }
}

impl ReadinessRules {
    /// Does not look at `key`: the service works without that API. Default: all keys count.
    #[must_use]
    pub fn without_key(mut self, key: impl Into<String>) -> Self {
        self.optional.insert(key.into());
        self
    }

    /// The highest share of failed attempts, in percent. Default: 50. 100 or more allows all.
    #[must_use]
    pub const fn with_max_error_percent(mut self, percent: u8) -> Self {
        self.max_error_percent = percent;
        self
    }

    /// The longest time that 95 % of the attempts may take. Default: [`Duration::MAX`], no limit.
    #[must_use]
    pub const fn with_max_p95(mut self, limit: Duration) -> Self {
        self.max_p95 = limit;
        self
    }

    /// How many attempts in the window it takes for error share and latency to count.
    /// Default: 20.
    #[must_use]
    pub const fn with_min_requests(mut self, requests: u64) -> Self {
        self.min_requests = requests;
        self
    }

    /// Judges a snapshot.
    #[must_use]
    pub fn judge(&self, snapshot: &HealthSnapshot) -> Readiness {
        let required = snapshot.keys.iter().filter(|health| !self.optional.contains(&health.key));
        let causes = required.flat_map(|health| {
            let cause = |reason| Unready { key: health.key.clone(), reason };
            self.reasons(health).map(cause)
        });
        Readiness::of(causes.collect())
    }

    fn reasons(&self, health: &KeyHealth) -> impl Iterator<Item = UnreadyReason> {
        let breaker = match health.breaker {
            BreakerHealth::Open { remaining } => Some(UnreadyReason::BreakerOpen { remaining }),
            BreakerHealth::Closed | BreakerHealth::HalfOpen => None,
        };
        let answered = health.succeeded.saturating_add(health.rejected);
        let ended = answered.saturating_add(health.failed);
        let enough = ended > 0 && ended >= self.min_requests;
        let (failed, ended) = (u128::from(health.failed), u128::from(ended));
        let failing = enough && failed * 100 > ended * u128::from(self.max_error_percent);
        let errors = failing.then_some(UnreadyReason::Errors { error_share: health.error_share });
        let latency = health
            .latency
            .filter(|latency| enough && latency.p95 > self.max_p95)
            .map(|latency| UnreadyReason::Slow { p95: latency.p95 });
        [breaker, errors, latency].into_iter().flatten()
    }
}

/// The verdict for a service's health endpoint.
///
/// Its text is one line. With feature `serde` it is a record of `ready` and `causes`.
///
/// # Examples
///
/// ```
/// use api_pool::health::{HealthRegistry, ReadinessRules};
///
/// let health = HealthRegistry::new();
/// let verdict = health.readiness(&ReadinessRules::default());
/// let status = if verdict.is_ready() { 200 } else { 503 };
/// assert_eq!((status, verdict.to_string().as_str()), (200, "ready"));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize))]
pub struct Readiness {
    ready: bool,
    causes: Vec<Unready>,
}

impl Readiness {
    fn of(causes: Vec<Unready>) -> Self {
        Self { ready: causes.is_empty(), causes }
    }

    /// Whether nothing speaks against it.
    #[must_use]
    pub const fn is_ready(&self) -> bool {
        self.ready
    }

    /// What speaks against it, by key in alphabetical order.
    #[must_use]
    pub fn causes(&self) -> &[Unready] {
        &self.causes
    }
}

impl fmt::Display for Readiness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.ready {
            return f.write_str("ready");
        }
        f.write_str("not ready")?;
        for (index, cause) in self.causes.iter().enumerate() {
            write!(f, "{} {}: {}", if index == 0 { ":" } else { "," }, cause.key, cause.reason)?;
        }
        Ok(())
    }
}

/// Why one key keeps a service from being ready.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize))]
#[non_exhaustive]
pub struct Unready {
    /// The key.
    pub key: String,
    /// What is wrong with it.
    pub reason: UnreadyReason,
}

/// What is wrong with a key.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum UnreadyReason {
    /// Its breaker is open.
    #[non_exhaustive]
    BreakerOpen {
        /// Until a probe may be sent. [`Duration::MAX`] for a breaker that was opened by hand.
        #[cfg_attr(feature = "serde", serde(with = "retry_core::duration_text"))]
        remaining: Duration,
    },
    /// Too many of its attempts failed.
    #[non_exhaustive]
    Errors {
        /// The share that failed, from 0 to 1.
        error_share: f64,
    },
    /// Its attempts take too long.
    #[non_exhaustive]
    Slow {
        /// The time that 95 % of them took at most.
        #[cfg_attr(feature = "serde", serde(with = "retry_core::duration_text"))]
        p95: Duration,
    },
}

impl fmt::Display for UnreadyReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BreakerOpen { remaining: Duration::MAX } => f.write_str("breaker held open"),
            Self::BreakerOpen { remaining } => write!(f, "breaker open for {remaining:?}"),
            Self::Errors { error_share } => write!(f, "{:.0} % errors", error_share * 100.0),
            Self::Slow { p95 } => write!(f, "p95 at {p95:?}"),
        }
    }
}
