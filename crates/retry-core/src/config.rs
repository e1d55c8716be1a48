//! Policies as configuration: durations as text, contradictions and unknown fields refused.
//!
//! Nothing here allocates, so no enum with a tag inside is used: a schedule is a flat
//! record whose fields are checked against its kind.

use core::fmt;
use core::num::NonZeroU32;
use core::time::Duration;

use ::serde::de::{self, Deserializer, Unexpected, Visitor};
use ::serde::ser::{Error as _, Serializer};
use ::serde::{Deserialize, Serialize};

use crate::backoff::Shape;
use crate::duration_text::{self, DurationText};
use crate::{Backoff, InvalidConfig, Jitter, Policy, RetryAfterRule, nanos};

#[derive(Clone, Copy, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Constant,
    Linear,
    Exponential,
    Fibonacci,
}

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Self::Constant => "constant",
            Self::Linear => "linear",
            Self::Exponential => "exponential",
            Self::Fibonacci => "fibonacci",
        }
    }
}

#[derive(Deserialize, Serialize)]
#[serde(rename = "Backoff", deny_unknown_fields)]
struct BackoffFields {
    kind: Kind,
    base: DurationText,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    factor: Option<u32>,
    #[serde(default)]
    cap: Option<DurationText>,
}

impl TryFrom<BackoffFields> for Backoff {
    type Error = InvalidConfig;

    fn try_from(fields: BackoffFields) -> Result<Self, InvalidConfig> {
        let BackoffFields { kind, base, factor, cap } = fields;
        let base = Duration::from(base);
        let backoff = match (kind, factor) {
            (Kind::Exponential, None) => Self::exponential(base),
            (Kind::Exponential, Some(factor)) => {
                let factor =
                    NonZeroU32::new(factor).ok_or(InvalidConfig::Zero { field: "factor" })?;
                Self::exponential_with(base, factor)
            }
            (_, Some(value)) => {
                let schedule = kind.name();
                return Err(InvalidConfig::NotApplicable { field: "factor", value, schedule });
            }
            (Kind::Constant, None) => Self::constant(base),
            (Kind::Linear, None) => Self::linear(base),
            (Kind::Fibonacci, None) => Self::fibonacci(base),
        };
        match cap {
            Some(cap) => backoff.with_cap(cap.into()),
            None => backoff,
        }
        .checked()
    }
}

/// A record of `kind` (`constant`, `linear`, `exponential` or `fibonacci`), `base`,
/// `factor` (`exponential` only; 2 by default) and `cap` (optional).
impl<'de> Deserialize<'de> for Backoff {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let fields = BackoffFields::deserialize(deserializer)?;
        Self::try_from(fields).map_err(de::Error::custom)
    }
}

/// Refused for a custom schedule: a function has no text.
impl Serialize for Backoff {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (kind, base, factor) = match self.shape() {
            Shape::Constant { base } => (Kind::Constant, base, None),
            Shape::Linear { base } => (Kind::Linear, base, None),
            Shape::Exponential { base, factor } => (Kind::Exponential, base, Some(factor.get())),
            Shape::Fibonacci { base } => (Kind::Fibonacci, base, None),
            Shape::Custom(_) => {
                return Err(S::Error::custom("backoff: a custom schedule cannot be serialised"));
            }
        };
        let base = nanos::duration(base).into();
        let cap = Some(self.cap().into());
        BackoffFields { kind, base, factor, cap }.serialize(serializer)
    }
}

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

impl<'de> Deserialize<'de> for DurationText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;

        impl Visitor<'_> for TextVisitor {
            type Value = DurationText;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a duration such as `250ms` or `10s`, or `unlimited`")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<DurationText, E> {
                text.parse().map_err(|_| E::invalid_value(Unexpected::Str(text), &self))
            }
        }

        deserializer.deserialize_str(TextVisitor)
    }
}

impl Serialize for DurationText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Reads a duration as text, for `#[serde(with = "retry_core::duration_text")]`.
///
/// # Errors
///
/// What the format reports, and a text that is [not a duration](duration_text::parse).
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    DurationText::deserialize(deserializer).map(Duration::from)
}

/// Writes a duration as text, for `#[serde(with = "retry_core::duration_text")]`.
///
/// # Errors
///
/// What the format reports.
///
/// # Examples
///
/// ```
/// use core::time::Duration;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Deserialize, Serialize)]
/// struct Settings {
///     #[serde(with = "retry_core::duration_text")]
///     timeout: Duration,
/// }
///
/// let settings: Settings = serde_json::from_str(r#"{"timeout":"1500ms"}"#)?;
/// assert_eq!(settings.timeout, Duration::from_millis(1_500));
/// assert_eq!(serde_json::to_string(&settings)?, r#"{"timeout":"1500ms"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn serialize<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    duration_text::display(*duration).serialize(serializer)
}
