//! A policy as a record in which only the schedule must be given.

use core::fmt;

use serde::de::{self, Deserializer, Unexpected, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

use crate::duration_text::DurationText;
use crate::{Backoff, InvalidConfig, Jitter, Policy, RetryAfterRule};

/// A number of attempts, zero included so that its refusal can name the field, or
/// `unlimited`.
#[derive(Clone, Copy)]
enum Attempts {
    AtMost(u32),
    Unlimited,
}

const UNLIMITED: &str = "unlimited";

impl Serialize for Attempts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::AtMost(attempts) => serializer.serialize_u32(attempts),
            Self::Unlimited => serializer.serialize_str(UNLIMITED),
        }
    }
}

impl<'de> Deserialize<'de> for Attempts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AttemptsVisitor;

        impl Visitor<'_> for AttemptsVisitor {
            type Value = Attempts;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("max_attempts: a number from 1 to 4294967295, or `unlimited`")
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Attempts, E> {
                u32::try_from(number)
                    .map(Attempts::AtMost)
                    .map_err(|_| E::invalid_value(Unexpected::Unsigned(number), &self))
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Attempts, E> {
                u32::try_from(number)
                    .map(Attempts::AtMost)
                    .map_err(|_| E::invalid_value(Unexpected::Signed(number), &self))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Attempts, E> {
                if text == UNLIMITED {
                    return Ok(Attempts::Unlimited);
                }
                // Environment variables are text.
                text.parse()
                    .map(Attempts::AtMost)
                    .map_err(|_| E::invalid_value(Unexpected::Str(text), &self))
            }
        }

        deserializer.deserialize_any(AttemptsVisitor)
    }
}

#[derive(Deserialize, Serialize)]
#[serde(rename = "Policy", deny_unknown_fields)]
struct PolicyFields {
    backoff: Backoff,
    #[serde(default)]
    jitter: Option<Jitter>,
    #[serde(default)]
    max_attempts: Option<Attempts>,
    #[serde(default)]
    max_elapsed: Option<DurationText>,
    #[serde(default)]
    retry_after: Option<RetryAfterRule>,
    #[serde(default)]
    floor: Option<DurationText>,
}

impl TryFrom<PolicyFields> for Policy {
    type Error = InvalidConfig;

    fn try_from(fields: PolicyFields) -> Result<Self, InvalidConfig> {
        let PolicyFields { backoff, jitter, max_attempts, max_elapsed, retry_after, floor } =
            fields;
        let mut policy = Self::new(backoff);
        if let Some(jitter) = jitter {
            policy = policy.with_jitter(jitter);
        }
        if let Some(limit) = max_elapsed {
            policy = policy.with_max_elapsed(limit.into());
        }
        if let Some(rule) = retry_after {
            policy = policy.with_retry_after(rule);
        }
        if let Some(floor) = floor {
            policy = policy.with_floor(floor.into());
        }
        match max_attempts {
            None => policy,
            Some(Attempts::Unlimited) => policy.unbounded(),
            Some(Attempts::AtMost(attempts)) => policy.try_with_max_attempts(attempts)?,
        }
        .checked()
    }
}

/// A record of `backoff` and, each with the default of [`Policy::new`], `jitter`,
/// `max_attempts` (a number or `unlimited`), `max_elapsed`, `retry_after` and `floor`.
impl<'de> Deserialize<'de> for Policy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let fields = PolicyFields::deserialize(deserializer)?;
        Self::try_from(fields).map_err(de::Error::custom)
    }
}

/// Refused for a custom schedule: a function has no text.
impl Serialize for Policy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let max_attempts = match self.max_attempts() {
            Some(attempts) => Attempts::AtMost(attempts.get()),
            None => Attempts::Unlimited,
        };
        PolicyFields {
            backoff: self.backoff(),
            jitter: Some(self.jitter()),
            max_attempts: Some(max_attempts),
            max_elapsed: Some(self.max_elapsed().into()),
            retry_after: Some(self.retry_after()),
            floor: Some(self.floor().into()),
        }
        .serialize(serializer)
    }
}
