//! What a registry tells.

use std::borrow::Cow;
use std::time::Duration;

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// The health of all keys at one moment.
///
/// With feature `serde` it is written and read in any format, durations as text such as `250ms`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize))]
#[non_exhaustive]
pub struct HealthSnapshot {
    /// The length of the window that all counts are of.
    #[cfg_attr(feature = "serde", serde(with = "retry_core::duration_text"))]
    pub window: Duration,
    /// The keys, in alphabetical order.
    pub keys: Vec<KeyHealth>,
    /// Events and waits that were not counted because their key was one too many.
    pub untracked: u64,
}

impl HealthSnapshot {
    /// The health of one key; `None` where it has not been seen.
    #[must_use]
    pub fn key(&self, key: &str) -> Option<&KeyHealth> {
        self.keys.iter().find(|health| health.key == key)
    }
}

/// The health of one key, over the window.
///
/// Attempts are counted by how they ended. Retries are attempts like any other.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize))]
#[non_exhaustive]
pub struct KeyHealth {
    /// The key under which the client reports.
    pub key: String,
    /// How far back the counts reach: the window, less up to a twelfth of it; or the time since
    /// the key was first seen, where that is shorter. In whole milliseconds, as all times here.
    #[cfg_attr(feature = "serde", serde(with = "retry_core::duration_text"))]
    pub covered: Duration,
    /// Attempts answered with a 2xx.
    pub succeeded: u64,
    /// Attempts with an answer that another attempt would get again, such as a 404, or with a body
    /// over the limit. They say that the server works.
    pub rejected: u64,
    /// Attempts that failed otherwise: a 408, 429 or 5xx, no answer, no token.
    pub failed: u64,
    /// Attempts that the client did not send: the breaker was open, the queue full or closed, the
    /// time up, or the request malformed.
    pub refused: u64,
    /// Attempts dropped by their callers.
    pub cancelled: u64,
    /// Retries scheduled.
    pub retries: u64,
    /// Attempts per second, those refused not counted, over [`covered`](Self::covered) and at
    /// least a second.
    pub requests_per_second: f64,
    /// `failed` as a share of `succeeded`, `rejected` and `failed`, from 0 to 1; 0 where there are
    /// none.
    pub error_share: f64,
    /// How long attempts took to be answered or to fail; `None` where there were none.
    pub latency: Option<Latency>,
    /// What attempts waited for before they started.
    pub waits: WaitTotals,
    /// Where the breaker stands, as the events tell: closed until one says otherwise.
    pub breaker: BreakerHealth,
    /// Attempts that started and have not ended.
    pub in_flight: u64,
    /// The last failure, however long ago.
    pub last_error: Option<LastError>,
}

/// Quantiles of the time from sending a request to the head of its response, or to its failure.
///
/// Each is exact below 32 ms, and above that less than a sixteenth higher than the true one, never
/// lower. Times over 70 minutes count as 70 minutes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize))]
#[non_exhaustive]
pub struct Latency {
    /// Half of the attempts took no longer.
    #[cfg_attr(feature = "serde", serde(with = "retry_core::duration_text"))]
    pub p50: Duration,
    /// 95 % of the attempts took no longer.
    #[cfg_attr(feature = "serde", serde(with = "retry_core::duration_text"))]
    pub p95: Duration,
    /// 99 % of the attempts took no longer.
    #[cfg_attr(feature = "serde", serde(with = "retry_core::duration_text"))]
    pub p99: Duration,
}

/// What attempts waited for, by stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize))]
#[non_exhaustive]
pub struct WaitTotals {
    /// At the breaker.
    pub gate: StageWaits,
    /// For a credential that was being fetched.
    pub credential: StageWaits,
    /// For the rate limit.
    pub rate_token: StageWaits,
    /// For a free slot.
    pub slot: StageWaits,
}

/// Waits at one stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize))]
#[non_exhaustive]
pub struct StageWaits {
    /// How many attempts waited.
    pub count: u64,
    /// For how long, all together.
    #[cfg_attr(feature = "serde", serde(with = "retry_core::duration_text"))]
    pub total: Duration,
}

/// Where a breaker stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum BreakerHealth {
    /// Calls go through, or there is no breaker.
    Closed,
    /// Calls are refused or wait.
    #[non_exhaustive]
    Open {
        /// Until a probe may be sent. [`Duration::MAX`] for a breaker that was opened by hand.
        #[cfg_attr(feature = "serde", serde(with = "retry_core::duration_text"))]
        remaining: Duration,
    },
    /// The cooldown is over, and the next call probes.
    HalfOpen,
}

/// The last failure of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize))]
#[non_exhaustive]
pub struct LastError {
    /// The name of its kind, as [`ErrorKind::name`](crate::ErrorKind::name) gives it.
    pub kind: Cow<'static, str>,
    /// The response's status, where there was one.
    pub status: Option<u16>,
    /// The error as text, at most 256 bytes of it: no URL, no body, no credential, and nothing of
    /// what a token source says.
    pub text: String,
    /// How long ago.
    #[cfg_attr(feature = "serde", serde(with = "retry_core::duration_text"))]
    pub age: Duration,
}
