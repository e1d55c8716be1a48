//! All calls of a client share one budget of retries.

mod support;

use api_pool::testing::{Reply, Script};
use api_pool::{CallPolicy, Ratio, RetryBudget, RetryPolicy, StopReason};
use support::{Recorder, URL, ms, secs, watched};
use tokio::task::JoinSet;

#[tokio::test(start_paused = true)]
async fn simultaneous_failures_schedule_no_more_retries_than_the_calls_paid_for() {
    let recorder = Recorder::new();
    let script = Script::answering(|_| Reply::status(503).after(ms(10)));
    let client = watched(&script, &recorder)
        .max_parallel(1000)
        .retry_budget(RetryBudget::new(Ratio::percent(20), 0))
        .build();
    let policy = CallPolicy::bounded(RetryPolicy::new(1, ms(100), secs(1)));

    let mut calls = JoinSet::new();
    for _ in 0..1000 {
        let (client, policy) = (client.clone(), policy.clone());
        calls.spawn(async move {
            client.execute_with(&policy, |http| http.get(URL)).await.map(drop).unwrap_err()
        });
    }
    let errors = calls.join_all().await;

    assert_eq!(recorder.count("retry"), 200);
    let refused =
        errors.iter().filter(|error| error.stop_reason() == Some(&StopReason::Budget)).count();
    assert_eq!(refused, 800);
    assert_eq!(script.requests().len(), 1200);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_wait_gives_its_retry_back() {
    let recorder = Recorder::new();
    let script = Script::answering(|_| Reply::status(503));
    let client = watched(&script, &recorder).retry_budget(RetryBudget::new(Ratio::ZERO, 1)).build();
    let policy = CallPolicy::bounded(RetryPolicy::new(1, ms(100), secs(1)));
    let call = || client.execute_with(&policy, |http| http.get(URL));

    for _ in 0..3 {
        tokio::time::timeout(ms(50), call()).await.unwrap_err();
    }
    assert_eq!(recorder.count("retry"), 3);

    let paid = call().await.unwrap_err();
    assert_eq!(paid.stop_reason(), Some(&StopReason::Attempts { made: 2 }));
    let unpaid = call().await.unwrap_err();
    assert_eq!(unpaid.stop_reason(), Some(&StopReason::Budget));
}

#[tokio::test(start_paused = true)]
async fn a_client_without_a_budget_retries_at_will() {
    let recorder = Recorder::new();
    let client = watched(&Script::answering(|_| Reply::status(503)), &recorder).build();

    for _ in 0..100 {
        client.execute(|http| http.get(URL)).await.unwrap_err();
    }

    assert_eq!(recorder.count("retry"), 400);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_never_polled_pays_nothing_in() {
    let script = Script::answering(|_| Reply::status(503));
    let client = watched(&script, &Recorder::new())
        .retry_budget(RetryBudget::new(Ratio::percent(50), 0))
        .build();
    let policy = CallPolicy::bounded(RetryPolicy::new(1, ms(100), secs(1)));

    drop(client.execute_with(&policy, |http| http.get(URL)));
    let error = client.execute_with(&policy, |http| http.get(URL)).await.unwrap_err();

    // Half a retry was paid for; two calls would have paid for a whole one.
    assert_eq!(error.stop_reason(), Some(&StopReason::Budget));
}
