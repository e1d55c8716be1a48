//! A schedule as a flat record.

use core::num::NonZeroU32;
use core::time::Duration;

use serde::de::{self, Deserializer};
use serde::ser::{Error as _, Serializer};
use serde::{Deserialize, Serialize};

use crate::duration_text::DurationText;
use crate::shape::Shape;
use crate::{Backoff, InvalidConfig, nanos};

#[derive(Clone, Copy, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Constant,
    Linear,
    Exponential,
    Fibonacci,
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
        // Only one kind has a factor.
        let without = |schedule| match factor {
            Some(value) => Err(InvalidConfig::NotApplicable { field: "factor", value, schedule }),
            None => Ok(()),
        };
        let backoff = match kind {
            Kind::Constant => without("constant").map(|()| Self::constant(base))?,
            Kind::Linear => without("linear").map(|()| Self::linear(base))?,
            Kind::Fibonacci => without("fibonacci").map(|()| Self::fibonacci(base))?,
            Kind::Exponential => {
                let factor = NonZeroU32::new(factor.unwrap_or(2));
                let factor = factor.ok_or(InvalidConfig::Zero { field: "factor" })?;
                Self::exponential_with(base, factor)
            }
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
