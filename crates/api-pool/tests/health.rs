//! The registry tells what clients did over the last minute, to the millisecond.
#![cfg(feature = "health")]

mod support;

use std::sync::Arc;
use std::time::Duration;

use api_pool::health::{BreakerHealth, HealthRegistry, KeyHealth};
use api_pool::testing::{Reply, Script};
use api_pool::{
    CallPolicy, ClientError, ErrorKind, ResilientClient, ResilientClientBuilder, RetryPolicy,
    TransportEvent, TransportObserver,
};
use support::{URL, ms, secs, sleep, statuses};

fn watched(script: Script) -> (Arc<HealthRegistry>, ResilientClientBuilder<Script>) {
    let health = Arc::new(HealthRegistry::new());
    let builder = ResilientClient::builder()
        .transport(script)
        .entropy(|| 0)
        .retry(RetryPolicy::new(0, ms(10), secs(1)))
        .observer("airports", health.clone());
    (health, builder)
}

fn airports(health: &HealthRegistry) -> KeyHealth {
    health.snapshot().key("airports").expect("a call was made").clone()
}

/// Answers the first request after 1 ms, the second after 2 ms, and so on.
fn slower_and_slower() -> Script {
    let mut latency = Duration::ZERO;
    Script::answering(move |_| {
        latency += ms(1);
        Reply::ok("fine").after(latency)
    })
}

#[tokio::test(start_paused = true)]
async fn rate_and_quantiles_are_exact() {
    let (health, builder) = watched(slower_and_slower());
    let client = builder.build();
    for _ in 0..20 {
        client.execute(|http| http.get(URL)).await.unwrap();
    }
    // The calls took 1 + 2 + … + 20 ms.
    sleep(secs(10) - ms(210)).await;

    let seen = airports(&health);

    assert_eq!((seen.succeeded, seen.covered), (20, secs(10)));
    assert_eq!(seen.requests_per_second, 2.0);
    assert_eq!(seen.error_share, 0.0);
    let latency = seen.latency.unwrap();
    assert_eq!((latency.p50, latency.p95, latency.p99), (ms(10), ms(19), ms(20)));
}

#[tokio::test(start_paused = true)]
async fn a_first_request_is_not_a_thousand_per_second() {
    let (health, builder) = watched(slower_and_slower());
    builder.build().execute(|http| http.get(URL)).await.unwrap();

    let seen = airports(&health);

    assert_eq!((seen.covered, seen.requests_per_second), (ms(1), 1.0));
}

#[tokio::test(start_paused = true)]
async fn what_is_older_than_the_window_is_gone_and_what_is_younger_is_not() {
    let (health, builder) = watched(statuses([200, 503]));
    let client = builder.build();
    client.execute(|http| http.get(URL)).await.unwrap();
    sleep(secs(30)).await;
    client.execute(|http| http.get(URL)).await.unwrap_err();

    sleep(ms(29_999)).await;
    let seen = airports(&health);
    assert_eq!((seen.succeeded, seen.failed, seen.covered), (1, 1, ms(59_999)));

    sleep(ms(1)).await;
    let seen = airports(&health);
    assert_eq!((seen.succeeded, seen.failed, seen.covered), (0, 1, secs(55)));
    assert_eq!(seen.error_share, 1.0);

    sleep(secs(3_600)).await;
    let seen = airports(&health);
    assert_eq!((seen.failed, seen.latency, seen.error_share), (0, None, 0.0));
    assert_eq!(seen.last_error.unwrap().age, secs(3_630));
}

#[tokio::test(start_paused = true)]
async fn attempts_are_told_apart_by_what_they_say_about_the_server() {
    let (health, builder) = watched(statuses([200, 404, 429, 503]));
    let client = builder.circuit_breaker(1, secs(60)).build();
    for _ in 0..4 {
        let _ = client.execute(|http| http.get(URL)).await;
    }
    client.execute(|http| http.get(URL)).await.unwrap_err();

    let seen = airports(&health);

    let counts = (seen.succeeded, seen.rejected, seen.failed, seen.refused, seen.cancelled);
    assert_eq!(counts, (1, 1, 2, 1, 0));
    assert_eq!(seen.error_share, 0.5);
    assert_eq!(seen.requests_per_second, 4.0);
    let last = seen.last_error.unwrap();
    assert_eq!((&*last.kind, last.text.as_str()), ("breaker_open", "circuit breaker open"));
}

#[tokio::test(start_paused = true)]
async fn the_breaker_is_told_with_the_rest_of_its_cooldown() {
    let (health, builder) = watched(statuses([503, 200]));
    let client = builder.circuit_breaker(1, secs(5)).build();
    client.execute(|http| http.get(URL)).await.unwrap_err();
    let breaker = || airports(&health).breaker;

    sleep(secs(3)).await;
    assert!(matches!(breaker(), BreakerHealth::Open { remaining, .. } if remaining == secs(2)));
    sleep(secs(2)).await;
    assert_eq!(breaker(), BreakerHealth::HalfOpen);
    client.execute_with(&CallPolicy::background(), |http| http.get(URL)).await.unwrap();
    assert_eq!(breaker(), BreakerHealth::Closed);

    client.isolate();
    sleep(secs(1_000_000)).await;
    let held = Duration::MAX;
    assert!(matches!(breaker(), BreakerHealth::Open { remaining, .. } if remaining == held));
}

#[tokio::test(start_paused = true)]
async fn waits_and_attempts_in_flight_are_counted() {
    let (health, builder) = watched(Script::answering(|_| Reply::ok("fine").after(ms(50))));
    let client = builder.max_parallel(1).build();
    let call = || async { client.execute(|http| http.get(URL)).await.unwrap() };

    let (_, _, in_flight) = tokio::join!(call(), call(), async {
        sleep(ms(75)).await;
        airports(&health).in_flight
    });

    let seen = airports(&health);
    assert_eq!((in_flight, seen.in_flight), (1, 0));
    assert_eq!((seen.waits.slot.count, seen.waits.slot.total), (1, ms(50)));
    assert_eq!(seen.waits.gate.count, 0);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_attempt_is_cancelled_and_no_longer_in_flight() {
    let (health, builder) = watched(Script::new([Reply::hang()]));
    let client = builder.build();

    tokio::time::timeout(secs(1), client.execute(|http| http.get(URL))).await.unwrap_err();

    let seen = airports(&health);
    assert_eq!((seen.cancelled, seen.in_flight, seen.failed), (1, 0, 0));
}

#[tokio::test(start_paused = true)]
async fn retries_are_counted() {
    let (health, builder) = watched(statuses([503, 503, 200]));
    let client = builder.retry(RetryPolicy::new(2, ms(10), secs(1))).build();

    client.execute(|http| http.get(URL)).await.unwrap();

    let seen = airports(&health);
    assert_eq!((seen.retries, seen.failed, seen.succeeded), (2, 2, 1));
}

#[tokio::test(start_paused = true)]
async fn what_a_token_source_says_is_not_told() {
    let (health, builder) = watched(statuses([]));
    let client = builder
        .bearer_tokens(|| async { Err::<String, _>(std::io::Error::other("key=s3cret")) })
        .build();

    client.execute(|http| http.get(URL)).await.unwrap_err();

    let last = airports(&health).last_error.unwrap();
    assert_eq!((&*last.kind, last.text.as_str()), ("auth", "auth refresh failed"));
    assert!(!format!("{:?}", health.snapshot()).contains("s3cret"));
}

#[tokio::test(start_paused = true)]
async fn keys_beyond_the_limit_are_only_counted() {
    let health = HealthRegistry::new().with_max_keys(2);
    for key in ["a", "b", "c", "c", "a"] {
        health.on_event(key, TransportEvent::Started);
    }

    let snapshot = health.snapshot();
    let keys: Vec<_> =
        snapshot.keys.iter().map(|seen| (seen.key.as_str(), seen.in_flight)).collect();
    assert_eq!((keys, snapshot.untracked), (vec![("a", 2), ("b", 1)], 2));

    health.forget("a");
    health.on_event("c", TransportEvent::Started);
    assert!(health.snapshot().key("c").is_some());
}

#[tokio::test(start_paused = true)]
async fn memory_is_bounded_whatever_happens() {
    let used = allocation_counter::measure(|| {
        let health = HealthRegistry::new();
        for round in 0..20_000_u64 {
            let key = format!("key {}", round % 200);
            let text = "x".repeat(10_000);
            let error = ClientError::new(ErrorKind::Transport(text), 1);
            health.on_event(&key, TransportEvent::Started);
            health.on_event(&key, TransportEvent::failed(error, round * 200));
        }
        std::mem::forget(health);
    });
    // 17 KiB for each of 64 keys, its text and its place in the map included.
    assert!(used.bytes_current <= 64 * (17 << 10) + (64 << 9), "{} bytes", used.bytes_current);
}
