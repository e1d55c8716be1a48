//! Requests leave at the configured rate, in the order in which they were made.

#![cfg(feature = "rate-limit")]

mod support;

use api_pool::testing::{CancelAt, Reply, Request, Script};
use api_pool::{ResilientClient, RetryPolicy, TokenBucket};
use futures_util::FutureExt;
use futures_util::future::join_all;
use support::{URL, ms, now, secs, sleep, statuses};

fn page(request: &Request) -> u32 {
    request.uri().path().trim_start_matches('/').parse().expect("a number")
}

#[tokio::test(start_paused = true)]
async fn a_hundred_simultaneous_calls_at_two_hundred_a_second_leave_in_order_in_half_a_second() {
    let script = Script::answering(|_| Reply::status(200));
    let client = ResilientClient::builder()
        .transport(script.clone())
        .max_parallel(100)
        .rate_limit_with_burst(200.0, 1)
        .build();
    client.execute(|http| http.get("http://api.test/0")).await.unwrap();
    let started = now();

    let calls = (1..=100).map(|n| {
        let client = &client;
        async move { client.execute(|http| http.get(format!("http://api.test/{n}"))).await }
    });
    assert!(join_all(calls).await.iter().all(Result::is_ok));

    assert_eq!(started.elapsed(), ms(500));
    let order: Vec<_> = script.requests().iter().map(page).collect();
    assert_eq!(order, (0..=100).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn every_attempt_takes_a_token_retries_and_replays_included() {
    let client = ResilientClient::builder()
        .transport(statuses([503, 401, 200, 200]))
        .retry(RetryPolicy::new(3, ms(1), ms(1)))
        .entropy(|| 0)
        .bearer_tokens(|| async { Ok::<_, std::io::Error>("t") })
        .rate_limit_with_burst(1.0, 1)
        .build();
    let started = now();

    client.execute(|http| http.get(URL)).await.unwrap();
    assert_eq!(started.elapsed(), secs(2));
    client.execute(|http| http.get(URL)).await.unwrap();
    assert_eq!(started.elapsed(), secs(3));
}

#[tokio::test(start_paused = true)]
async fn without_a_burst_of_its_own_a_rate_has_a_seconds_worth() {
    let client = ResilientClient::builder()
        .transport(Script::answering(|_| Reply::status(200)))
        .max_parallel(100)
        .rate_limit(2.5)
        .build();
    let started = now();

    join_all((0..5).map(|_| client.execute(|http| http.get(URL)))).await;

    // Three at once, then one each 400 ms.
    assert_eq!(started.elapsed(), ms(800));
}

#[tokio::test(start_paused = true)]
async fn a_call_dropped_while_it_waits_for_a_slot_gives_its_token_back() {
    let script = Script::new([Reply::hang(), Reply::status(200)]);
    let client = ResilientClient::builder()
        .transport(script)
        .max_parallel(1)
        .rate_limit_with_burst(0.001, 2)
        .build();
    let mut hanging = Box::pin(client.execute(|http| http.get(URL)));
    assert!(hanging.as_mut().now_or_never().is_none());
    // This one has the second token, and waits for the slot.
    assert!(CancelAt::new(1, client.execute(|http| http.get(URL))).await.is_none());
    drop(hanging);
    let started = now();

    client.execute(|http| http.get(URL)).await.unwrap();

    assert_eq!(started.elapsed(), secs(0));
}

#[tokio::test(start_paused = true)]
async fn waiting_for_a_token_holds_no_slot() {
    let client = ResilientClient::builder()
        .transport(Script::answering(|_| Reply::status(200)))
        .rate_limit_with_burst(1.0, 1)
        .build();
    client.execute(|http| http.get(URL)).await.unwrap();

    let (call, ()) = tokio::join!(client.execute(|http| http.get(URL)), async {
        sleep(ms(500)).await;
        assert_eq!(client.in_flight(), 0);
    });

    call.unwrap();
}

#[test]
fn the_bucket_can_be_shared_between_threads() {
    fn shareable<T: Send + Sync>() {}
    shareable::<TokenBucket>();
}
