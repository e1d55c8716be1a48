//! Durations as text: `250ms`, `10s`, `1h`.
//!
//! A whole number and one unit out of `ns`, `us`, `ms`, `s`, `m`, `h`; or `unlimited`,
//! for [`Duration::MAX`]. Reading and writing allocate nothing and agree: what
//! [`display`] writes, [`parse`] reads back exactly.
//!
//! With the feature `serde`, a field of a configuration is written so with
//! `#[serde(with = "retry_core::duration_text")]`, or by holding a [`DurationText`].

use core::fmt;
use core::str::FromStr;
use core::time::Duration;

use crate::nanos;

#[cfg(feature = "serde")]
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
pub use crate::config::{deserialize, serialize};

const UNLIMITED: &str = "unlimited";

/// The units, the longest first, with their length in nanoseconds.
const UNITS: [(&str, u128); 6] = [
    ("h", 3_600 * 1_000_000_000),
    ("m", 60 * 1_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
];

/// Shows a duration in the longest unit that is exact.
///
/// # Examples
///
/// ```
/// use core::time::Duration;
/// use retry_core::duration_text::display;
///
/// assert_eq!(display(Duration::from_millis(1_500)).to_string(), "1500ms");
/// assert_eq!(display(Duration::from_secs(120)).to_string(), "2m");
/// assert_eq!(display(Duration::ZERO).to_string(), "0s");
/// assert_eq!(display(Duration::MAX).to_string(), "unlimited");
/// ```
#[must_use]
pub const fn display(duration: Duration) -> DurationText {
    DurationText(duration)
}

/// A duration that formats as text. See [`display`].
///
/// # Examples
///
/// ```
/// use core::time::Duration;
/// use retry_core::duration_text::DurationText;
///
/// let text: DurationText = "90s".parse()?;
/// assert_eq!(Duration::from(text), Duration::from_secs(90));
/// # Ok::<(), retry_core::duration_text::InvalidDuration>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DurationText(Duration);

impl fmt::Display for DurationText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == Duration::MAX {
            return f.write_str(UNLIMITED);
        }
        if self.0.is_zero() {
            return f.write_str("0s");
        }
        let nanos = self.0.as_nanos();
        // The last unit divides any number.
        let exact = UNITS.into_iter().find(|(_, length)| nanos.is_multiple_of(*length));
        let (unit, length) = exact.unwrap_or(("ns", 1));
        write!(f, "{}{unit}", nanos / length)
    }
}

impl From<Duration> for DurationText {
    fn from(duration: Duration) -> Self {
        Self(duration)
    }
}

impl From<DurationText> for Duration {
    fn from(text: DurationText) -> Self {
        text.0
    }
}

impl FromStr for DurationText {
    type Err = InvalidDuration;

    fn from_str(text: &str) -> Result<Self, InvalidDuration> {
        parse(text).map(Self)
    }
}

/// A text that is not a duration. See [`parse`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a duration such as `250ms` or `10s` (units: ns, us, ms, s, m, h), or `unlimited`")]
#[non_exhaustive]
pub struct InvalidDuration;

/// Reads a duration.
///
/// # Errors
///
/// [`InvalidDuration`] unless the text is `unlimited`, or a row of ASCII digits followed at
/// once by a unit, and the duration fits into a [`Duration`].
///
/// # Examples
///
/// ```
/// use core::time::Duration;
/// use retry_core::duration_text::parse;
///
/// assert_eq!(parse("250ms"), Ok(Duration::from_millis(250)));
/// assert_eq!(parse("2m"), Ok(Duration::from_secs(120)));
/// assert_eq!(parse("unlimited"), Ok(Duration::MAX));
/// for wrong in ["", "10", "s", "-1s", "1.5s", "10 s", "1m30s", "10S", "99999999999999999999h"] {
///     assert!(parse(wrong).is_err(), "{wrong}");
/// }
/// ```
pub fn parse(text: &str) -> Result<Duration, InvalidDuration> {
    if text == UNLIMITED {
        return Ok(Duration::MAX);
    }
    let unit = text.trim_start_matches(|digit: char| digit.is_ascii_digit());
    let digits = text.strip_suffix(unit).ok_or(InvalidDuration)?;
    let (_, length) = UNITS.into_iter().find(|(name, _)| *name == unit).ok_or(InvalidDuration)?;
    let count: u128 = digits.parse().map_err(|_| InvalidDuration)?;
    count.checked_mul(length).and_then(nanos::exactly).ok_or(InvalidDuration)
}
