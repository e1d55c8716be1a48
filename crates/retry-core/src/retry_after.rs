//! The `Retry-After` field of a response
//! ([RFC 9110, section 10.2.3](https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3)).
//!
//! A field value comes from outside, so reading one never fails loudly: it is a usable
//! wait, or nothing, and then the policy's own schedule applies.

use core::time::Duration;

#[cfg(feature = "http-date")]
use crate::{http_date, nanos};

/// The longest field value that is looked at, in bytes. A longer one is not usable.
pub const MAX_LEN: usize = 16 * 1024;

/// The most field lines that [`longest`] looks at.
pub const MAX_LINES: usize = 32;

/// Reads a delay in whole seconds.
///
/// `None` for zero, which must not make a retry immediate, and for everything that is not
/// a row of ASCII digits: signs, fractions, exponents, lists, dates, other scripts. Spaces
/// and tabs around the digits are allowed. A number that 64 bits cannot hold counts as the
/// largest they can, so a cap applies to it.
///
/// Takes time proportional to the length of `value`, of which at most [`MAX_LEN`] bytes
/// are accepted.
///
/// # Examples
///
/// ```
/// use core::time::Duration;
/// use retry_core::retry_after;
///
/// assert_eq!(retry_after::parse(b"120"), Some(Duration::from_secs(120)));
/// assert_eq!(retry_after::parse(b" 5 "), Some(Duration::from_secs(5)));
/// assert_eq!(retry_after::parse(b"0"), None);
/// assert_eq!(retry_after::parse(b"1.5"), None);
/// assert_eq!(retry_after::parse(b"soon"), None);
/// ```
#[must_use]
pub fn parse(value: &[u8]) -> Option<Duration> {
    let digits = trim(value)?;
    let mut seconds = 0_u64;
    for byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if 9 < digit {
            return None;
        }
        seconds = seconds.saturating_mul(10).saturating_add(u64::from(digit));
    }
    // No digits at all leave zero as well.
    (seconds != 0).then(|| Duration::from_secs(seconds))
}

/// The longest usable delay of several field lines.
///
/// Looks at the first [`MAX_LINES`] of them.
///
/// # Examples
///
/// ```
/// use core::time::Duration;
/// use retry_core::retry_after;
///
/// let lines: [&[u8]; 3] = [b"2", b"soon", b"3"];
/// assert_eq!(retry_after::longest(lines), Some(Duration::from_secs(3)));
/// ```
#[must_use]
pub fn longest<'v>(values: impl IntoIterator<Item = &'v [u8]>) -> Option<Duration> {
    values.into_iter().take(MAX_LINES).filter_map(parse).max()
}

/// Reads a delay in whole seconds, or a date, which is a wait from `now` on.
///
/// `now` is the time since the Unix epoch, best by the server's own clock: see
/// [`http_date::server_time`]. A date that is not after it is not usable.
///
/// # Examples
///
/// ```
/// use core::time::Duration;
/// use retry_core::retry_after;
///
/// let now = Duration::from_secs(784_111_777);
/// let value = b"Sun, 06 Nov 1994 08:49:57 GMT";
/// assert_eq!(retry_after::parse_at(value, now), Some(Duration::from_secs(20)));
/// assert_eq!(retry_after::parse_at(b"5", now), Some(Duration::from_secs(5)));
/// assert_eq!(retry_after::parse_at(value, now + Duration::from_secs(20)), None);
/// ```
#[cfg(feature = "http-date")]
#[cfg_attr(docsrs, doc(cfg(feature = "http-date")))]
#[must_use]
pub fn parse_at(value: &[u8], now: Duration) -> Option<Duration> {
    parse(value).or_else(|| {
        let date = http_date::parse(trim(value)?, now)?;
        Some(nanos::between(now, date)).filter(|wait| !wait.is_zero())
    })
}

/// The longest usable wait of several field lines, dates included.
///
/// Looks at the first [`MAX_LINES`] of them.
///
/// # Examples
///
/// ```
/// use core::time::Duration;
/// use retry_core::retry_after;
///
/// let now = Duration::from_secs(784_111_777);
/// let lines: [&[u8]; 2] = [b"5", b"Sun, 06 Nov 1994 08:49:57 GMT"];
/// assert_eq!(retry_after::longest_at(lines, now), Some(Duration::from_secs(20)));
/// ```
#[cfg(feature = "http-date")]
#[cfg_attr(docsrs, doc(cfg(feature = "http-date")))]
#[must_use]
pub fn longest_at<'v>(
    values: impl IntoIterator<Item = &'v [u8]>,
    now: Duration,
) -> Option<Duration> {
    values.into_iter().take(MAX_LINES).filter_map(|value| parse_at(value, now)).max()
}

/// Without the spaces and tabs around it, unless the value is too long to look at.
fn trim(value: &[u8]) -> Option<&[u8]> {
    if MAX_LEN < value.len() {
        return None;
    }
    let mut value = value;
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = value {
        value = rest;
    }
    Some(value)
}
