//! A client's settings as configuration: from any format that `serde` reads, or from environment
//! variables.
//!
//! # Examples
//!
//! ```
//! use api_pool::ResilientClient;
//! use api_pool::config::PoolConfig;
//!
//! let config: PoolConfig = serde_json::from_str(
//!     r#"{ "preset": "gentle", "max_wait": "30s", "retry": { "max_retries": 1 } }"#,
//! )?;
//! let client = ResilientClient::builder().configure(&config).build();
//! # drop(client);
//!
//! let same = PoolConfig::from_vars(
//!     "AIRPORTS_",
//!     [
//!         ("AIRPORTS_PRESET", "gentle"),
//!         ("AIRPORTS_MAX_WAIT", "30s"),
//!         ("AIRPORTS_RETRY__MAX_RETRIES", "1"),
//!     ],
//! )?;
//! assert_eq!(same, config);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod node;
mod preset;
mod read;
mod section;
mod settings;
mod vars;

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::time::Duration;

use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};

use self::node::Node;
pub(crate) use self::settings::{
    BreakerSettings, BudgetSettings, RateSettings, RetrySettings, Switch,
};
pub use self::{error::ConfigError, preset::Preset};

/// The settings of a client, for [`ResilientClientBuilder::configure`](crate::ResilientClientBuilder::configure). It holds no secret: tokens
/// come from a [`TokenSource`](crate::TokenSource).
///
/// Every setting is optional; what is not set stays as the builder has it. Durations are text such
/// as `250ms`, `10s` or `unlimited`, numbers may be text too. Settings that are not known, that
/// make no sense or that contradict each other are refused with a [`ConfigError`].
///
/// | Setting | Value | Is |
/// |---|---|---|
/// | `preset` | `default`, `gentle` or `batch` | a [`Preset`], for what is not set here |
/// | `max_parallel` | from 1 | [`max_parallel`](crate::ResilientClientBuilder::max_parallel) |
/// | `max_waiting` | from 0, or `unlimited` | [`max_waiting`](crate::ResilientClientBuilder::max_waiting) |
/// | `max_wait` | a duration | [`max_wait`](crate::ResilientClientBuilder::max_wait) |
/// | `request_timeout` | from `1ms` | [`request_timeout`](crate::ResilientClientBuilder::request_timeout), `unlimited` for none |
/// | `max_body_bytes` | from 1 | [`max_body_bytes`](crate::ResilientClientBuilder::max_body_bytes) |
/// | `retry.max_retries` | from 0 | [`RetryPolicy::max_retries`](crate::RetryPolicy::max_retries) |
/// | `retry.base_backoff` | from `1ms` | [`RetryPolicy::base_backoff`](crate::RetryPolicy::base_backoff) |
/// | `retry.max_backoff` | at least `base_backoff` | [`RetryPolicy::max_backoff`](crate::RetryPolicy::max_backoff) |
/// | `breaker.threshold` | from 1 | failures in a row that open [it](crate::ResilientClientBuilder::circuit_breaker_growing); 5 |
/// | `breaker.cooldown` | from `1ms` | how long it stays open at first; `5s` |
/// | `breaker.max_cooldown` | at least `cooldown` | how long it stays open at most; `1m` |
/// | `rate.per_second` | above 0 | [the rate](crate::ResilientClientBuilder::rate_limit_with_burst); must be set if `rate` is |
/// | `rate.burst` | from 1 | how many at once after a pause; `per_second`, rounded up |
/// | `retry_budget.percent` | from 0 | [retries](crate::ResilientClientBuilder::retry_budget) per 100 calls; 20 |
/// | `retry_budget.reserve` | from 0 | retries in any 10 s besides; 10 |
///
/// `retry`, `breaker`, `rate` and `retry_budget` may also be `off`.
///
/// It is written out without the preset's name, as the settings that hold.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PoolConfig {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) max_parallel: Option<NonZeroUsize>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "settings::limit")]
    pub(crate) max_waiting: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "settings::duration")]
    pub(crate) max_wait: Option<Duration>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "settings::duration")]
    pub(crate) request_timeout: Option<Duration>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) max_body_bytes: Option<NonZeroUsize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) retry: Option<RetrySettings>,
    #[serde(skip_serializing_if = "Switch::is_unset")]
    pub(crate) breaker: Switch<BreakerSettings>,
    #[serde(skip_serializing_if = "Switch::is_unset")]
    pub(crate) rate: Switch<RateSettings>,
    #[serde(skip_serializing_if = "Switch::is_unset")]
    pub(crate) retry_budget: Switch<BudgetSettings>,
}

impl PoolConfig {
    /// The settings of a preset.
    #[must_use]
    pub fn preset(preset: Preset) -> Self {
        preset.config()
    }

    /// Reads the variables whose names start with `prefix`: what follows is the setting's path, in
    /// any case, with `__` between its names, as in `AIRPORTS_RETRY__MAX_RETRIES`. Other variables
    /// are left alone. Pass [`std::env::vars_os`].
    ///
    /// # Errors
    ///
    /// [`ConfigError`] for a setting that is not known, makes no sense, contradicts another or is
    /// set twice.
    pub fn from_vars<K, V>(
        prefix: &str,
        vars: impl IntoIterator<Item = (K, V)>,
    ) -> Result<Self, ConfigError>
    where
        K: Into<OsString>,
        V: Into<OsString>,
    {
        read::settings(vars::tree(prefix, vars)?)
    }
}

impl<'de> Deserialize<'de> for PoolConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read::settings(Node::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}
