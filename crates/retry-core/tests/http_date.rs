//! The date forms of RFC 9110, against tables, a calendar of our own and another parser.

#![cfg(feature = "http-date")]

mod support;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use proptest::prelude::*;
use retry_core::{http_date, retry_after};
use support::secs;

/// Sun, 06 Nov 1994 08:49:37 GMT
const NOW: Duration = secs(784_111_777);

fn at(value: &str, now: u64) -> Option<u64> {
    http_date::parse(value.as_bytes(), secs(now)).map(|date| date.as_secs())
}

#[test]
fn dates_from_the_field_are_read() {
    let dates = [
        ("Fri, 31 Dec 1999 23:59:59 GMT", 946_684_799),
        ("Fri, 31 Dec 1999 23:59:00 GMT", 946_684_740),
        ("Mon, 03 Jun 2019 11:30:12 GMT", 1_559_561_412),
        ("Mon Jun  3 11:30:12 2019", 1_559_561_412),
        ("Mon, 05 Aug 2019 09:27:05 GMT", 1_564_997_225),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777),
        ("Sun Nov 06 08:49:37 1994", 784_111_777),
        ("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800),
        ("Tue, 19 Jan 2038 03:14:08 GMT", 2_147_483_648),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
    ];
    for (value, seconds) in dates {
        assert_eq!(at(value, NOW.as_secs()), Some(seconds), "{value}");
    }
    assert_eq!(at("Monday, 03-Jun-19 11:30:12 GMT", 1_559_559_600), Some(1_559_561_412));
}

#[test]
fn a_leap_second_is_the_second_after() {
    assert_eq!(at("Sat, 31 Dec 2016 23:59:60 GMT", 0), Some(1_483_228_800));
    assert_eq!(at("Sat, 31 Dec 2016 23:59:61 GMT", 0), None);
}

#[test]
fn what_is_no_date_is_left() {
    let values = [
        "Fri, 32 Dec 1999 23:59:59 GMT",
        "Fri, 00 Dec 1999 23:59:59 GMT",
        "Mon, 3 Jun 2019 12:00:00 UTC",
        "Mon, 3 Jun 2019 12:00:00 GMT",
        "Wed, 29 Feb 2023 00:00:00 GMT",
        "Mon, 29 Feb 2100 00:00:00 GMT",
        "Sun Nov 06 1994 08:49:37 GMT",
        "Sun, 32 Dec 2030 25:99:99 GMT",
        "Sun Nov 10 08*00:00 2000",
        "Sunday, 06-Nov-94 08+49:37 GMT",
        "Sun Nov 10 08:00:00 1000",
        "Sun, 31 Feb 1994 08:49:57 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:60:00 GMT",
        "Sun, 06 Nov 1994 08:49:57 PST",
        "Sun, 06 Nov 1994 08:49:57 gmt",
        "sun, 06 Nov 1994 08:49:57 GMT",
        "Sun, 06 NOV 1994 08:49:57 GMT",
        "Sun, 06 Nov 1994 08:49:57 GMT ",
        "Sun, 06 Nov 1994 08:49:57",
        "Sun, 06 Xxx 1994 08:49:57 GMT",
        "Sun , 06 Nov 1994 08:49:57 GMT",
        "Sunday, 06 Nov 1994 08:49:57 GMT",
        "Sun, 06-Nov-94 08:49:37 GMT",
        "Sunday, 6-Nov-94 08:49:37 GMT",
        "Wed, 31 Dec 1969 23:59:59 GMT",
        "Sun, \u{0661}\u{0661} Nov 1994 08:49:57 GMT",
        ",",
        "",
    ];
    for value in values {
        assert_eq!(at(value, NOW.as_secs()), None, "{value}");
    }
}

/// A weekday that the date does not fall on shows that something is wrong with it.
#[test]
fn only_one_of_seven_weekdays_fits() {
    let days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
    for day in days {
        let fits = (day == "Sunday").then_some(NOW.as_secs());
        let short = &day[..3];
        assert_eq!(at(&format!("{short}, 06 Nov 1994 08:49:37 GMT"), 0), fits);
        assert_eq!(at(&format!("{short} Nov  6 08:49:37 1994"), 0), fits);
        assert_eq!(at(&format!("{day}, 06-Nov-94 08:49:37 GMT"), NOW.as_secs()), fits);
    }
}

/// A two-digit year is within fifty years from now, to the second.
#[test]
fn a_two_digit_year_is_never_more_than_fifty_years_ahead() {
    // Mon, 15 Jun 2020 12:00:00 GMT
    let now = 1_592_222_400;
    let dates = [
        // 49 years ahead, 50 to the second, 50 and a second: that is the past century.
        ("Saturday, 15-Jun-69 12:00:00 GMT", Some(3_138_523_200)),
        ("Sunday, 15-Jun-70 12:00:00 GMT", Some(3_170_059_200)),
        ("Monday, 15-Jun-70 12:00:01 GMT", Some(14_299_201)),
        ("Wednesday, 15-Jul-70 12:00:00 GMT", Some(16_891_200)),
        ("Tuesday, 15-Jun-71 12:00:00 GMT", Some(45_835_200)),
        // The last century of the window, and before the epoch.
        ("Tuesday, 15-Jun-99 12:00:00 GMT", Some(929_448_000)),
        ("Monday, 15-Jun-20 12:00:00 GMT", Some(1_592_222_400)),
    ];
    for (value, expected) in dates {
        assert_eq!(at(value, now), expected, "{value}");
    }
    // On the first day of 2025 it is 2025, and fifty years ahead is 2075.
    assert_eq!(at("Tuesday, 01-Jan-75 00:00:00 GMT", 1_735_689_600), Some(3_313_526_400));
    // From 1994, the year 60 is 1960: a date, but before the epoch.
    assert_eq!(at("Sunday, 06-Nov-60 08:49:37 GMT", NOW.as_secs()), None);
    // From 1999, the years 00 to 48 are of the next century.
    assert_eq!(at("Saturday, 01-Jan-00 00:00:00 GMT", 946_684_799), Some(946_684_800));
}

#[test]
fn a_clock_far_in_the_future_reads_dates_without_a_panic() {
    for now in [253_402_300_799, 253_402_300_800, u64::MAX] {
        assert_eq!(at("Sun, 06 Nov 1994 08:49:37 GMT", now), Some(784_111_777));
        // The year 10000 cannot be written with four digits, nor meant with two.
        assert_eq!(at("Saturday, 01-Jan-00 00:00:00 GMT", now), None);
        // Which century a two-digit year is in then does not matter, only that an answer comes.
        let _ = at("Sunday, 06-Nov-94 08:49:37 GMT", now);
    }
}

#[test]
fn a_wait_is_measured_by_the_servers_own_clock() {
    let date: &[u8] = b"Sun, 06 Nov 1994 08:49:37 GMT";
    let value = b"Sun, 06 Nov 1994 08:49:57 GMT";
    // Our clock is ten minutes ahead of the server's.
    let clock = NOW + secs(600);
    assert_eq!(retry_after::parse_at(value, clock), None);
    let now = http_date::server_time(Some(date), clock);
    assert_eq!(retry_after::parse_at(value, now), Some(secs(20)));
    assert_eq!(http_date::server_time(Some(b"soon"), clock), clock);
}

#[test]
fn a_date_that_is_not_ahead_is_no_wait() {
    let value = b"Sun, 06 Nov 1994 08:49:37 GMT";
    assert_eq!(retry_after::parse_at(value, NOW), None);
    assert_eq!(retry_after::parse_at(value, NOW + secs(1)), None);
    assert_eq!(retry_after::parse_at(value, NOW - secs(1)), Some(secs(1)));
    let half = Duration::from_millis(500);
    assert_eq!(retry_after::parse_at(value, NOW - half), Some(half));
    assert_eq!(retry_after::parse_at(b" 7 ", NOW), Some(secs(7)));
}

#[test]
fn the_longest_of_several_lines_may_be_a_date() {
    let lines: [&[u8]; 3] = [b"5", b"Sun, 06 Nov 1994 08:49:57 GMT", b"7"];
    assert_eq!(retry_after::longest_at(lines, NOW), Some(secs(20)));
    assert_eq!(retry_after::longest(lines), Some(secs(7)));
    assert_eq!(retry_after::longest_at([&b"0"[..]; 2], NOW), None);
    // An iterator without an end ends.
    assert_eq!(retry_after::longest_at(std::iter::repeat(&b"4"[..]), NOW), Some(secs(4)));
}

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];

/// Every day of a whole cycle of the calendar, written day after day without arithmetic.
#[test]
fn every_day_of_four_centuries_is_read_back() {
    let (mut year, mut month, mut day) = (1970, 0, 1);
    for number in 0..146_097_u64 {
        let weekday = WEEKDAYS[usize::try_from(number % 7).unwrap()];
        let name = MONTHS[month];
        let expected = Some(number * 86_400 + 45_296);
        let fixdate = format!("{weekday}, {day:02} {name} {year} 12:34:56 GMT");
        assert_eq!(at(&fixdate, 0), expected, "{fixdate}");
        let asctime = format!("{weekday} {name} {day:2} 12:34:56 {year}");
        assert_eq!(at(&asctime, 0), expected, "{asctime}");

        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let length = match month {
            1 if leap => 29,
            1 => 28,
            3 | 5 | 8 | 10 => 30,
            _ => 31,
        };
        day += 1;
        if length < day {
            (day, month) = (1, month + 1);
        }
        if month == 12 {
            (month, year) = (0, year + 1);
        }
    }
    assert_eq!((year, month, day), (2370, 0, 1));
}

fn another_parser(value: &str) -> Option<u64> {
    let date: SystemTime = httpdate::parse_http_date(value).ok()?;
    date.duration_since(UNIX_EPOCH).ok().map(|date| date.as_secs())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    // Dates of any time, with one byte changed or not: the two parsers agree except for
    // leap seconds and two-digit years, where the other one knows no `now`.
    #[test]
    fn another_parser_agrees(
        seconds in 0..253_402_300_800_u64,
        place in 0..40_usize,
        byte in prop_oneof![Just(None), any::<u8>().prop_map(Some)],
        form in 0..2_u8,
    ) {
        let date = UNIX_EPOCH + secs(seconds);
        let fixdate = httpdate::fmt_http_date(date);
        let mut value = match form {
            0 => fixdate,
            _ => format!(
                "{} {} {} {} {}",
                &fixdate[..3], &fixdate[8..11], &fixdate[5..7], &fixdate[17..25], &fixdate[12..16],
            ),
        }
        .into_bytes();
        if let Some(byte) = byte && place < value.len() {
            value[place] = byte;
        }
        let Ok(value) = String::from_utf8(value) else { return Ok(()) };
        prop_assume!(!value.contains(":60"));
        prop_assert_eq!(at(&value, 0), another_parser(&value), "{}", value);
    }

    #[test]
    fn no_bytes_make_it_fail(value in proptest::collection::vec(any::<u8>(), 0..60), now: u64) {
        let _ = http_date::parse(&value, secs(now));
        let _ = retry_after::parse_at(&value, secs(now));
    }
}
