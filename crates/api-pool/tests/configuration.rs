//! The same settings mean the same in every format, and what is wrong with them is named.
#![cfg(feature = "serde")]

mod support;

use std::sync::Arc;

use api_pool::config::{PoolConfig, Preset};
use api_pool::testing::{Reply, Script};
use api_pool::{BreakerState, ErrorKind, ResilientClient};
use support::{Recorder, URL, ms, secs, statuses, watched};

const TOML: &str = r#"
preset = "batch"
max_parallel = 3
max_waiting = "unlimited"
max_wait = "1m"
retry_budget = "off"

[retry]
max_retries = 2
base_backoff = "250ms"

[rate]
per_second = 2.5
"#;

const YAML: &str = "
preset: batch
max_parallel: 3
max_waiting: unlimited
max_wait: 1m
request_timeout: ~
retry_budget: off
retry: { max_retries: 2, base_backoff: 250ms }
rate: { per_second: 2.5 }
";

const JSON: &str = r#"{
    "preset": "batch", "max_parallel": 3, "max_waiting": "unlimited", "max_wait": "1m",
    "retry_budget": false, "retry": { "max_retries": 2, "base_backoff": "250ms" },
    "rate": { "per_second": 2.5 }
}"#;

const VARS: [(&str, &str); 9] = [
    ("AIRPORTS_PRESET", "batch"),
    ("AIRPORTS_MAX_PARALLEL", "3"),
    ("AIRPORTS_MAX_WAITING", "unlimited"),
    ("AIRPORTS_MAX_WAIT", "1m"),
    ("AIRPORTS_RETRY_BUDGET", "off"),
    ("AIRPORTS_RETRY__MAX_RETRIES", "2"),
    ("AIRPORTS_RETRY__BASE_BACKOFF", "250ms"),
    ("AIRPORTS_RATE__PER_SECOND", "2.5"),
    ("WEATHER_PRESET", "no such thing"),
];

/// What holds: the preset, and what differs from it.
const EFFECTIVE: &str = concat!(
    r#"{"max_parallel":3,"max_waiting":"unlimited","max_wait":"1m","request_timeout":"2m","#,
    r#""retry":{"max_retries":2,"base_backoff":"250ms","max_backoff":"1m"},"#,
    r#""breaker":{"threshold":10,"cooldown":"10s","max_cooldown":"2m"},"#,
    r#""rate":{"per_second":2.5,"burst":3},"retry_budget":"off"}"#
);

fn json(text: &str) -> Result<PoolConfig, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

#[test]
fn every_format_reads_the_same_settings() {
    let expected = json(JSON).unwrap();
    assert_eq!(toml::from_str::<PoolConfig>(TOML).unwrap(), expected);
    assert_eq!(serde_yaml_ng::from_str::<PoolConfig>(YAML).unwrap(), expected);
    assert_eq!(PoolConfig::from_vars("AIRPORTS_", VARS).unwrap(), expected);
}

#[test]
fn what_is_written_out_is_what_holds_and_reads_back_the_same() {
    let config = json(JSON).unwrap();
    assert_eq!(serde_json::to_string(&config).unwrap(), EFFECTIVE);
    for config in [
        config,
        PoolConfig::default(),
        PoolConfig::preset(Preset::Default),
        PoolConfig::preset(Preset::Gentle),
        PoolConfig::preset(Preset::Batch),
    ] {
        assert_eq!(json(&serde_json::to_string(&config).unwrap()).unwrap(), config);
        let text = toml::to_string(&config).unwrap();
        assert_eq!(toml::from_str::<PoolConfig>(&text).unwrap(), config);
    }
}

#[test]
fn presets_go_by_their_names() {
    for preset in [Preset::Batch, Preset::Default, Preset::Gentle] {
        let named = json(&format!(r#"{{"preset":"{}"}}"#, preset.name())).unwrap();
        assert_eq!(named, PoolConfig::preset(preset));
    }
}

#[test]
fn the_default_preset_is_what_a_builder_does_and_its_breaker() {
    let preset = ResilientClient::builder().configure(&PoolConfig::preset(Preset::Default));
    let plain = ResilientClient::builder().default_breaker();
    assert_eq!(format!("{preset:?}"), format!("{plain:?}"));
}

#[test]
fn a_refusal_names_path_and_value() {
    let cases = [
        (
            r#"{"max_paralel":3}"#,
            "`max_paralel` is not a setting; there are `preset`, `max_parallel`, `max_waiting`, `max_wait`, `request_timeout`, `max_body_bytes`, `retry`, `breaker`, `rate`, `retry_budget`",
        ),
        (
            r#"{"rate":{"per_minute":3}}"#,
            "`rate.per_minute` is not a setting; there are `per_second`, `burst`",
        ),
        (r#"{"preset":"fast"}"#, "`preset` is `fast`, but must be `default`, `gentle` or `batch`"),
        (r#"{"max_parallel":0}"#, "`max_parallel` is `0`, but must be a whole number from 1"),
        (r#"{"max_parallel":-1}"#, "`max_parallel` is `-1`, but must be a whole number from 1"),
        (r#"{"max_parallel":1.5}"#, "`max_parallel` is `1.5`, but must be a whole number from 1"),
        (
            r#"{"max_waiting":""}"#,
            "`max_waiting` is ``, but must be a whole number from 0, or `unlimited`",
        ),
        (
            r#"{"max_wait":10}"#,
            "`max_wait` is `10`, but must be a duration such as `250ms` or `10s`",
        ),
        (
            r#"{"request_timeout":"0s"}"#,
            "`request_timeout` is `0s`, but must be a duration from `1ms`, such as `250ms`",
        ),
        (
            r#"{"max_body_bytes":[1]}"#,
            "`max_body_bytes` is `a list`, but must be a whole number from 1",
        ),
        (
            r#"{"retry":{"max_backoff":"10x"}}"#,
            "`retry.max_backoff` is `10x`, but must be a duration from `1ms`, such as `250ms`",
        ),
        (r#"{"retry":3}"#, "`retry` is `3`, but must be a table or `off`"),
        (
            r#"{"retry":{"base_backoff":"1m"}}"#,
            "`retry.base_backoff` is `1m`, but must be at most `retry.max_backoff`, which is `10s`",
        ),
        (
            r#"{"breaker":{"threshold":0}}"#,
            "`breaker.threshold` is `0`, but must be a whole number from 1 to 4294967295",
        ),
        (
            r#"{"breaker":{"threshold":4294967296}}"#,
            "`breaker.threshold` is `4294967296`, but must be a whole number from 1 to 4294967295",
        ),
        (
            r#"{"breaker":{"cooldown":"2m"}}"#,
            "`breaker.cooldown` is `2m`, but must be at most `breaker.max_cooldown`, which is `1m`",
        ),
        (
            r#"{"rate":{"per_second":0}}"#,
            "`rate.per_second` is `0`, but must be a finite number above 0",
        ),
        (
            r#"{"rate":{"per_second":"nan"}}"#,
            "`rate.per_second` is `nan`, but must be a finite number above 0",
        ),
        (
            r#"{"rate":{"burst":1}}"#,
            "`rate.per_second` is missing: it must be a finite number above 0",
        ),
        (
            r#"{"rate":{"per_second":1,"burst":0}}"#,
            "`rate.burst` is `0`, but must be a whole number from 1",
        ),
        (
            r#"{"retry_budget":{"percent":-5}}"#,
            "`retry_budget.percent` is `-5`, but must be a whole number from 0 to 4294967295",
        ),
        (
            r#"{"max_waiting":0,"max_wait":"5s"}"#,
            "`max_wait` is `5s`, but must be left out where `max_waiting` is `0`: nothing waits",
        ),
        (r#"{"rate":"off","rate":"off"}"#, "`rate` is set twice"),
        ("7", "`settings` is `7`, but must be a table"),
    ];
    for (text, expected) in cases {
        let error = json(text).unwrap_err();
        assert!(error.starts_with(expected), "{error}\n{expected}");
    }
}

#[test]
fn a_refusal_in_toml_shows_the_place_too() {
    let error = toml::from_str::<PoolConfig>("[rate]\nper_second = -1.0\n").unwrap_err();
    assert!(error.to_string().contains("`rate.per_second` is `-1`"), "{error}");
}

#[test]
fn a_variable_that_is_not_known_is_refused_and_its_value_is_not_told() {
    let vars = [("AIRPORTS_TOKEN", "s3cret"), ("AIRPORTS_PRESET", "gentle")];
    let error = PoolConfig::from_vars("AIRPORTS_", vars).unwrap_err();
    assert_eq!(error.path(), "token");
    assert!(!format!("{error} {error:?}").contains("s3cret"));
}

#[test]
fn a_long_value_is_cut() {
    let error = json(&format!(r#"{{"max_wait":"{}"}}"#, "é".repeat(1_000))).unwrap_err();
    assert!(error.starts_with(&format!("`max_wait` is `{}…`", "é".repeat(60))), "{error}");
}

fn configured(text: &str, script: &Script) -> (Arc<Recorder>, ResilientClient<Script>) {
    let recorder = Recorder::new();
    let client = watched(script, &recorder).configure(&json(text).expect("settings")).build();
    (recorder, client)
}

#[tokio::test(start_paused = true)]
async fn retries_and_breaker_are_as_configured() {
    let settings = r#"{
        "retry": { "max_retries": 2, "base_backoff": "1s", "max_backoff": "1500ms" },
        "breaker": { "threshold": 4, "cooldown": "7s", "max_cooldown": "7s" }
    }"#;
    let (recorder, client) = configured(settings, &statuses([503; 4]));

    client.execute(|http| http.get(URL)).await.unwrap_err();
    client.execute(|http| http.get(URL)).await.unwrap_err();

    assert_eq!(recorder.count("retry 1 in 1s"), 2);
    // The longest wait spreads downward from the cap.
    assert_eq!(recorder.count("retry 2 in 1.2s"), 1);
    assert_eq!(recorder.count("opened for 7s"), 1);
    assert!(matches!(client.breaker_state(), Some(BreakerState::Open { .. })));
}

#[tokio::test(start_paused = true)]
async fn queue_and_rate_are_as_configured() {
    let script = Script::answering(|_| Reply::ok("fine").after(ms(100)));
    let (_, client) = configured(r#"{"max_parallel":1,"max_waiting":0}"#, &script);
    let call = || client.execute(|http| http.get(URL));
    let (first, second) = tokio::join!(call(), call());
    first.unwrap();
    assert_eq!(second.unwrap_err().kind, ErrorKind::QueueFull);

    let (_, client) = configured(r#"{"rate":{"per_second":0.5}}"#, &script);
    let started = support::now();
    client.execute(|http| http.get(URL)).await.unwrap();
    client.execute(|http| http.get(URL)).await.unwrap();
    assert_eq!(started.elapsed(), ms(2_100));
}

#[tokio::test(start_paused = true)]
async fn body_limit_and_budget_are_as_configured() {
    let settings = r#"{"max_body_bytes":3,"retry_budget":{"percent":0,"reserve":1}}"#;
    let script = Script::new([Reply::ok("four"), Reply::status(503), Reply::status(503)]);
    let (_, client) = configured(settings, &script);
    let policy = api_pool::CallPolicy::background();
    let error = client.execute_read(&policy, |http| http.get(URL)).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::BodyTooLarge(3));

    let error = client.execute(|http| http.get(URL)).await.unwrap_err();
    assert_eq!(error.stop_reason(), Some(&api_pool::StopReason::Budget));
    script.assert_finished();
}

#[tokio::test(start_paused = true)]
async fn off_overrules_what_the_program_set_and_silence_does_not() {
    let build = |text: &str| {
        watched(&statuses([]), &Recorder::new())
            .circuit_breaker(1, secs(1))
            .configure(&json(text).unwrap())
            .build()
    };
    assert!(build("{}").breaker_state().is_some());
    assert!(build(r#"{"breaker":"off"}"#).breaker_state().is_none());
}
