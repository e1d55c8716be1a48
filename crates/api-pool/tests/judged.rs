//! A body that tells another status than its head counts as that status.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use api_pool::testing::{Reply, Script};
use api_pool::{BreakerState, CallPolicy, ErrorKind, ReadResponse};
use support::{Recorder, URL, now, secs, watched};

/// The body is the status, if it is a number.
fn judge(answer: &ReadResponse) -> Option<u16> {
    std::str::from_utf8(answer.body()).ok()?.parse().ok()
}

#[tokio::test(start_paused = true)]
async fn a_throttled_answer_is_retried_after_what_it_asks_for() {
    let script = Script::new([
        Reply::status(200).with_chunk("429").with_header("retry-after", "7"),
        Reply::status(200).with_chunk("rows"),
    ]);
    let recorder = Recorder::new();
    let client = watched(&script, &recorder).entropy(|| 0).build();
    let started = now();

    let response =
        client.execute_judged(&CallPolicy::essential(), |http| http.get(URL), judge).await.unwrap();

    assert_eq!(response.body(), "rows");
    assert_eq!(started.elapsed(), secs(7));
    assert_eq!(recorder.count("failed HTTP 429"), 1);
    recorder.assert_paired();
}

#[tokio::test(start_paused = true)]
async fn the_error_has_the_status_and_the_start_of_the_body() {
    let script = Script::new([Reply::status(200).with_chunk("404")]);
    let client = watched(&script, &Recorder::new()).build();

    let error = client
        .execute_judged(&CallPolicy::essential(), |http| http.get(URL), judge)
        .await
        .unwrap_err();

    assert_eq!((&error.kind, error.attempts), (&ErrorKind::Status(404), 1));
    assert_eq!(error.body.as_deref(), Some("404"));
}

#[tokio::test(start_paused = true)]
async fn an_unauthenticated_answer_obtains_another_token_once() {
    let script =
        Script::new([Reply::status(200).with_chunk("401"), Reply::status(200).with_chunk("rows")]);
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let client = watched(&script, &Recorder::new())
        .bearer_tokens(move || {
            let token = count.fetch_add(1, Ordering::SeqCst);
            async move { Ok::<_, std::io::Error>(format!("token {token}")) }
        })
        .build();

    let response = client
        .execute_judged(&CallPolicy::background(), |http| http.get(URL), judge)
        .await
        .unwrap();

    assert_eq!(response.body(), "rows");
    assert_eq!(asked.load(Ordering::SeqCst), 2);
}

#[tokio::test(start_paused = true)]
async fn a_failure_in_the_body_counts_against_the_server() {
    let script = Script::new([Reply::status(200).with_chunk("503")]);
    let client = watched(&script, &Recorder::new()).circuit_breaker(1, secs(5)).build();

    let outcome =
        client.execute_judged(&CallPolicy::background(), |http| http.get(URL), judge).await;

    assert_eq!(outcome.unwrap_err().status(), Some(503));
    assert!(matches!(client.breaker_state(), Some(BreakerState::Open { .. })));
}
