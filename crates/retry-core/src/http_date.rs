//! The three date forms of HTTP
//! ([RFC 9110, section 5.6.7](https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7)).
//!
//! Times are durations since the Unix epoch, in UTC. Nothing here reads a clock.

use core::time::Duration;

const SECONDS_PER_DAY: u64 = 86_400;
const DAYS: [&[u8]; 7] =
    [b"Monday", b"Tuesday", b"Wednesday", b"Thursday", b"Friday", b"Saturday", b"Sunday"];
const MONTHS: [&[u8; 3]; 12] = [
    b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec",
];

/// Reads a date in any of the three forms.
///
/// `now` decides the century of a two-digit year: a date that would lie more than 50 years
/// ahead is in the past century. Leap seconds are accepted and count as the second after.
///
/// `None` for anything else: another time zone, a day that the month does not have, a
/// weekday that the date does not fall on, a date before 1970.
///
/// # Examples
///
/// ```
/// use core::time::Duration;
/// use retry_core::http_date;
///
/// let now = Duration::from_secs(784_111_777);
/// for form in
///     ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"]
/// {
///     assert_eq!(http_date::parse(form.as_bytes(), now), Some(now));
/// }
/// assert_eq!(http_date::parse(b"Sun, 06 Nov 1994 08:49:37 PST", now), None);
/// ```
#[must_use]
pub fn parse(value: &[u8], now: Duration) -> Option<Duration> {
    let fields = imf_fixdate(value).or_else(|| rfc850(value, now)).or_else(|| asctime(value))?;
    fields.since_epoch()
}

/// The time by the server's clock: its response's own `Date` if there is a usable one,
/// else the caller's `clock`.
///
/// A date in `Retry-After` is meant by the server's clock; measured against its own `Date`,
/// the difference of the two clocks does not matter.
///
/// # Examples
///
/// ```
/// use core::time::Duration;
/// use retry_core::http_date;
///
/// let clock = Duration::from_secs(784_112_000);
/// let date: &[u8] = b"Sun, 06 Nov 1994 08:49:37 GMT";
/// assert_eq!(http_date::server_time(Some(date), clock), Duration::from_secs(784_111_777));
/// assert_eq!(http_date::server_time(None, clock), clock);
/// ```
#[must_use]
pub fn server_time(date: Option<&[u8]>, clock: Duration) -> Duration {
    date.and_then(|date| parse(date, clock)).unwrap_or(clock)
}

struct Fields {
    /// Monday is 0.
    weekday: u64,
    year: u64,
    /// January is 1.
    month: u64,
    day: u64,
    seconds_of_day: u64,
}

impl Fields {
    /// The time, if there is such a date and it falls on that weekday.
    fn since_epoch(&self) -> Option<Duration> {
        let Self { weekday, year, month, day, .. } = *self;
        let exists = (1970..=9_999).contains(&year) && 1 <= day && day <= days_in(year, month);
        // 1970-01-01 was a Thursday.
        (exists && (self.days_since_epoch() + 3) % 7 == weekday)
            .then(|| Duration::from_secs(self.seconds_since_epoch()))
    }

    fn seconds_since_epoch(&self) -> u64 {
        self.days_since_epoch() * SECONDS_PER_DAY + self.seconds_of_day
    }

    fn days_since_epoch(&self) -> u64 {
        let months: u64 = (1..self.month).map(|month| days_in(self.year, month)).sum();
        // Day 0 of January 1970 is no date, but must not underflow either.
        (days_before(self.year) + months + self.day).saturating_sub(1)
    }
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`
fn imf_fixdate(value: &[u8]) -> Option<Fields> {
    let [
        w0,
        w1,
        w2,
        b',',
        b' ',
        d0,
        d1,
        b' ',
        m0,
        m1,
        m2,
        b' ',
        y0,
        y1,
        y2,
        y3,
        b' ',
        time @ ..,
        b' ',
        b'G',
        b'M',
        b'T',
    ] = value
    else {
        return None;
    };
    Some(Fields {
        weekday: short_weekday(&[*w0, *w1, *w2])?,
        year: number(&[*y0, *y1, *y2, *y3])?,
        month: month(&[*m0, *m1, *m2])?,
        day: number(&[*d0, *d1])?,
        seconds_of_day: time_of_day(time)?,
    })
}

/// `Sunday, 06-Nov-94 08:49:37 GMT`
fn rfc850(value: &[u8], now: Duration) -> Option<Fields> {
    let comma = value.iter().position(|byte| *byte == b',')?;
    let (name, rest) = value.split_at_checked(comma)?;
    let [
        b',',
        b' ',
        d0,
        d1,
        b'-',
        m0,
        m1,
        m2,
        b'-',
        y0,
        y1,
        b' ',
        time @ ..,
        b' ',
        b'G',
        b'M',
        b'T',
    ] = rest
    else {
        return None;
    };
    let mut fields = Fields {
        weekday: weekday(|day| day == name)?,
        year: 0,
        month: month(&[*m0, *m1, *m2])?,
        day: number(&[*d0, *d1])?,
        seconds_of_day: time_of_day(time)?,
    };
    // The year with these two digits from 49 before this one to 50 after it.
    let this_year = year_of(now);
    let year = this_year - this_year % 100 + number(&[*y0, *y1])?;
    fields.year = match year {
        _ if this_year + 50 < year => year - 100,
        _ if year + 50 <= this_year => year + 100,
        _ => year,
    };
    // Fifty years ahead to the year: is it more to the second?
    if fields.year == this_year + 50 {
        let this_time = Fields { year: this_year, ..fields };
        if now < Duration::from_secs(this_time.seconds_since_epoch()) {
            fields.year -= 100;
        }
    }
    Some(fields)
}

/// `Sun Nov  6 08:49:37 1994`
fn asctime(value: &[u8]) -> Option<Fields> {
    let [w0, w1, w2, b' ', m0, m1, m2, b' ', d0, d1, b' ', time @ .., b' ', y0, y1, y2, y3] = value
    else {
        return None;
    };
    let tens = if *d0 == b' ' { b'0' } else { *d0 };
    Some(Fields {
        weekday: short_weekday(&[*w0, *w1, *w2])?,
        year: number(&[*y0, *y1, *y2, *y3])?,
        month: month(&[*m0, *m1, *m2])?,
        day: number(&[tens, *d1])?,
        seconds_of_day: time_of_day(time)?,
    })
}

/// `08:49:37`; a leap second is 60.
fn time_of_day(value: &[u8]) -> Option<u64> {
    let [h0, h1, b':', m0, m1, b':', s0, s1] = value else {
        return None;
    };
    let (hour, minute, second) = (number(&[*h0, *h1])?, number(&[*m0, *m1])?, number(&[*s0, *s1])?);
    (hour < 24 && minute < 60 && second <= 60).then_some(hour * 3_600 + minute * 60 + second)
}

/// ASCII digits only.
fn number(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0, |number, byte| {
        let digit = byte.wrapping_sub(b'0');
        (digit <= 9).then_some(number * 10 + u64::from(digit))
    })
}

fn month(name: &[u8; 3]) -> Option<u64> {
    MONTHS.iter().zip(1..).find_map(|(month, number)| (*month == name).then_some(number))
}

fn short_weekday(name: &[u8; 3]) -> Option<u64> {
    weekday(|day| day.starts_with(name))
}

fn weekday(is_it: impl Fn(&[u8]) -> bool) -> Option<u64> {
    DAYS.iter().zip(0..).find_map(|(day, number)| is_it(day).then_some(number))
}

/// The Gregorian year of a time, to the day.
fn year_of(now: Duration) -> u64 {
    let days = now.as_secs() / SECONDS_PER_DAY;
    // No later year can be written down, so none needs to be told apart.
    let mut year = (1970 + days / 366).min(9_999);
    while year < 9_999 && days_before(year + 1) <= days {
        year += 1;
    }
    year
}

/// From the epoch to the first day of the year, which is 1970 or later.
const fn days_before(year: u64) -> u64 {
    const LEAP_DAYS_BEFORE_1970: u64 = 477;
    let years = year - 1;
    (year - 1970) * 365 + years / 4 - years / 100 + years / 400 - LEAP_DAYS_BEFORE_1970
}

const fn days_in(year: u64, month: u64) -> u64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

const fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}
