//! Policies as configuration.

#![cfg(feature = "serde")]

mod support;

use std::num::NonZeroU32;
use std::time::Duration;

use retry_core::{Backoff, InvalidConfig, Jitter, Policy, RetryAfterRule, duration_text};
use serde_json::{from_str, json, to_string};
use support::{ms, secs};

#[test]
fn a_whole_policy_is_read() {
    let policy: Policy = from_str(
        r#"{
            "backoff": { "kind": "exponential", "base": "250ms", "factor": 3, "cap": "10s" },
            "jitter": { "spread": 25 },
            "max_attempts": 5,
            "max_elapsed": "1m",
            "retry_after": { "give_up_above": "2m" },
            "floor": "5ms"
        }"#,
    )
    .unwrap();
    let three = NonZeroU32::new(3).unwrap();
    let expected = Policy::new(Backoff::exponential_with(ms(250), three).with_cap(secs(10)))
        .with_jitter(Jitter::Spread(25))
        .with_max_attempts(NonZeroU32::new(5).unwrap())
        .with_max_elapsed(secs(60))
        .with_retry_after(RetryAfterRule::GiveUpAbove(secs(120)))
        .with_floor(ms(5));
    assert_eq!(policy, expected);
}

#[test]
fn what_is_left_out_has_the_default_of_the_constructors() {
    let policy: Policy = from_str(r#"{"backoff":{"kind":"linear","base":"2s"}}"#).unwrap();
    assert_eq!(policy, Policy::new(Backoff::linear(secs(2))));
}

#[test]
fn every_choice_has_a_name_and_survives_the_round_trip() {
    let backoffs = [
        Backoff::constant(ms(1)),
        Backoff::linear(secs(1)),
        Backoff::exponential(ms(250)).with_cap(Duration::MAX),
        Backoff::fibonacci(secs(1)).with_cap(secs(90)),
    ];
    let jitters =
        [Jitter::None, Jitter::Full, Jitter::Equal, Jitter::Decorrelated, Jitter::Spread(7)];
    let rules = [
        RetryAfterRule::Ignore,
        RetryAfterRule::Clamp,
        RetryAfterRule::Exact,
        RetryAfterRule::GiveUpAbove(secs(3)),
    ];
    for backoff in backoffs {
        for jitter in jitters {
            for rule in rules {
                let policy = Policy::new(backoff)
                    .with_jitter(jitter)
                    .with_retry_after(rule)
                    .with_max_elapsed(secs(77));
                for policy in [policy, policy.unbounded()] {
                    let text = to_string(&policy).unwrap();
                    assert_eq!(from_str::<Policy>(&text).unwrap(), policy, "{text}");
                }
            }
        }
    }
}

#[test]
fn the_written_form_is_this() {
    let policy = Policy::new(Backoff::exponential(ms(1_500))).unbounded();
    let expected = json!({
        "backoff": { "kind": "exponential", "base": "1500ms", "factor": 2, "cap": "1m" },
        "jitter": "full",
        "max_attempts": "unlimited",
        "max_elapsed": "unlimited",
        "retry_after": "clamp",
        "floor": "1ms",
    });
    assert_eq!(serde_json::to_value(policy).unwrap(), expected);
    let constant = serde_json::to_value(Backoff::constant(secs(1))).unwrap();
    assert_eq!(constant, json!({ "kind": "constant", "base": "1s", "cap": "1m" }));
}

#[test]
fn attempts_may_be_text_as_in_an_environment_variable() {
    let read = |attempts: &str| {
        from_str::<Policy>(&format!(
            r#"{{"backoff":{{"kind":"linear","base":"2s"}},"max_attempts":{attempts}}}"#
        ))
        .map(|policy| policy.max_attempts())
    };
    assert_eq!(read("\"7\"").unwrap(), NonZeroU32::new(7));
    assert_eq!(read("\"unlimited\"").unwrap(), None);
    assert_eq!(read("7").unwrap(), NonZeroU32::new(7));
}

/// The message of each refusal names the field, and the value where there is one.
#[test]
fn refusals_name_field_and_value() {
    let backoff = r#""backoff":{"kind":"exponential","base":"250ms","cap":"10s"}"#;
    let refused = [
        (r#"{}"#.to_owned(), &["missing field `backoff`"][..]),
        (format!(r#"{{{backoff},"jiter":"full"}}"#), &["unknown field `jiter`"]),
        (format!(r#"{{{backoff},"jitter":"most"}}"#), &["unknown variant `most`"]),
        (format!(r#"{{{backoff},"max_attempts":0}}"#), &["max_attempts: 0"]),
        (format!(r#"{{{backoff},"max_attempts":-1}}"#), &["max_attempts", "`-1`"]),
        (format!(r#"{{{backoff},"max_attempts":"some"}}"#), &["max_attempts", "\"some\""]),
        (format!(r#"{{{backoff},"max_attempts":4294967296}}"#), &["max_attempts", "4294967296"]),
        (format!(r#"{{{backoff},"max_elapsed":"0s"}}"#), &["max_elapsed: 0"]),
        (format!(r#"{{{backoff},"floor":"0s"}}"#), &["floor: 0"]),
        (format!(r#"{{{backoff},"floor":"11s"}}"#), &["floor: 11s", "10s"]),
        (format!(r#"{{{backoff},"floor":"soon"}}"#), &["\"soon\"", "250ms"]),
        (format!(r#"{{{backoff},"floor":5}}"#), &["`5`", "250ms"]),
    ];
    for (text, parts) in refused {
        let message = from_str::<Policy>(&text).unwrap_err().to_string();
        assert!(parts.iter().all(|part| message.contains(part)), "{message}");
    }
    let refused = [
        (r#"{"base":"1s"}"#, "missing field `kind`"),
        (r#"{"kind":"linear"}"#, "missing field `base`"),
        (r#"{"kind":"cubic","base":"1s"}"#, "unknown variant `cubic`"),
        (r#"{"kind":"linear","base":"1s","cup":"1s"}"#, "unknown field `cup`"),
        (r#"{"kind":"linear","base":"20s","cap":"10s"}"#, "base: 20s is above the cap of 10s"),
        (r#"{"kind":"linear","base":"0s"}"#, "base: 0 is not allowed"),
        (r#"{"kind":"linear","base":"1s","cap":"0s"}"#, "cap: 0 is not allowed"),
        (r#"{"kind":"exponential","base":"1s","factor":0}"#, "factor: 0 is not allowed"),
        (
            r#"{"kind":"linear","base":"1s","factor":3}"#,
            "factor: 3 does not apply to a linear schedule",
        ),
        (
            r#"{"kind":"constant","base":"1s","factor":3}"#,
            "factor: 3 does not apply to a constant schedule",
        ),
        (
            r#"{"kind":"fibonacci","base":"1s","factor":3}"#,
            "factor: 3 does not apply to a fibonacci schedule",
        ),
    ];
    for (text, part) in refused {
        let message = from_str::<Backoff>(text).unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn a_custom_function_is_not_written() {
    let backoff = Backoff::custom(|_| secs(1));
    let message = to_string(&backoff).unwrap_err().to_string();
    assert_eq!(message, "backoff: a custom schedule cannot be serialised");
    assert!(to_string(&Policy::new(backoff)).is_err());
}

/// The checks in code refuse the same things by the same names.
#[test]
fn the_checked_constructors_refuse_what_a_file_may_not_say() {
    let backoff = Backoff::exponential(ms(250)).with_cap(secs(10));
    let field = |policy: Policy| policy.checked().map_err(|error| error.field());
    let policy = Policy::new(backoff);
    assert_eq!(field(policy), Ok(policy));
    assert_eq!(field(policy.with_floor(secs(10))), Ok(policy.with_floor(secs(10))));
    assert_eq!(field(policy.with_floor(secs(11))), Err("floor"));
    assert_eq!(field(policy.with_floor(Duration::ZERO)), Err("floor"));
    assert_eq!(field(policy.with_max_elapsed(Duration::ZERO)), Err("max_elapsed"));
    assert_eq!(field(Policy::new(backoff.with_cap(ms(249)))), Err("base"));
    assert_eq!(field(Policy::new(backoff.with_cap(Duration::ZERO))), Err("cap"));
    assert!(Policy::try_new(backoff.with_cap(ms(250))).is_ok());
    assert!(Policy::try_new(Backoff::custom(|_| secs(99))).is_ok());
    let zero = Backoff::constant(Duration::ZERO);
    assert_eq!(Policy::try_new(zero).map_err(|error| error.field()), Err("base"));
    let by_number = Backoff::try_exponential(ms(250), 2, secs(10));
    assert_eq!(by_number, Ok(backoff));
    let by_zero = Backoff::try_exponential(ms(250), 0, secs(10));
    assert_eq!(by_zero.map_err(|error| error.field()), Err("factor"));
    let not_applicable = InvalidConfig::NotApplicable { field: "factor", value: 3, schedule: "" };
    assert_eq!(not_applicable.field(), "factor");
    assert_eq!(policy.try_with_max_attempts(4), Ok(policy));
}

#[test]
fn a_duration_of_anybodys_settings_is_read_and_written_as_text() {
    let mut written = Vec::new();
    let mut serializer = serde_json::Serializer::new(&mut written);
    duration_text::serialize(&ms(1_500), &mut serializer).unwrap();
    assert_eq!(written, br#""1500ms""#);
    let mut deserializer = serde_json::Deserializer::from_slice(&written);
    assert_eq!(duration_text::deserialize(&mut deserializer).unwrap(), ms(1_500));
}
