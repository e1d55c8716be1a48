//! Durations as text.

mod support;

use std::time::Duration;

use proptest::prelude::*;
use retry_core::duration_text::{DurationText, display, parse};
use support::{ms, secs};

#[test]
fn each_unit_is_read_and_the_longest_exact_one_is_written() {
    let pairs = [
        ("0s", Duration::ZERO),
        ("1ns", Duration::from_nanos(1)),
        ("999ns", Duration::from_nanos(999)),
        ("1us", Duration::from_micros(1)),
        ("250ms", ms(250)),
        ("1500ms", ms(1_500)),
        ("10s", secs(10)),
        ("90s", secs(90)),
        ("2m", secs(120)),
        ("1h", secs(3_600)),
        ("25h", secs(90_000)),
        ("18446744073709551615s", secs(u64::MAX)),
        ("unlimited", Duration::MAX),
    ];
    for (text, duration) in pairs {
        assert_eq!(parse(text), Ok(duration), "{text}");
        assert_eq!(display(duration).to_string(), text);
    }
}

#[test]
fn other_spellings_of_the_same_duration_are_read() {
    assert_eq!(parse("0ns"), Ok(Duration::ZERO));
    assert_eq!(parse("0h"), Ok(Duration::ZERO));
    assert_eq!(parse("60s"), parse("1m"));
    assert_eq!(parse("007s"), Ok(secs(7)));
    assert_eq!(parse("1000000000ns"), Ok(secs(1)));
}

#[test]
fn what_is_no_duration_is_refused() {
    let texts = [
        "",
        " ",
        "5",
        "s",
        "ms",
        "-5s",
        "+5s",
        "5 s",
        " 5s",
        "5s ",
        "1.5s",
        "1e3s",
        "5S",
        "5sec",
        "5min",
        "5d",
        "1m30s",
        "5µs",
        "٥s",
        "0x5s",
        "5ss",
        "Unlimited",
        "unlimited ",
        "inf",
        "18446744073709551616s",
        "5124095576030432h",
        "340282366920938463463374607431768211456ns",
        "99999999999999999999999999999999999999999ns",
    ];
    for text in texts {
        assert!(parse(text).is_err(), "{text:?}");
    }
}

#[test]
fn the_longest_that_fits_is_read_in_each_unit() {
    assert_eq!(parse("5124095576030431h"), Ok(secs(5_124_095_576_030_431 * 3_600)));
    let longest = Duration::new(u64::MAX, 999_999_998);
    assert_eq!(parse(&display(longest).to_string()), Ok(longest));
}

#[test]
fn an_error_says_what_would_be_right() {
    let text = parse("soon").unwrap_err().to_string();
    assert_eq!(
        text,
        "not a duration such as `250ms` or `10s` (units: ns, us, ms, s, m, h), or `unlimited`"
    );
}

proptest! {
    // Kills: a unit with a wrong length, a rest lost in the conversion.
    #[test]
    fn what_is_written_is_read_back(seconds: u64, nanos in 0..1_000_000_000_u32) {
        for duration in [Duration::new(seconds, nanos), Duration::new(seconds % 100, nanos)] {
            let text = DurationText::from(duration);
            prop_assert_eq!(text.to_string().parse(), Ok(text));
            prop_assert_eq!(Duration::from(text), duration);
        }
    }

    #[test]
    fn any_text_is_an_answer(text: String) {
        let _ = parse(&text);
    }
}
