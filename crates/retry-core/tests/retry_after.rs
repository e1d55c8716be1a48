//! What a `Retry-After` value yields, from `vectors/retry_after.json` and on any bytes.

mod support;

use std::time::Duration;

use proptest::prelude::*;
use retry_core::retry_after::{self, MAX_LEN, MAX_LINES};
use retry_core::{Backoff, Failure, Jitter, Policy};
use serde_json::Value;
use support::{cases, secs, wait};

const VECTORS: &str = include_str!("vectors/retry_after.json");

/// A cap above every number in the table, so that only `max` reaches it.
const CAP: Duration = secs(86_400);

fn expected(value: &Value) -> Option<Duration> {
    match value {
        Value::Null => None,
        Value::Number(seconds) => seconds.as_u64().map(Duration::from_secs),
        Value::String(max) if max == "max" => Some(CAP),
        other => panic!("unknown expectation {other}"),
    }
}

#[test]
fn every_row_holds_without_dates() {
    let cases = cases(VECTORS);
    assert_eq!(cases.len(), 30);
    for case in cases {
        let value = case["value"].as_str().unwrap();
        let parsed = retry_after::parse(value.as_bytes()).map(|wait| wait.min(CAP));
        assert_eq!(parsed, expected(&case["seconds"]), "{value:?}");
    }
}

#[cfg(feature = "http-date")]
#[test]
fn every_row_holds_with_dates() {
    // Sun, 06 Nov 1994 08:49:37 GMT
    let now = secs(784_111_777);
    for case in cases(VECTORS) {
        let value = case["value"].as_str().unwrap();
        let parsed = retry_after::parse_at(value.as_bytes(), now).map(|wait| wait.min(CAP));
        assert_eq!(parsed, expected(&case["date_delta"]), "{value:?}");
    }
}

/// Values that clients in the field were given: what is usable, in seconds.
#[test]
fn values_from_the_field_are_read_or_left() {
    let usable: [(&[u8], u64); 12] = [
        (b"120", 120),
        (b"2", 2),
        (b"1000", 1_000),
        (b"\t42 ", 42),
        (b"  \t 7\t\t", 7),
        (b"1700000000", 1_700_000_000),
        (b"9999999999", 9_999_999_999),
        (b"9223372036", 9_223_372_036),
        (b"9223372037", 9_223_372_037),
        (b"9223372036854775807", 9_223_372_036_854_775_807),
        (b"18446744073709551615", u64::MAX),
        (b"18446744073709551616", u64::MAX),
    ];
    for (value, seconds) in usable {
        assert_eq!(retry_after::parse(value), Some(secs(seconds)), "{value:?}");
    }
    let unusable: [&[u8]; 26] = [
        b"",
        b" ",
        b"\t",
        b"0",
        b"00",
        b"-1",
        b"-2",
        b"+1",
        b"1.0",
        b"1.5",
        b"1e3",
        b"0x10",
        b"\xB2",
        b"5;x",
        b"1m0s",
        b"nan",
        b"inf",
        b"2814, 2",
        b"2, 3",
        b"\xFF\xFE",
        b"5\0",
        b"5\n",
        b"\r5",
        b"1 2",
        b"badbadbad",
        b"5\x0b",
    ];
    for value in unusable {
        assert_eq!(retry_after::parse(value), None, "{value:?}");
    }
}

/// Both are public promises.
#[test]
fn the_bounds_are_sixteen_kibibytes_and_thirty_two_lines() {
    assert_eq!((MAX_LEN, MAX_LINES), (16_384, 32));
}

#[test]
fn digits_without_end_saturate_up_to_the_bound_and_are_left_beyond_it() {
    let nines = vec![b'9'; 64 * 1024];
    assert_eq!(retry_after::parse(&nines[..10_000]), Some(secs(u64::MAX)));
    assert_eq!(retry_after::parse(&nines[..MAX_LEN]), Some(secs(u64::MAX)));
    assert_eq!(retry_after::parse(&nines[..=MAX_LEN]), None);
    assert_eq!(retry_after::parse(&nines), None);
    let mut late_letter = nines[..MAX_LEN].to_vec();
    late_letter[MAX_LEN - 1] = b'x';
    assert_eq!(retry_after::parse(&late_letter), None);
    let mut padded = vec![b' '; MAX_LEN];
    padded[MAX_LEN / 2] = b'7';
    assert_eq!(retry_after::parse(&padded), Some(secs(7)));
}

#[test]
fn the_longest_usable_of_several_lines_counts() {
    let longest =
        |lines: &[&'static str]| retry_after::longest(lines.iter().map(|line| line.as_bytes()));
    assert_eq!(longest(&["2", "3"]), Some(secs(3)));
    assert_eq!(longest(&["3", "2"]), Some(secs(3)));
    assert_eq!(longest(&["soon", "2", ""]), Some(secs(2)));
    assert_eq!(longest(&["", "0", "-1"]), None);
    assert_eq!(longest(&[]), None);
}

#[test]
fn only_the_first_lines_are_looked_at() {
    let lines = |count: usize| (1..=count).map(move |line| if line == count { "9" } else { "1" });
    let longest = |count| retry_after::longest(lines(count).map(str::as_bytes));
    assert_eq!(longest(MAX_LINES), Some(secs(9)));
    assert_eq!(longest(MAX_LINES + 1), Some(secs(1)));
    // An iterator without an end ends.
    assert_eq!(retry_after::longest(std::iter::repeat(&b"4"[..])), Some(secs(4)));
}

/// By the grammar: OWS, digits, OWS, read as a number of any size.
fn by_the_grammar(value: &[u8]) -> Option<u128> {
    let text = std::str::from_utf8(value).ok()?.trim_matches([' ', '\t']);
    let digits = !text.is_empty() && text.chars().all(|char| char.is_ascii_digit());
    let number = digits.then(|| text.parse().unwrap_or(u128::MAX))?;
    (number != 0).then(|| number.min(u64::MAX.into()))
}

fn agrees(value: &[u8]) -> bool {
    retry_after::parse(value).map(|wait| wait.as_nanos() / 1_000_000_000) == by_the_grammar(value)
}

/// All values of up to two bytes, and of three over the bytes that mean something.
#[test]
fn every_short_value_is_read_by_the_grammar() {
    assert!(agrees(b""));
    for first in 0..=u8::MAX {
        assert!(agrees(&[first]), "{first}");
        for second in 0..=u8::MAX {
            assert!(agrees(&[first, second]), "{first} {second}");
        }
    }
    let telling = b"\t\n 019+-.,;:eEx/\x00\x7f\x80\xff";
    for first in telling {
        for second in telling {
            for third in telling {
                assert!(agrees(&[*first, *second, *third]), "{first} {second} {third}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    // Kills: a byte class widened or narrowed, saturation lost, trimming on one side only.
    #[test]
    fn any_bytes_are_read_by_the_grammar(value in "[ \t]{0,3}[0-9]{0,24}[ \t,.x\u{660}-\u{669}-]{0,3}") {
        prop_assert!(agrees(value.as_bytes()));
    }

    // Kills: a hint that shortens the wait to less than the floor, or lengthens it past
    // the cap, whatever a header says.
    #[test]
    fn no_header_makes_a_client_spin_or_sleep_forever(
        value in prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..40),
            "[0-9]{1,24}".prop_map(String::into_bytes),
        ],
        retry in 0..40_u32,
        jitter in prop_oneof![
            Just(Jitter::None), Just(Jitter::Full), Just(Jitter::Equal),
            Just(Jitter::Decorrelated), Just(Jitter::Spread(25)),
        ],
        bits: u64,
    ) {
        let backoff = Backoff::exponential(support::ms(250)).with_cap(secs(10));
        let policy = Policy::new(backoff).with_jitter(jitter).unbounded();
        let failure = Failure::transient().with_hint(retry_after::parse(&value));
        let after = wait(&policy, retry, failure, bits);
        prop_assert!(policy.floor() <= after && after <= secs(10));
    }
}
