//! The parts of a configuration, as they are written out.

use std::num::{NonZeroU32, NonZeroUsize};
use std::time::Duration;

use serde::{Serialize, Serializer};

use super::section::{OFF, UNLIMITED};

/// A part that may be left alone, switched off, or set.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Switch<T> {
    Off,
    On(T),
    #[default]
    Unset,
}

impl<T> Switch<T> {
    pub(super) const fn is_unset(&self) -> bool {
        matches!(self, Self::Unset)
    }

    /// What is set, or else `default`.
    pub(super) fn on_or(self, default: T) -> T {
        match self {
            Self::On(value) => value,
            Self::Off | Self::Unset => default,
        }
    }
}

impl<T: Serialize> Serialize for Switch<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Off => serializer.serialize_str(OFF),
            Self::On(value) => value.serialize(serializer),
            Self::Unset => serializer.serialize_none(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct RetrySettings {
    pub(crate) max_retries: usize,
    #[serde(with = "retry_core::duration_text")]
    pub(crate) base_backoff: Duration,
    #[serde(with = "retry_core::duration_text")]
    pub(crate) max_backoff: Duration,
}

impl RetrySettings {
    pub(super) const DEFAULT: Self = Self {
        max_retries: 4,
        base_backoff: Duration::from_millis(50),
        max_backoff: Duration::from_secs(10),
    };
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct BreakerSettings {
    pub(crate) threshold: NonZeroU32,
    #[serde(with = "retry_core::duration_text")]
    pub(crate) cooldown: Duration,
    #[serde(with = "retry_core::duration_text")]
    pub(crate) max_cooldown: Duration,
}

impl BreakerSettings {
    pub(super) fn standard() -> Self {
        Self {
            threshold: NonZeroU32::MIN.saturating_add(4),
            cooldown: Duration::from_secs(5),
            max_cooldown: Duration::from_secs(60),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct RateSettings {
    pub(crate) per_second: f64,
    pub(crate) burst: NonZeroUsize,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct BudgetSettings {
    pub(crate) percent: u32,
    pub(crate) reserve: u32,
}

/// Writes a duration as text.
pub(super) fn duration<S: Serializer>(
    value: &Option<Duration>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match value {
        Some(duration) => retry_core::duration_text::serialize(duration, serializer),
        None => serializer.serialize_none(),
    }
}

/// Writes a limit, the highest one as `unlimited`.
pub(super) fn limit<S: Serializer>(
    value: &Option<usize>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match value {
        Some(usize::MAX) => serializer.serialize_str(UNLIMITED),
        other => other.serialize(serializer),
    }
}
