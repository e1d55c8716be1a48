//! No call outlives its deadline, and no attempt its timeout.

mod support;

use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use api_pool::testing::{Reply, Script};
use api_pool::{CallPolicy, ErrorKind, Fate, Fault, RetryMode, RetryPolicy, StopReason};
use futures_util::future::join_all;
use support::{Recorder, URL, ms, now, secs, sleep, statuses, watched};

fn bounded(retries: usize, base: Duration) -> CallPolicy {
    CallPolicy::bounded(RetryPolicy::new(retries, base, secs(100)))
}

#[tokio::test(start_paused = true)]
async fn a_hanging_server_costs_whole_attempts_and_then_the_deadline() {
    let script = Script::answering(|_| Reply::hang());
    let recorder = Recorder::new();
    let client = watched(&script, &recorder).build();
    let policy = bounded(10, ms(100)).with_attempt_timeout(secs(2)).with_deadline(secs(7));
    let started = now();

    let error = client.execute_with(&policy, |http| http.get(URL)).await.unwrap_err();

    // Attempts start at 0, 2.1, 4.3 and 6.7 s; the last one is cut.
    assert_eq!(started.elapsed(), secs(7));
    assert_eq!(error.kind, ErrorKind::Deadline);
    assert_eq!(error.fate(), Fate::MaybeProcessed);
    assert_eq!(recorder.count("failed attempt timed out after 2s"), 3);
    assert_eq!(script.requests().len(), 4);
}

#[tokio::test(start_paused = true)]
async fn an_attempt_s_timeout_is_a_transport_failure_that_is_retried() {
    let script = Script::new([Reply::hang(), Reply::ok("quick")]);
    let client = watched(&script, &Recorder::new()).build();
    let policy = bounded(1, ms(100)).with_attempt_timeout(secs(2));
    let started = now();

    client.execute_with(&policy, |http| http.get(URL)).await.unwrap();

    assert_eq!(started.elapsed(), secs(2) + ms(100));
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_cannot_end_in_time_is_not_begun() {
    let script = Script::new([Reply::status(429).with_header("retry-after", "60")]);
    let client = watched(&script, &Recorder::new()).build();
    let policy = bounded(3, ms(100)).with_deadline(secs(15));
    let started = now();

    let error = client.execute_with(&policy, |http| http.get(URL)).await.unwrap_err();

    assert_eq!(started.elapsed(), Duration::ZERO);
    assert_eq!(error.status(), Some(429));
    assert_eq!(
        error.stop_reason(),
        Some(&StopReason::Elapsed { elapsed: Duration::ZERO, wait: secs(60), limit: secs(15) })
    );
}

#[tokio::test(start_paused = true)]
async fn time_in_the_queue_counts_toward_the_deadline_only() {
    let script = Script::new([Reply::ok("slow").after(secs(30)), Reply::hang()]);
    let recorder = Recorder::new();
    let client = watched(&script, &recorder).max_parallel(1).build();
    let holder = client.clone();
    let holding = tokio::spawn(async move { holder.execute(|http| http.get(URL)).await.is_ok() });
    tokio::task::yield_now().await;
    let policy = bounded(0, ms(1)).with_attempt_timeout(secs(2)).with_deadline(secs(5));
    let started = now();

    let error = client.execute_with(&policy, |http| http.get(URL)).await.unwrap_err();

    assert_eq!(started.elapsed(), secs(5));
    assert_eq!((error.kind.clone(), error.attempts), (ErrorKind::Deadline, 0));
    assert_eq!(error.fate(), Fate::NotSent);
    assert!(holding.await.unwrap());
    recorder.assert_paired();
}

#[tokio::test(start_paused = true)]
async fn a_deadline_ends_a_wait_for_the_breaker() {
    let client = watched(&statuses([503]), &Recorder::new()).circuit_breaker(1, secs(60)).build();
    client.execute_with(&CallPolicy::background(), |http| http.get(URL)).await.unwrap_err();
    let policy = CallPolicy::essential().with_deadline(secs(5));
    let started = now();

    let error = client.execute_with(&policy, |http| http.get(URL)).await.unwrap_err();

    assert_eq!((started.elapsed(), error.kind), (secs(5), ErrorKind::Deadline));
}

#[tokio::test(start_paused = true)]
async fn a_deadline_ends_a_wait_for_a_token_and_the_next_call_asks_for_another() {
    let asked = AtomicUsize::new(0);
    let script = statuses([200]);
    let client = watched(&script, &Recorder::new())
        .default_breaker()
        .bearer_tokens(move || {
            let hangs = asked.fetch_add(1, Ordering::Relaxed) == 0;
            async move {
                sleep(if hangs { Duration::MAX } else { ms(20) }).await;
                Ok::<_, Infallible>("token")
            }
        })
        .build();
    let policy = CallPolicy::essential().with_deadline(secs(3));
    let started = now();

    let calls = (0..10).map(|_| client.execute_with(&policy, |http| http.get(URL)));
    for error in join_all(calls).await.into_iter().map(Result::unwrap_err) {
        assert_eq!((error.kind.clone(), error.fate()), (ErrorKind::Deadline, Fate::NotSent));
    }
    assert_eq!((started.elapsed(), script.requests().len()), (secs(3), 0));

    client.execute_with(&policy, |http| http.get(URL)).await.unwrap();
    assert_eq!(started.elapsed(), secs(3) + ms(20));
}

#[tokio::test(start_paused = true)]
async fn the_error_does_not_forget_what_an_earlier_attempt_may_have_done() {
    let recorder = Recorder::new();
    let script = Script::new([Reply::fault(Fault::Broken)]);
    let client = watched(&script, &recorder).circuit_breaker(1, secs(60)).build();
    let policy = CallPolicy::essential().with_deadline(secs(5));

    let error = client.execute_with(&policy, |http| http.post(URL)).await.unwrap_err();

    assert_eq!((error.kind.clone(), error.attempts), (ErrorKind::Deadline, 1));
    assert_eq!(error.fate(), Fate::MaybeProcessed);
    let records: Vec<_> =
        error.history().iter().map(|record| (record.number, record.fate)).collect();
    assert_eq!(records, [(1, Fate::MaybeProcessed), (2, Fate::NotSent)]);
}

#[tokio::test(start_paused = true)]
async fn the_longest_duration_means_no_limit() {
    let policy = CallPolicy::new(
        RetryMode::until_cancelled(Duration::MAX, Duration::MAX),
        api_pool::BreakerMode::FailFast,
    )
    .with_deadline(Duration::MAX)
    .with_attempt_timeout(Duration::MAX);
    assert_eq!((policy.deadline(), policy.attempt_timeout()), (None, None));
    let client = watched(&statuses([503]), &Recorder::new())
        .circuit_breaker_growing(1, Duration::MAX, Duration::MAX)
        .max_wait(Duration::MAX)
        .build();

    let call = client.execute_with(&policy, |http| http.get(URL));
    tokio::time::timeout(secs(365 * 24 * 3600), call).await.unwrap_err();

    let poll = CallPolicy::background();
    let error = client.execute_with(&poll, |http| http.get(URL)).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::BreakerOpen);
}

#[tokio::test(start_paused = true)]
async fn a_call_starts_when_it_is_first_polled() {
    let script = Script::answering(|_| Reply::hang());
    let client = watched(&script, &Recorder::new()).build();
    let policy = bounded(0, ms(100)).with_deadline(secs(7));

    let call = client.execute_with(&policy, |http| http.get(URL));
    tokio::time::advance(secs(60)).await;
    assert!(script.requests().is_empty());
    let started = now();
    call.await.unwrap_err();

    assert_eq!(started.elapsed(), secs(7));
}

#[tokio::test(start_paused = true)]
async fn a_deadline_of_nothing_sends_nothing() {
    let script = Script::answering(|_| Reply::ok("late"));
    let client = watched(&script, &Recorder::new()).build();
    let policy = CallPolicy::essential().with_deadline(Duration::ZERO);

    let error = client.execute_with(&policy, |http| http.post(URL)).await.unwrap_err();

    assert_eq!((error.kind.clone(), error.fate()), (ErrorKind::Deadline, Fate::NotSent));
    assert!(script.requests().is_empty());
}

/// Polls `call` until nothing is left to do at once, as long as the clock stands.
async fn settle<F: Future + Unpin>(call: &mut F) {
    for _ in 0..10 {
        let pending = futures_util::poll!(&mut *call).is_pending();
        assert!(pending, "it still waits");
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_retry_that_nobody_looks_at_before_the_deadline_is_not_sent() {
    let script = statuses([503, 200]);
    let client = watched(&script, &Recorder::new()).build();
    let policy = bounded(3, ms(900)).with_deadline(secs(1));
    let mut call = Box::pin(client.execute_with(&policy, |http| http.get(URL)));
    settle(&mut call).await;

    tokio::time::advance(secs(5)).await;
    let error = call.await.unwrap_err();

    assert_eq!((error.kind.clone(), error.history().len()), (ErrorKind::Deadline, 2));
    assert_eq!(script.requests().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_slot_that_nobody_takes_before_the_deadline_goes_back_unused() {
    let script = Script::answering(|_| Reply::ok("slow").after(ms(900)));
    let client = watched(&script, &Recorder::new()).max_parallel(1).build();
    let mut holder = Box::pin(client.execute(|http| http.get(URL)));
    settle(&mut holder).await;
    let policy = CallPolicy::essential().with_deadline(secs(1));
    let mut call = Box::pin(client.execute_with(&policy, |http| http.get(URL)));
    settle(&mut call).await;
    tokio::time::advance(ms(900)).await;
    holder.await.unwrap();

    tokio::time::advance(secs(5)).await;
    let error = call.await.unwrap_err();

    assert_eq!((error.kind.clone(), error.fate()), (ErrorKind::Deadline, Fate::NotSent));
    assert_eq!((script.requests().len(), client.in_flight()), (1, 0));
    client.execute(|http| http.get(URL)).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_replay_that_nobody_looks_at_before_the_deadline_is_not_sent() {
    let script = statuses([401, 200]);
    let tokens = || async {
        sleep(ms(10)).await;
        Ok::<_, Infallible>("a token")
    };
    let client = watched(&script, &Recorder::new()).bearer_tokens(tokens).build();
    let policy = CallPolicy::essential().with_deadline(secs(1));
    let mut call = Box::pin(client.execute_with(&policy, |http| http.get(URL)));
    settle(&mut call).await;
    tokio::time::advance(ms(10)).await;
    settle(&mut call).await;
    assert_eq!(script.requests().len(), 1);

    tokio::time::advance(secs(5)).await;
    let error = call.await.unwrap_err();

    assert_eq!(error.kind, ErrorKind::Deadline);
    assert_eq!(script.requests().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_deadline_that_passes_while_the_body_is_read_knows_that_the_request_was_processed() {
    let stalled = Reply::status(200).with_pause(secs(60)).with_chunk("late");
    let script = Script::new([stalled]);
    let client = watched(&script, &Recorder::new()).build();
    let policy = CallPolicy::essential().with_deadline(secs(1));

    let error = client.execute_read(&policy, |http| http.get(URL)).await.unwrap_err();

    assert_eq!((error.kind.clone(), error.fate()), (ErrorKind::Deadline, Fate::Processed));
}
