//! Calls work alike on every kind of Tokio runtime, and need nothing of it but its clock.

mod support;

use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use api_pool::testing::{Reply, Script};
use api_pool::{
    BreakerState, CallPolicy, Policy, RequestRuntime, ResilientClient, RetryPolicy, Retryable,
    RunOptions, with_retry,
};
use futures_util::FutureExt;
use futures_util::future::join_all;
use retry_core::Backoff;
use support::{URL, ms, secs, statuses};
use tokio::runtime::{Builder, Handle, Runtime};

/// Passes every wait there is: at the breaker, for a token, for the rate limit, for a slot, for
/// an answer, for a retry.
async fn every_wait() {
    let mut number = 0;
    let script = Script::answering(move |_| {
        number += 1;
        if number <= 2 { Reply::status(503) } else { Reply::ok("fine").after(ms(1)) }
    });
    let builder = ResilientClient::builder()
        .transport(script)
        .retry(RetryPolicy::new(9, ms(1), ms(2)))
        .circuit_breaker(2, ms(5))
        .max_parallel(2)
        .bearer_tokens(|| async {
            tokio::task::yield_now().await;
            Ok::<_, Infallible>("token")
        });
    #[cfg(feature = "rate-limit")]
    let builder = builder.rate_limit_with_burst(1000.0, 1);
    let client = builder.build();
    let essential = CallPolicy::essential();

    let calls = (0..10).map(|_| client.execute_read(&essential, |http| http.get(URL)));
    for answer in join_all(calls).await {
        assert_eq!(answer.expect("it recovers").body(), "fine");
    }
    assert_eq!((client.in_flight(), client.waiting()), (0, 0));
    assert_eq!(client.breaker_state(), Some(BreakerState::Closed));

    let policy = CallPolicy::background().with_attempt_timeout(ms(1)).with_deadline(secs(1));
    let hangs = ResilientClient::builder().transport(Script::new([Reply::hang()])).build();
    let error = hangs.execute_with(&policy, |http| http.get(URL)).await;
    let error = error.expect_err("it hangs");
    assert_eq!(error.kind_name(), "transport");
}

#[derive(Debug)]
struct Busy;

impl Retryable for Busy {
    fn is_transient(&self) -> bool {
        true
    }

    fn retry_after(&self) -> Option<Duration> {
        None
    }
}

/// The same loop, for operations that know nothing of HTTP.
async fn every_loop() {
    let mut failures = 2;
    let policy = Policy::new(Backoff::exponential(ms(1)));
    let retried = with_retry(policy, || {
        let fails = failures > 0;
        failures -= i32::from(fails);
        async move { if fails { Err(Busy) } else { Ok(()) } }
    });
    retried.await.expect("the third attempt succeeds");

    let runtime = RequestRuntime::builder("test").group("one", 1).build().expect("a valid name");
    let options = RunOptions::new().group("one").retry(3).retry_delay(ms(1));
    let mut failures = 2;
    let run = runtime.run(options, || {
        let fails = failures > 0;
        failures -= i32::from(fails);
        async move { if fails { Err("not yet") } else { Ok(()) } }
    });
    run.await.expect("the third attempt succeeds");
}

async fn everything() {
    every_wait().await;
    every_loop().await;
}

fn runtime(mut builder: Builder) -> Runtime {
    // No I/O: the wire needs that, and a script does not.
    builder.enable_time().build().expect("a runtime")
}

#[test]
fn on_a_single_thread() {
    runtime(Builder::new_current_thread()).block_on(everything());
}

#[test]
fn on_two_threads_that_steal_each_other_s_work() {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(2);
    runtime(builder).block_on(async {
        let tasks = (0..4).map(|_| tokio::spawn(everything()));
        for task in join_all(tasks).await {
            task.expect("no panic");
        }
    });
}

#[test]
fn on_a_local_set() {
    let local = tokio::task::LocalSet::new();
    local.block_on(&runtime(Builder::new_current_thread()), async {
        tokio::task::spawn_local(everything()).await.expect("no panic");
    });
}

#[test]
fn blocked_on_from_a_thread_for_blocking_work() {
    runtime(Builder::new_multi_thread()).block_on(async {
        let handle = Handle::current();
        let blocking = tokio::task::spawn_blocking(move || handle.block_on(everything()));
        blocking.await.expect("no panic");
    });
}

#[test]
fn one_client_on_two_runtimes_at_once() {
    let script = Script::answering(|_| Reply::ok("fine").after(ms(1)));
    let client = ResilientClient::builder().transport(script).max_parallel(1).build();
    std::thread::scope(|threads| {
        for _ in 0..2 {
            threads.spawn(|| {
                runtime(Builder::new_current_thread()).block_on(async {
                    for _ in 0..20 {
                        client.execute(|http| http.get(URL)).await.expect("it is served");
                    }
                });
            });
        }
    });
    assert_eq!((client.peak_in_flight(), client.in_flight(), client.waiting()), (1, 0, 0));
}

#[test]
fn a_call_that_waits_for_nothing_needs_no_runtime() {
    let client = ResilientClient::builder().transport(statuses([200])).default_breaker().build();
    let answer = client.execute(|http| http.get(URL)).now_or_never();
    assert!(answer.is_some_and(|answer| answer.is_ok()));
    assert_eq!(client.breaker_state(), Some(BreakerState::Closed));
}

#[test]
fn who_waits_for_a_token_outlives_the_runtime_of_another_that_does() {
    let asked = AtomicUsize::new(0);
    let source = move || {
        let first = asked.fetch_add(1, Ordering::Relaxed) == 0;
        async move { if first { Err("no luck") } else { Ok("token") } }
    };
    let client =
        ResilientClient::builder().transport(statuses([200])).bearer_tokens(source).build();
    let paused = || {
        let mut builder = Builder::new_current_thread();
        builder.start_paused(true);
        runtime(builder)
    };
    let call = || Box::pin(client.execute(|http| http.get(URL)));
    let (one, other) = (paused(), paused());
    let failed = one.block_on(call()).map(drop).map_err(|error| error.kind_name());
    assert_eq!(failed, Err("auth"));

    // Both wait out the pause after the failure, the one that will be gone first.
    let (mut gone, mut lives) = (call(), call());
    assert!(one.block_on(async { (&mut gone).now_or_never() }).is_none());
    assert!(other.block_on(async { (&mut lives).now_or_never() }).is_none());
    drop(gone);
    drop(one);

    assert!(other.block_on(lives).is_ok());
}
