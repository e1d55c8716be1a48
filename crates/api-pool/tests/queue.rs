//! Slots are shared by priority, in order, within bounds.

mod support;

use std::sync::{Arc, Mutex};

use api_pool::testing::{Reply, Script};
use api_pool::{CallPolicy, ErrorKind, QueueClass, ResilientClient};
use support::{Recorder, URL, ms, now, secs, sleep, watched};

/// Starts a call that notes its name when it is sent, and lets it reach the queue.
async fn call(
    client: &ResilientClient<Script>,
    policy: &CallPolicy,
    name: &'static str,
) -> tokio::task::JoinHandle<Result<(), ErrorKind>> {
    let (client, policy) = (client.clone(), policy.clone());
    let handle = tokio::spawn(async move {
        client
            .execute_with(&policy, |http| http.get(format!("{URL}?{name}")))
            .await
            .map(drop)
            .map_err(|error| error.kind)
    });
    tokio::task::yield_now().await;
    handle
}

fn queries(script: &Script) -> Vec<String> {
    script
        .requests()
        .iter()
        .map(|request| request.uri().query().unwrap_or_default().to_owned())
        .collect()
}

fn slow() -> Script {
    Script::answering(|_| Reply::ok("fine").after(ms(50)))
}

#[tokio::test(start_paused = true)]
async fn an_essential_call_waits_for_at_most_one_background_call() {
    let script = slow();
    let client = watched(&script, &Recorder::new()).max_parallel(1).build();
    let mut polls = Vec::new();
    for _ in 0..20 {
        polls.push(call(&client, &CallPolicy::background(), "poll").await);
    }
    let started = now();

    call(&client, &CallPolicy::essential(), "screen").await.await.unwrap().unwrap();

    assert_eq!(started.elapsed(), ms(100));
    assert_eq!(queries(&script)[..2], ["poll", "screen"]);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_turns_out_to_be_malformed_at_its_turn_fails_then_and_passes_the_slot_on() {
    let script = slow();
    let client = watched(&script, &Recorder::new()).max_parallel(1).build();
    let essential = CallPolicy::essential();
    let started = now();
    let first = call(&client, &essential, "first").await;
    let waiting = client.clone();
    let malformed = tokio::spawn(async move {
        let policy = CallPolicy::essential();
        waiting.execute_with(&policy, |http| http.get("http://[")).await.map(drop)
    });
    tokio::task::yield_now().await;
    let last = call(&client, &essential, "last").await;
    assert_eq!(client.waiting(), 2);

    let malformed = tokio::time::timeout(secs(1), malformed).await;
    let error = malformed.expect("it ends").unwrap().unwrap_err();

    assert!(matches!(error.kind, ErrorKind::Request(_)), "{error:?}");
    assert_eq!(started.elapsed(), ms(50));
    first.await.unwrap().unwrap();
    last.await.unwrap().unwrap();
    assert_eq!(queries(&script), ["first", "last"]);
    assert_eq!(started.elapsed(), ms(100));
}

#[tokio::test(start_paused = true)]
async fn calls_of_one_class_are_sent_in_the_order_in_which_they_came() {
    let script = slow();
    let client = watched(&script, &Recorder::new()).max_parallel(2).build();
    let names = ["a", "b", "c", "d", "e", "f"];
    let mut calls = Vec::new();
    for name in names {
        calls.push(call(&client, &CallPolicy::background(), name).await);
    }
    for call in calls {
        call.await.unwrap().unwrap();
    }
    assert_eq!(queries(&script), names);
    assert_eq!(client.peak_in_flight(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_full_queue_refuses_the_next_call_at_once() {
    let client = watched(&slow(), &Recorder::new()).max_parallel(1).max_waiting(1).build();
    let running = call(&client, &CallPolicy::background(), "running").await;
    let waiting = call(&client, &CallPolicy::background(), "waiting").await;

    let started = now();
    let refused = call(&client, &CallPolicy::essential(), "refused").await.await.unwrap();

    assert_eq!((refused, started.elapsed()), (Err(ErrorKind::QueueFull), ms(0)));
    running.await.unwrap().unwrap();
    waiting.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_call_waits_in_the_queue_for_no_longer_than_it_may() {
    let script = Script::answering(|_| Reply::ok("fine").after(secs(60)));
    let recorder = Recorder::new();
    let client = watched(&script, &recorder).max_parallel(1).max_wait(secs(2)).build();
    let running = call(&client, &CallPolicy::background(), "running").await;

    let started = now();
    let refused = call(&client, &CallPolicy::essential(), "refused").await.await.unwrap();

    assert_eq!((refused, started.elapsed()), (Err(ErrorKind::QueueTimeout), secs(2)));
    running.await.unwrap().unwrap();
    recorder.assert_paired();
}

#[tokio::test(start_paused = true)]
async fn the_slot_is_free_during_a_retry_s_wait() {
    let answered = Arc::new(Mutex::new(0));
    let script = Script::answering(move |request| {
        let mut answered = answered.lock().unwrap();
        *answered += 1;
        if request.uri().query() == Some("failing") && *answered == 1 {
            Reply::status(503)
        } else {
            Reply::ok("fine").after(ms(50))
        }
    });
    let client = watched(&script, &Recorder::new()).max_parallel(1).build();
    let failing = call(&client, &CallPolicy::essential(), "failing").await;
    let quick = call(&client, &CallPolicy::background(), "quick").await;
    failing.await.unwrap().unwrap();
    quick.await.unwrap().unwrap();

    assert_eq!(queries(&script), ["failing", "quick", "failing"]);
}

#[tokio::test(start_paused = true)]
async fn more_slots_are_granted_at_once_and_fewer_as_attempts_end() {
    let script = slow();
    let client = watched(&script, &Recorder::new()).max_parallel(1).build();
    let mut calls = Vec::new();
    for name in ["a", "b", "c", "d"] {
        calls.push(call(&client, &CallPolicy::background(), name).await);
    }
    assert_eq!((client.in_flight(), client.waiting()), (1, 3));

    client.set_max_parallel(3);
    assert_eq!((client.in_flight(), client.waiting()), (3, 1));

    client.set_max_parallel(0);
    sleep(ms(75)).await;
    assert_eq!((client.in_flight(), client.waiting()), (1, 0));
    for call in calls {
        call.await.unwrap().unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn waiters_are_counted_by_class_until_they_run_or_leave() {
    let script = slow();
    let client = watched(&script, &Recorder::new()).max_parallel(1).build();
    let waiting =
        || [QueueClass::Essential, QueueClass::Background].map(|class| client.waiting_in(class));
    let (essential, background) = (CallPolicy::essential(), CallPolicy::background());
    let running = call(&client, &essential, "running").await;
    let next = call(&client, &essential, "next").await;
    let polls = [call(&client, &background, "a").await, call(&client, &background, "b").await];
    assert_eq!(waiting(), [1, 2]);

    running.await.unwrap().unwrap();
    assert_eq!(waiting(), [0, 2]);
    let [leaves, stays] = polls;
    leaves.abort();
    assert!(leaves.await.unwrap_err().is_cancelled());
    assert_eq!(waiting(), [0, 1]);

    next.await.unwrap().unwrap();
    stays.await.unwrap().unwrap();
    assert_eq!(waiting(), [0, 0]);
}

#[tokio::test(start_paused = true)]
async fn a_background_call_is_not_starved_by_essential_ones() {
    let script = slow();
    let client = watched(&script, &Recorder::new()).max_parallel(1).build();
    let mut calls = vec![call(&client, &CallPolicy::essential(), "first").await];
    calls.push(call(&client, &CallPolicy::background(), "poll").await);
    for _ in 0..40 {
        calls.push(call(&client, &CallPolicy::essential(), "screen").await);
    }
    for call in calls {
        call.await.unwrap().unwrap();
    }
    assert_eq!(queries(&script).iter().position(|query| query == "poll"), Some(17));
}

#[test]
fn only_essential_calls_are_essential() {
    assert_eq!(CallPolicy::essential().class(), QueueClass::Essential);
    assert_eq!(CallPolicy::background().class(), QueueClass::Background);
    assert_eq!(CallPolicy::bounded(Default::default()).class(), QueueClass::Background);
}
