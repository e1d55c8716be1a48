//! `Retry-After`: any bytes, at any time.

use std::{
    str::from_utf8,
    time::{Duration, UNIX_EPOCH},
};

use retry_core::{http_date, retry_after as field};

use crate::bytes::Bytes;

/// The last second that a four-digit year holds.
const LAST: Duration = Duration::from_secs(253_402_300_799);

/// Reads the bytes after the first eight as the field's value, at the time these eight say.
///
/// # Panics
///
/// If a value means something else than it must.
pub fn retry_after(data: &[u8]) {
    let mut bytes = Bytes(data);
    let now = Duration::from_secs(bytes.number() % LAST.as_secs());
    let value = bytes.0;

    let seconds = field::parse(value);
    let wait = field::parse_at(value, now);
    assert_ne!(seconds, Some(Duration::ZERO));
    assert_ne!(wait, Some(Duration::ZERO));
    assert_eq!(seconds, digits(value), "{value:?}");
    if seconds.is_some() {
        assert_eq!(wait, seconds);
    }
    assert_eq!(field::longest([value, b"x"]), seconds);

    if let Some(date) = http_date::parse(value, now) {
        let ahead = date.checked_sub(now).filter(|wait| !wait.is_zero());
        assert_eq!(wait, ahead.or(seconds), "{value:?} at {now:?}");
    }
    agree(value, now);
}

/// Whole seconds, by way of text.
fn digits(value: &[u8]) -> Option<Duration> {
    let text = from_utf8(value).ok().filter(|text| text.len() <= field::MAX_LEN)?;
    let text = text.trim_matches([' ', '\t']);
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // Digits can fail to be a number only by being too large a one.
    let seconds = text.parse().unwrap_or(u64::MAX);
    (seconds != 0).then(|| Duration::from_secs(seconds))
}

/// Whatever another parser reads is read alike, but for what the two define differently.
fn agree(value: &[u8], now: Duration) {
    let Ok(text) = from_utf8(value) else { return };
    let is_two_digit_year = text.contains('-');
    let is_leap_second = text.contains(":60");
    if is_two_digit_year || is_leap_second {
        return;
    }
    let theirs = httpdate::parse_http_date(text).ok();
    let theirs = theirs.and_then(|date| date.duration_since(UNIX_EPOCH).ok());
    let ours = http_date::parse(value, now);
    if let (Some(theirs), Some(ours)) = (theirs, ours) {
        assert_eq!(ours, theirs, "{text:?}");
    }
}
