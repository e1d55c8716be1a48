//! Settings that contradict themselves.

use core::time::Duration;

use crate::duration_text::display as text;

/// A setting that was refused, by a `try_` constructor, by [`Policy::checked`] or while
/// reading a configuration.
///
/// The message names the field and its value.
///
/// # Examples
///
/// ```
/// use core::time::Duration;
/// use retry_core::{Backoff, Policy};
///
/// let backoff = Backoff::exponential(Duration::from_secs(20)).with_cap(Duration::from_secs(10));
/// let error = Policy::try_new(backoff).unwrap_err();
/// assert_eq!(error.field(), "base");
/// assert_eq!(error.to_string(), "base: 20s is above the cap of 10s");
/// ```
///
/// [`Policy::checked`]: crate::Policy::checked
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidConfig {
    /// A lower bound is above the upper one.
    #[error("{field}: {} is above the cap of {}", text(*value), text(*cap))]
    AboveCap {
        /// The setting.
        field: &'static str,
        /// Its value.
        value: Duration,
        /// The cap it exceeds.
        cap: Duration,
    },
    /// The setting means nothing beside another one.
    #[error("{field}: {value} does not apply to a {schedule} schedule")]
    NotApplicable {
        /// The setting.
        field: &'static str,
        /// Its value.
        value: u32,
        /// The kind of schedule it was given for.
        schedule: &'static str,
    },
    /// A number or a duration is zero where that would mean "never" or "at once, forever".
    #[error("{field}: 0 is not allowed")]
    Zero {
        /// The setting.
        field: &'static str,
    },
}

impl InvalidConfig {
    /// The name of the setting that was refused.
    #[must_use]
    pub const fn field(&self) -> &'static str {
        match self {
            Self::AboveCap { field, .. }
            | Self::NotApplicable { field, .. }
            | Self::Zero { field } => field,
        }
    }
}
