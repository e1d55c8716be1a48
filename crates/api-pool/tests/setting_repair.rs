//! A setting that makes no sense does the nearest thing that does, and the log says so.

mod support;

use api_pool::testing::{Reply, Script};
use api_pool::{BreakerState, CallPolicy, ResilientClient, ResilientClientBuilder, RetryPolicy};
use futures_util::future::join_all;
use support::{Recorder, URL, ms, now, secs, sleep, statuses, watched};
use test_support::Capture;

type Builder = ResilientClientBuilder<Script>;

/// A client over a server that takes 10 ms for each request.
fn builder() -> Builder {
    let script = Script::answering(|_| Reply::ok("fine").after(ms(10)));
    ResilientClient::builder().transport(script).entropy(|| 0)
}

#[track_caller]
fn assert_logged(capture: &Capture, expected: &str) {
    let text = capture.text();
    let warnings = text.lines().filter(|line| line.starts_with("WARN api_pool")).count();
    assert!(warnings == 1 && text.contains(expected), "{text}");
}

#[tokio::test(start_paused = true)]
async fn no_slot_at_all_is_one() {
    let capture = Capture::start();
    let client = builder().max_parallel(0).build();
    assert_logged(&capture, "max_parallel(0) is taken as 1");
    let started = now();

    join_all((0..3).map(|_| client.execute(|http| http.get(URL)))).await;

    assert_eq!((started.elapsed(), client.peak_in_flight()), (ms(30), 1));
}

#[tokio::test(start_paused = true)]
async fn a_change_to_no_slot_at_all_is_one_to_one() {
    let client = builder().build();
    let capture = Capture::start();
    client.set_max_parallel(0);
    assert_logged(&capture, "set_max_parallel(0) is taken as 1");
    let started = now();

    join_all((0..3).map(|_| client.execute(|http| http.get(URL)))).await;

    assert_eq!((started.elapsed(), client.peak_in_flight()), (ms(30), 1));
}

#[tokio::test(start_paused = true)]
async fn a_breaker_that_opens_before_any_failure_opens_at_the_first() {
    let capture = Capture::start();
    let client = watched(&statuses([503]), &Recorder::new()).circuit_breaker(0, secs(5)).build();
    assert_logged(&capture, "a breaker threshold of 0 is taken as 1");
    assert_eq!(client.breaker_state(), Some(BreakerState::Closed));

    client.execute_with(&CallPolicy::background(), |http| http.get(URL)).await.unwrap_err();

    assert!(matches!(client.breaker_state(), Some(BreakerState::Open { .. })));
}

#[tokio::test(start_paused = true)]
async fn a_longest_cooldown_below_the_first_is_the_first() {
    let capture = Capture::start();
    let recorder = Recorder::new();
    let client = watched(&statuses([503, 503, 200]), &recorder)
        .circuit_breaker_growing(1, secs(5), secs(2))
        .build();
    assert_logged(&capture, "a longest cooldown below the first is raised to it base=5s max=2s");

    client.execute_with(&CallPolicy::essential(), |http| http.get(URL)).await.unwrap();

    assert_eq!(recorder.count("opened for 5s"), 2);
}

#[tokio::test(start_paused = true)]
async fn a_longest_wait_below_the_first_is_every_wait() {
    let capture = Capture::start();
    let client = ResilientClient::builder()
        .transport(statuses([503, 503, 503, 200]))
        .entropy(|| u64::MAX)
        .retry(RetryPolicy::new(3, secs(5), secs(2)))
        .build();
    assert_logged(&capture, "a longest wait below the first is the only one base=5s max=2s");
    let started = now();

    client.execute(|http| http.get(URL)).await.unwrap();

    assert_eq!(started.elapsed(), secs(6));
}

#[tokio::test(start_paused = true)]
async fn settings_that_make_sense_are_not_logged() {
    let capture = Capture::start();
    let client = builder()
        .max_parallel(1)
        .circuit_breaker(1, secs(5))
        .circuit_breaker_growing(1, secs(5), secs(5))
        .default_breaker()
        .retry(RetryPolicy::new(0, secs(5), secs(5)))
        .retry(RetryPolicy::default())
        .build();
    client.set_max_parallel(1);
    sleep(secs(1)).await;
    assert_eq!(capture.text(), "");
}
