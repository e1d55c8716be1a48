//! Waits between attempts are exactly those of the policy, or the server's.

mod support;

use std::collections::HashSet;
use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use api_pool::testing::{Reply, Script};
use api_pool::{CallPolicy, ResilientClient, RetryMode, RetryPolicy, StopReason};
use serde_json::Value;
use support::{Recorder, URL, ms, now, secs, statuses, watched};

#[tokio::test(start_paused = true)]
async fn bounded_retries_double_their_wait_and_stop() {
    let script = statuses([500; 5]);
    let recorder = Recorder::new();
    let client = watched(&script, &recorder).retry(RetryPolicy::new(4, ms(50), secs(10))).build();
    let started = now();

    let error = client.execute(|http| http.get(URL)).await.unwrap_err();

    assert_eq!(started.elapsed(), ms(50 + 100 + 200 + 400));
    assert_eq!(error.attempts, 5);
    assert_eq!(error.stop_reason(), Some(&StopReason::Attempts { made: 5 }));
    script.assert_finished();
}

#[tokio::test(start_paused = true)]
async fn the_longest_jitter_is_a_quarter_of_the_wait() {
    let recorder = Recorder::new();
    let client = watched(&statuses([500, 500, 200]), &recorder).entropy(|| u64::MAX).build();

    client.execute(|http| http.get(URL)).await.unwrap();

    assert_eq!(recorder.count("retry 1 in 62.5ms"), 1);
    assert_eq!(recorder.count("retry 2 in 125ms"), 1);
}

/// The waits of so many calls through a new client, each of which waits once for a second.
async fn default_waits(calls: usize) -> Vec<Duration> {
    let client = ResilientClient::builder()
        .transport(Script::answering(|_| Reply::status(500)))
        .retry(RetryPolicy::new(1, secs(1), secs(10)))
        .build();
    let mut waits = Vec::new();
    for _ in 0..calls {
        let error = client.execute(|http| http.get(URL)).await.expect_err("it fails");
        waits.extend(error.history()[0].wait);
    }
    waits
}

/// The draws differ from run to run; that chance alone fails this is less likely than one in 2⁶⁰.
#[tokio::test(start_paused = true)]
async fn by_default_waits_are_spread_and_no_two_clients_wait_alike() {
    let waits = default_waits(64).await;

    assert!(waits.iter().all(|wait| (secs(1)..=ms(1250)).contains(wait)), "{waits:?}");
    let apart: HashSet<_> = waits.iter().collect();
    assert!(apart.len() > 32, "{waits:?}");
    let (short, long): (Vec<Duration>, _) = waits.iter().partition(|&&wait| wait < ms(1125));
    assert!(!short.is_empty() && !long.is_empty(), "{waits:?}");
    assert_ne!(default_waits(64).await, waits);
}

#[tokio::test(start_paused = true)]
async fn no_wait_exceeds_the_ceiling_whatever_the_server_asks() {
    let script =
        Script::new([Reply::status(503).with_header("retry-after", "120"), Reply::status(200)]);
    let recorder = Recorder::new();
    let client = watched(&script, &recorder)
        .entropy(|| u64::MAX)
        .retry(RetryPolicy::new(3, ms(5), ms(20)))
        .build();

    client.execute(|http| http.get(URL)).await.unwrap();

    assert_eq!(recorder.count("retry 1 in 20ms"), 1);
}

/// Each value of the shared table, under a ceiling of an hour and a schedule of 7 ms.
#[tokio::test(start_paused = true)]
async fn a_usable_hint_replaces_the_schedule_and_an_unusable_one_is_ignored() {
    let table: Value =
        serde_json::from_str(include_str!("vectors/retry_after.json")).expect("valid JSON");
    let cases = table["cases"].as_array().expect("an array of cases");
    assert!(cases.len() >= 30, "the table was cut short");
    for case in cases {
        let value = case["value"].as_str().unwrap().to_owned();
        let Ok(header) = http::HeaderValue::from_bytes(value.as_bytes()) else { continue };
        let ceiling = secs(3600);
        let script = Script::new([
            Reply::status(429).with_raw_header("retry-after", header),
            Reply::status(200),
        ]);
        let client =
            watched(&script, &Recorder::new()).retry(RetryPolicy::new(1, ms(7), ceiling)).build();
        let started = now();

        client.execute(|http| http.get(URL)).await.unwrap();

        let waited = started.elapsed();
        match &case["seconds"] {
            Value::Null => assert_eq!(waited, ms(7), "{value:?}"),
            Value::String(_) => assert_eq!(waited, ceiling, "{value:?}"),
            seconds => assert_eq!(waited, secs(seconds.as_u64().unwrap()), "{value:?}"),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn of_several_hints_the_longest_usable_one_counts() {
    let reply = Reply::status(429)
        .with_header("retry-after", "2")
        .with_header("retry-after", "soon")
        .with_header("retry-after", "3");
    let client = watched(&Script::new([reply, Reply::status(200)]), &Recorder::new()).build();
    let started = now();

    client.execute(|http| http.get(URL)).await.unwrap();

    assert_eq!(started.elapsed(), secs(3));
}

#[tokio::test(start_paused = true)]
async fn an_essential_call_outlasts_any_number_of_failures() {
    let script = Script::new((0..1000).map(|_| Reply::status(503)).chain([Reply::ok("at last")]));
    let recorder = Recorder::new();
    let client = watched(&script, &recorder).build();

    client.execute_with(&CallPolicy::essential(), |http| http.get(URL)).await.unwrap();

    assert_eq!(recorder.count("retry"), 1000);
}

#[tokio::test(start_paused = true)]
async fn the_error_remembers_its_last_attempts_and_their_waits() {
    let script = Script::new((0..12).map(|_| Reply::status(503)));
    let client =
        watched(&script, &Recorder::new()).retry(RetryPolicy::new(11, ms(1), ms(1))).build();

    let error = client.execute(|http| http.get(URL)).await.unwrap_err();

    let history = error.history();
    assert_eq!(history.len(), 8);
    assert_eq!((history[0].number, history[7].number), (5, 12));
    assert!(history[..7].iter().all(|record| record.wait == Some(ms(1))));
    assert_eq!(history[7].wait, None);
}

#[tokio::test(start_paused = true)]
async fn zero_bounds_never_spin() {
    let policy = CallPolicy::new(
        RetryMode::until_cancelled(Duration::ZERO, Duration::ZERO),
        api_pool::BreakerMode::FailFast,
    );
    let script = Script::answering(|_| Reply::status(503));
    let client = watched(&script, &Recorder::new()).build();

    let call = client.execute_with(&policy, |http| http.get(URL));
    tokio::time::timeout(ms(10), call).await.unwrap_err();

    // At 0 ms, and once in each of the ten that follow.
    assert_eq!(script.requests().len(), 11);
}

#[tokio::test(start_paused = true)]
async fn each_attempt_sends_a_body_of_its_own() {
    let script = statuses([503, 503, 200]);
    let client = watched(&script, &Recorder::new()).build();

    client
        .execute(|http| http.post(URL).header("idempotency-key", "k-1").body("the same body"))
        .await
        .unwrap();

    let requests = script.requests();
    assert_eq!(requests.len(), 3);
    for request in requests {
        assert_eq!(request.body(), "the same body");
        assert_eq!(request.headers()["idempotency-key"], "k-1");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_ended_does_not_start_over_when_it_is_polled_again() {
    for end in [200, 404] {
        let script = statuses([end, 200]);
        let client = watched(&script, &Recorder::new()).build();
        let mut call = Box::pin(client.execute(|http| http.get(URL)));

        assert_eq!(call.as_mut().await.is_ok(), end == 200);
        let again = poll_fn(|context| Poll::Ready(call.as_mut().poll(context))).await;

        assert!(again.is_pending());
        assert_eq!(script.requests().len(), 1);
    }
}
