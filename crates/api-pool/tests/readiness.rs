//! A service is ready unless a rule names the key that keeps it from being so.
#![cfg(feature = "health")]

mod support;

use std::time::Duration;

use api_pool::health::{HealthRegistry, ReadinessRules};
use api_pool::{ClientError, ErrorKind, TransportEvent, TransportObserver};
use support::{ms, secs, sleep};

fn succeed(health: &HealthRegistry, key: &str, times: usize, took: u64) {
    for _ in 0..times {
        health.on_event(key, TransportEvent::succeeded(200, took, None));
    }
}

fn fail(health: &HealthRegistry, key: &str, times: usize) {
    for _ in 0..times {
        let error = ClientError::new(ErrorKind::Status(503), 1);
        health.on_event(key, TransportEvent::failed(error, 5));
    }
}

fn verdict(health: &HealthRegistry, rules: &ReadinessRules) -> String {
    health.readiness(rules).to_string()
}

#[tokio::test(start_paused = true)]
async fn an_open_breaker_is_not_ready_until_it_may_be_probed() {
    let health = HealthRegistry::new();
    health.on_event("airports", TransportEvent::breaker_opened(secs(5)));
    let rules = ReadinessRules::default();

    sleep(secs(2)).await;
    assert_eq!(verdict(&health, &rules), "not ready: airports: breaker open for 3s");
    sleep(secs(3)).await;
    assert_eq!(verdict(&health, &rules), "ready");

    health.on_event("airports", TransportEvent::breaker_opened(Duration::MAX));
    assert_eq!(verdict(&health, &rules), "not ready: airports: breaker held open");
}

#[tokio::test(start_paused = true)]
async fn more_errors_than_allowed_are_not_ready_and_as_many_are() {
    let health = HealthRegistry::new();
    succeed(&health, "airports", 10, 5);
    fail(&health, "airports", 10);
    assert_eq!(verdict(&health, &ReadinessRules::default()), "ready");

    fail(&health, "airports", 1);
    assert_eq!(verdict(&health, &ReadinessRules::default()), "not ready: airports: 52 % errors");
    assert!(health.readiness(&ReadinessRules::default().with_max_error_percent(53)).is_ready());
    sleep(secs(60)).await;
    assert_eq!(verdict(&health, &ReadinessRules::default()), "ready");
}

#[tokio::test(start_paused = true)]
async fn few_attempts_prove_nothing() {
    let health = HealthRegistry::new();
    fail(&health, "airports", 19);
    assert!(health.readiness(&ReadinessRules::default()).is_ready());
    fail(&health, "airports", 1);
    assert!(!health.readiness(&ReadinessRules::default()).is_ready());
}

#[tokio::test(start_paused = true)]
async fn latency_counts_where_a_limit_is_set() {
    let health = HealthRegistry::new();
    succeed(&health, "airports", 20, 31);
    assert!(health.readiness(&ReadinessRules::default()).is_ready());
    let rules = ReadinessRules::default().with_max_p95(ms(31));
    assert!(health.readiness(&rules).is_ready());
    let rules = ReadinessRules::default().with_max_p95(ms(30));
    assert_eq!(verdict(&health, &rules), "not ready: airports: p95 at 31ms");
}

#[tokio::test(start_paused = true)]
async fn keys_that_the_service_can_do_without_are_left_out() {
    let health = HealthRegistry::new();
    for key in ["weather", "airports", "news"] {
        health.on_event(key, TransportEvent::breaker_opened(secs(5)));
    }
    let rules = ReadinessRules::default().without_key("news");
    assert_eq!(
        verdict(&health, &rules),
        "not ready: airports: breaker open for 5s, weather: breaker open for 5s"
    );
}

#[cfg(feature = "serde")]
#[tokio::test(start_paused = true)]
async fn a_verdict_and_a_snapshot_are_data() {
    let health = HealthRegistry::new();
    succeed(&health, "airports", 3, 20);
    fail(&health, "airports", 1);
    health.on_event("airports", TransportEvent::breaker_opened(secs(5)));
    sleep(ms(1500)).await;

    let verdict = health.readiness(&ReadinessRules::default());
    assert_eq!(
        serde_json::to_string(&verdict).unwrap(),
        r#"{"ready":false,"causes":[{"key":"airports","reason":{"breaker_open":{"remaining":"3500ms"}}}]}"#
    );

    let snapshot = health.snapshot();
    let text = serde_json::to_string(&snapshot).unwrap();
    assert_eq!(
        text,
        concat!(
            r#"{"window":"1m","keys":[{"key":"airports","covered":"1500ms","succeeded":3,"#,
            r#""rejected":0,"failed":1,"refused":0,"cancelled":0,"retries":0,"#,
            r#""requests_per_second":2.6666666666666665,"error_share":0.25,"#,
            r#""latency":{"p50":"20ms","p95":"20ms","p99":"20ms"},"#,
            r#""waits":{"gate":{"count":0,"total":"0s"},"credential":{"count":0,"total":"0s"},"#,
            r#""rate_token":{"count":0,"total":"0s"},"slot":{"count":0,"total":"0s"}},"#,
            r#""breaker":{"open":{"remaining":"3500ms"}},"in_flight":0,"#,
            r#""last_error":{"kind":"status","status":503,"text":"HTTP 503 after 1 attempt","#,
            r#""age":"1500ms"}}],"untracked":0}"#
        )
    );
    assert_eq!(serde_json::from_str::<api_pool::health::HealthSnapshot>(&text).unwrap(), snapshot);
}
