use ciborium::Value as Cbor;
use proptest::prelude::*;
use serde_json::json;
use vantage_types::json_to_cbor;

use super::{exact, number, parse};

fn text(digits: &str) -> Cbor {
    Cbor::Text(digits.to_owned())
}

#[test]
fn a_number_that_fits_is_a_number() {
    for (spelled, value) in [
        ("0", Cbor::Integer(0.into())),
        ("-7", Cbor::Integer((-7).into())),
        ("18446744073709551615", Cbor::Integer(u64::MAX.into())),
        ("-9223372036854775808", Cbor::Integer(i64::MIN.into())),
        ("19.99", Cbor::Float(19.99)),
        ("0.30000000000000004", Cbor::Float(0.1 + 0.2)),
        ("1.0", Cbor::Float(1.0)),
        ("1e2", Cbor::Float(100.0)),
        ("1.7976931348623157e308", Cbor::Float(f64::MAX)),
        ("100000000000000000000000", Cbor::Float(1e23)),
        ("-0.0", Cbor::Float(-0.0)),
    ] {
        assert_eq!(parse(spelled.as_bytes()).unwrap(), value, "{spelled}");
    }
}

#[test]
fn a_number_that_does_not_fit_keeps_its_digits() {
    for spelled in [
        "18446744073709551616",
        "-9223372036854775809",
        "12345678901234567890123",
        "0.1234567890123456789",
        "123456789.123456789123",
        "1e400",
        "-1e-400",
        "9007199254740993.0",
        "1e99999999999999999999",
    ] {
        assert_eq!(parse(spelled.as_bytes()).unwrap(), text(spelled), "{spelled}");
    }
}

#[test]
fn digits_survive_at_any_depth() {
    let body = br#"{"data":[{"id":1,"price":{"amount":1.2345678901234567890,"x":[0.5]}}]}"#;
    let expected = Cbor::Map(vec![(
        text("data"),
        Cbor::Array(vec![Cbor::Map(vec![
            (text("id"), Cbor::Integer(1.into())),
            (
                text("price"),
                Cbor::Map(vec![
                    (text("amount"), text("1.2345678901234567890")),
                    (text("x"), Cbor::Array(vec![Cbor::Float(0.5)])),
                ]),
            ),
        ])]),
    )]);
    assert_eq!(parse(body).unwrap(), expected);
}

#[test]
fn of_repeated_keys_the_last_value_counts() {
    let expected = json_to_cbor(json!({"a": 3, "b": 2}));
    assert_eq!(parse(br#"{"a":1,"b":2,"a":3}"#).unwrap(), expected);
    assert_eq!(parse(br#"{"a":12345678901234567890,"b":2,"a":3}"#).unwrap(), expected);
}

#[test]
fn a_byte_order_mark_is_skipped() {
    assert_eq!(parse(b"\xef\xbb\xbf[1]").unwrap(), json_to_cbor(json!([1])));
}

#[test]
fn hostile_bodies_are_errors() {
    let deep = "[".repeat(100_000);
    let deep_and_long = format!("{}1234567890123456789012{}", "[".repeat(5_000), "]".repeat(5_000));
    for body in [
        "".as_bytes(),
        b" ",
        b"<html>",
        b"{\"data\":[{\"id\":1}",
        b"[1]2",
        b"\"\xff\"",
        b"[1,]",
        b"01",
        b"NaN",
        deep.as_bytes(),
        deep_and_long.as_bytes(),
    ] {
        assert!(parse(body).is_err(), "{:?}", String::from_utf8_lossy(body));
    }
}

fn json_value() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(|b| json!(b)),
        any::<i64>().prop_map(|n| json!(n)),
        any::<u64>().prop_map(|n| json!(n)),
        any::<f64>().prop_map(|n| json!(n)),
        ".{0,12}".prop_map(|s| json!(s)),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(serde_json::Value::Array),
            proptest::collection::vec((".{0,6}", inner), 0..6)
                .prop_map(|entries| serde_json::Value::Object(entries.into_iter().collect())),
        ]
    })
}

proptest! {
    // What serde_json can print, a double or an integer can carry, so reading
    // it back by either route is the framework's own conversion.
    #[test]
    fn agrees_with_the_frameworks_conversion(value in json_value()) {
        let printed = value.to_string();
        prop_assert_eq!(parse(printed.as_bytes()).unwrap(), json_to_cbor(value.clone()));
        let raw = serde_json::from_str(&printed).unwrap();
        prop_assert_eq!(exact(raw, 0).unwrap(), json_to_cbor(value));
    }

    #[test]
    fn a_number_is_exactly_what_the_text_says(
        sign in "-?", whole in "0|[1-9][0-9]{0,24}", fraction in "(\\.[0-9]{1,24})?",
    ) {
        let spelled = format!("{sign}{whole}{fraction}");
        let shown = match number(&spelled) {
            Cbor::Text(digits) => digits,
            Cbor::Integer(n) => i128::from(n).to_string(),
            Cbor::Float(n) => format!("{n}"),
            other => panic!("{other:?}"),
        };
        let plain = |text: &str| {
            let text = text.strip_prefix('-').unwrap_or(text).to_owned();
            if text.contains('.') {
                text.trim_end_matches('0').trim_end_matches('.').to_owned()
            } else {
                text
            }
        };
        prop_assert_eq!(plain(&shown), plain(&spelled));
    }

    #[test]
    fn never_panics(body in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse(&body);
    }

    #[test]
    fn never_panics_near_json(body in r#"[\[\]{}:,"0-9eE+.\-tfn a\\u]{0,60}"#) {
        let _ = parse(body.as_bytes());
    }
}
