//! Jitter and the rule for hints, by name.

use serde::de::Deserializer;
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

use crate::duration_text::DurationText;
use crate::{Jitter, RetryAfterRule};

#[derive(Deserialize, Serialize)]
#[serde(rename = "Jitter", rename_all = "snake_case")]
enum JitterName {
    None,
    Full,
    Equal,
    Decorrelated,
    Spread(u8),
}

/// `none`, `full`, `equal`, `decorrelated`, or `{ spread = 25 }`.
impl<'de> Deserialize<'de> for Jitter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match JitterName::deserialize(deserializer)? {
            JitterName::None => Self::None,
            JitterName::Full => Self::Full,
            JitterName::Equal => Self::Equal,
            JitterName::Decorrelated => Self::Decorrelated,
            JitterName::Spread(percent) => Self::Spread(percent),
        })
    }
}

impl Serialize for Jitter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::None => JitterName::None,
            Self::Full => JitterName::Full,
            Self::Equal => JitterName::Equal,
            Self::Decorrelated => JitterName::Decorrelated,
            Self::Spread(percent) => JitterName::Spread(percent),
        }
        .serialize(serializer)
    }
}

#[derive(Deserialize, Serialize)]
#[serde(rename = "RetryAfterRule", rename_all = "snake_case")]
enum RuleName {
    Ignore,
    Clamp,
    Exact,
    GiveUpAbove(DurationText),
}

/// `ignore`, `clamp`, `exact`, or `{ give_up_above = "60s" }`.
impl<'de> Deserialize<'de> for RetryAfterRule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match RuleName::deserialize(deserializer)? {
            RuleName::Ignore => Self::Ignore,
            RuleName::Clamp => Self::Clamp,
            RuleName::Exact => Self::Exact,
            RuleName::GiveUpAbove(limit) => Self::GiveUpAbove(limit.into()),
        })
    }
}

impl Serialize for RetryAfterRule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Ignore => RuleName::Ignore,
            Self::Clamp => RuleName::Clamp,
            Self::Exact => RuleName::Exact,
            Self::GiveUpAbove(limit) => RuleName::GiveUpAbove(limit.into()),
        }
        .serialize(serializer)
    }
}
