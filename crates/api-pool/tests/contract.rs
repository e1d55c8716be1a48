//! Everything an application of the published `vantage-api-pool` names is here under the same
//! name, with the same shape, defaults and texts.
#![cfg(all(feature = "anyhow", feature = "rate-limit"))]

mod support;

use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use api_pool::resilient::{
    AuthFuture, AuthRefresher, BreakerMode, BreakerState, CallPolicy, ClientError, ErrorKind,
    ResilientClient, ResilientClientBuilder, RetryMode, RetryPolicy, TransportEvent,
    TransportObserver,
};
use support::{ms, secs};

fn value<T: Clone + Debug + PartialEq + Eq>() {}

#[test]
fn values_can_be_compared_copied_and_shown() {
    value::<BreakerMode>();
    value::<BreakerState>();
    value::<ErrorKind>();
    value::<ClientError>();
    fn copy<T: Copy>() {}
    copy::<BreakerMode>();
    copy::<BreakerState>();
}

#[test]
fn policies_have_their_documented_defaults() {
    let policy = RetryPolicy::default();
    assert_eq!(
        (policy.max_retries, policy.base_backoff, policy.max_backoff),
        (4, ms(50), secs(10))
    );
    let policy = RetryPolicy::new(2, ms(1), ms(2));
    assert_eq!((policy.max_retries, policy.base_backoff, policy.max_backoff), (2, ms(1), ms(2)));

    let background = CallPolicy::background();
    assert!(matches!(background.retry, RetryMode::None));
    assert_eq!(background.breaker, BreakerMode::FailFast);

    let essential = CallPolicy::essential();
    match essential.retry {
        RetryMode::UntilCancelled { base, max, .. } => assert_eq!((base, max), (ms(250), secs(10))),
        other => panic!("{other:?}"),
    }
    assert_eq!(essential.breaker, BreakerMode::WaitForProbe);

    let bounded = CallPolicy::bounded(RetryPolicy::default()).wait_for_probe();
    assert!(matches!(bounded.retry, RetryMode::Bounded(_)));
    assert_eq!(bounded.breaker, BreakerMode::WaitForProbe);

    let own = CallPolicy::new(RetryMode::until_cancelled(ms(1), ms(2)), BreakerMode::FailFast);
    assert!(matches!(own.retry, RetryMode::UntilCancelled { .. }));
}

#[test]
fn errors_read_as_documented() {
    let error = |kind, attempts| ClientError::new(kind, attempts);
    let texts = [
        (error(ErrorKind::Status(503), 3), "HTTP 503 after 3 attempts", "status", false),
        (error(ErrorKind::Status(503), 1), "HTTP 503 after 1 attempt", "status", false),
        (error(ErrorKind::Status(404), 1), "HTTP 404 after 1 attempt", "status", true),
        (error(ErrorKind::Status(408), 1), "HTTP 408 after 1 attempt", "status", false),
        (error(ErrorKind::Status(429), 1), "HTTP 429 after 1 attempt", "status", false),
        (
            error(ErrorKind::Transport("reset".into()), 2),
            "reset after 2 attempts",
            "transport",
            false,
        ),
        (error(ErrorKind::BreakerOpen, 0), "circuit breaker open", "breaker_open", false),
        (error(ErrorKind::Auth("no luck".into()), 1), "auth refresh failed: no luck", "auth", true),
        (
            error(ErrorKind::BodyTooLarge(9), 2),
            "response body over 9 bytes after 2 attempts",
            "body_too_large",
            true,
        ),
        (error(ErrorKind::Deadline, 1), "deadline passed after 1 attempt", "deadline", false),
        (error(ErrorKind::Disposed, 0), "queue disposed", "disposed", true),
        (error(ErrorKind::QueueFull, 0), "queue full", "queue_full", false),
        (error(ErrorKind::QueueTimeout, 0), "queue wait timed out", "queue_timeout", false),
        (
            error(ErrorKind::Request("bad URL".into()), 1),
            "request cannot be sent: bad URL",
            "request",
            true,
        ),
    ];
    for (error, text, kind, is_final) in texts {
        assert_eq!(error.to_string(), text);
        assert_eq!((error.kind_name(), error.is_final()), (kind, is_final), "{text}");
    }
    let error = ClientError::new(ErrorKind::Status(500), 1).with_body(Some("oh".into()));
    assert_eq!((error.status(), error.body.as_deref()), (Some(500), Some("oh")));
    assert!(!error.to_string().contains("oh"));
    assert_eq!(ClientError::new(ErrorKind::BreakerOpen, 0).status(), None);
}

#[test]
fn events_have_their_constructors() {
    let error = ClientError::new(ErrorKind::Status(500), 1);
    let events = [
        TransportEvent::Started,
        TransportEvent::Cancelled,
        TransportEvent::BreakerClosed,
        TransportEvent::WritePushed,
        TransportEvent::succeeded(200, 5, Some(7)),
        TransportEvent::failed(error, 5),
        TransportEvent::retry_scheduled(ms(250), 1),
        TransportEvent::breaker_opened(secs(5)),
        TransportEvent::rows_pulled(3),
    ];
    let TransportEvent::Succeeded { status, ms, bytes, .. } = events[4].clone() else { panic!() };
    assert_eq!((status, ms, bytes), (200, 5, Some(7)));
    let TransportEvent::RetryScheduled { after, attempt, .. } = events[6].clone() else { panic!() };
    assert_eq!((after, attempt), (Duration::from_millis(250), 1));
}

struct Watching;

impl TransportObserver for Watching {
    fn on_event(&self, key: &str, event: TransportEvent) {
        let _ = (key, event);
    }
}

#[test]
fn a_client_is_built_without_a_runtime_and_with_every_setting() {
    let refresher: AuthRefresher = Arc::new(|| -> AuthFuture {
        let token: Pin<Box<dyn Future<Output = anyhow::Result<String>> + Send>> =
            Box::pin(async { Ok("t".to_owned()) });
        token
    });
    let client: ResilientClient = ResilientClient::builder()
        .max_parallel(0)
        .retry(RetryPolicy::default())
        .circuit_breaker(0, secs(1))
        .circuit_breaker_growing(3, secs(5), secs(1))
        .default_breaker()
        .bearer_auth(refresher.clone())
        .auth(refresher, "X-Token", "")
        .http_client(reqwest::Client::new())
        .request_timeout(secs(5))
        .no_request_timeout()
        .rate_limit(5.0)
        .rate_limit_with_burst(0.0, 0)
        .observer("key", Arc::new(Watching))
        .build();

    assert_eq!(client.key(), Some("key"));
    assert_eq!((client.in_flight(), client.peak_in_flight()), (0, 0));
    assert_eq!(client.breaker_state(), Some(BreakerState::Closed));
    client.report(TransportEvent::rows_pulled(1));
    let shown = format!("{:?}", client.clone());
    assert!(shown.contains("key") && shown.contains("in_flight"), "{shown}");

    let bare = ResilientClientBuilder::default().build();
    assert_eq!((bare.key(), bare.breaker_state()), (None, None));
}

#[tokio::test(start_paused = true)]
async fn a_refresher_is_asked_once_and_once_more_after_a_401() {
    use std::sync::atomic::{AtomicUsize, Ordering};

    let asked = Arc::new(AtomicUsize::new(0));
    let refresher: AuthRefresher = {
        let asked = asked.clone();
        Arc::new(move || {
            let number = asked.fetch_add(1, Ordering::Relaxed);
            Box::pin(async move { Ok(format!("token {number}")) })
        })
    };
    let recorder = support::Recorder::new();
    let script = support::statuses([401, 200]);
    let client = support::watched(&script, &recorder).auth(refresher, "X-Token", "Key ").build();

    client.execute(|http| http.get(support::URL)).await.unwrap();

    assert_eq!(asked.load(Ordering::Relaxed), 2);
    let sent: Vec<_> =
        script.requests().iter().map(|request| request.headers()["x-token"].clone()).collect();
    assert_eq!(sent, ["Key token 0", "Key token 1"]);
    assert_eq!(
        recorder.lines(),
        ["started", "failed HTTP 401 after 1 attempt 0ms", "started", "succeeded 200 0ms"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_failing_refresher_ends_the_call_with_its_text_and_sends_nothing() {
    let refresher: AuthRefresher = Arc::new(|| Box::pin(async { Err(anyhow::anyhow!("expired")) }));
    let recorder = support::Recorder::new();
    let script = support::statuses([]);
    let client = support::watched(&script, &recorder).bearer_auth(refresher).build();

    let error = client.execute(|http| http.get(support::URL)).await.unwrap_err();

    assert_eq!(error.kind, ErrorKind::Auth("expired".to_owned()));
    assert_eq!(recorder.lines(), ["started", "failed auth refresh failed: expired 0ms"]);
    assert_eq!(script.requests().len(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_token_bucket_tells_when_the_next_token_is_due() {
    let bucket = api_pool::TokenBucket::new(2.0, 1);
    assert_eq!(bucket.try_take(), None);
    assert_eq!(bucket.try_take(), Some(ms(500)));
    bucket.refund();
    assert_eq!(bucket.try_take(), None);
}

/// `503, 404, 503, 404, 503` opens at a threshold of 3: an answer that is no success keeps the run.
#[tokio::test(start_paused = true)]
async fn answers_between_failures_do_not_hide_them() {
    let script = support::statuses([503, 404, 503, 404, 503]);
    let recorder = support::Recorder::new();
    let client = support::watched(&script, &recorder).circuit_breaker(3, secs(5)).build();

    for _ in 0..5 {
        let poll = CallPolicy::background();
        client.execute_with(&poll, |http| http.get(support::URL)).await.unwrap_err();
    }

    assert_eq!(recorder.count("opened"), 1);
    assert_eq!(recorder.lines().last().unwrap(), "opened for 5s");
}
