//! Durations as text: `250ms`, `10s`, `1h`.
//!
//! A whole number and one unit out of `ns`, `us`, `ms`, `s`, `m`, `h`; or `unlimited`,
//! for [`Duration::MAX`]. Reading and writing allocate nothing and agree: what
//! [`display`] writes, [`parse`] reads back exactly.

use core::fmt;
use core::time::Duration;

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
        for (unit, length) in UNITS {
            if nanos.is_multiple_of(length) {
                return write!(f, "{}{unit}", nanos / length);
            }
        }
        Ok(())
    }
}
