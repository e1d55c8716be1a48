//! In an outage the server is asked what the breaker allows, however many want something of it.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use api_pool::testing::{Reply, Script};
use api_pool::{CallPolicy, Ratio, ResilientClient, RetryBudget, RetryPolicy};
use support::{URL, ms, now, secs, sleep};
use tokio::task::JoinSet;

/// A server that is down, and how often it was asked.
fn down() -> (Script, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let script = {
        let asked = Arc::clone(&asked);
        Script::answering(move |_| {
            asked.fetch_add(1, Ordering::Relaxed);
            Reply::status(503).after(ms(10))
        })
    };
    (script, asked)
}

/// A thousand pollers and a hundred who will not give up, for ten minutes.
async fn ask_for_ten_minutes(client: &ResilientClient<Script>) {
    let started = now();
    let mut all = JoinSet::new();
    for poller in 0..1_000 {
        let client = client.clone();
        all.spawn(async move {
            sleep(ms(10 * poller)).await;
            loop {
                let _ = client.execute_with(&CallPolicy::background(), |http| http.get(URL)).await;
                sleep(secs(10)).await;
            }
        });
    }
    for _ in 0..100 {
        let client = client.clone();
        all.spawn(async move {
            let _ = client.execute_with(&CallPolicy::essential(), |http| http.get(URL)).await;
        });
    }
    // And a little, so that what is due at the end has come.
    tokio::time::sleep_until(started + secs(600) + ms(50)).await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_down_is_asked_by_the_first_slots_and_then_by_probes() {
    let (script, asked) = down();
    let client = ResilientClient::builder()
        .transport(script)
        .entropy(|| 0)
        .max_parallel(8)
        .default_breaker()
        .build();

    ask_for_ten_minutes(&client).await;

    // Eight were on their way when the fifth failure opened the breaker. From then on a probe
    // after 5, 10, 20, 40 s, and one a minute: at 5, 15, 35, 75, 135, … 555 s.
    let probes = 4 + (555 - 75) / 60;
    assert_eq!(asked.load(Ordering::Relaxed), 8 + probes);
}

#[cfg(feature = "rate-limit")]
#[tokio::test(start_paused = true)]
async fn without_a_breaker_a_rate_is_never_exceeded() {
    let (script, asked) = down();
    let client = ResilientClient::builder()
        .transport(script)
        .entropy(|| 0)
        .max_parallel(64)
        .rate_limit_with_burst(10.0, 20)
        .build();

    ask_for_ten_minutes(&client).await;

    assert_eq!(asked.load(Ordering::Relaxed), 10 * 600 + 20);
}

#[tokio::test(start_paused = true)]
async fn a_budget_bounds_what_retries_add() {
    const CALLS: usize = 10_000;
    for percent in [1, 10, 30, 60, 90, 100, 150] {
        let (script, asked) = down();
        let budget = RetryBudget::new(Ratio::percent(percent), 10);
        let client = ResilientClient::builder()
            .transport(script)
            .max_parallel(CALLS)
            .retry_budget(budget)
            .build();
        let policy = CallPolicy::bounded(RetryPolicy::new(3, ms(1), ms(1)));

        let mut calls = JoinSet::new();
        for _ in 0..CALLS {
            let (client, policy) = (client.clone(), policy.clone());
            calls.spawn(async move {
                client.execute_with(&policy, |http| http.get(URL)).await.is_err()
            });
        }
        assert!(calls.join_all().await.into_iter().all(|failed| failed));

        let retries = asked.load(Ordering::Relaxed) - CALLS;
        assert_eq!(retries, CALLS * percent as usize / 100 + 10, "{percent} %");
    }
}
