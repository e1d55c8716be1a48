//! Ten thousand calls wait for a server to come back: they sleep, cost little, and do not overrun
//! it.

mod support;

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use api_pool::testing::{Reply, Script};
use api_pool::{CallPolicy, ClientError, ResilientClient};
use futures_util::future::join_all;
use support::{URL, now, secs};
use tokio::time::Instant;

const CROWD: usize = 10_000;

/// What a call that waits may cost, in bytes.
const ROOM: u64 = 2048;

/// Fails after a second, so many times, and works from then on; writes down when requests came.
fn failing(times: usize, arrivals: &Arc<Mutex<Vec<Instant>>>) -> Script {
    let arrivals = Arc::clone(arrivals);
    Script::answering(move |_| {
        let mut arrivals = arrivals.lock().expect("no panic here");
        arrivals.push(now());
        let reply = if arrivals.len() <= times { Reply::status(503) } else { Reply::ok("fine") };
        reply.after(secs(1))
    })
}

/// A client whose breaker is open for five seconds.
async fn open(script: Script) -> ResilientClient<Script> {
    let client = ResilientClient::builder()
        .transport(script)
        .entropy(|| 0)
        .max_parallel(CROWD)
        .circuit_breaker_growing(1, secs(5), secs(10))
        .build();
    let poll = CallPolicy::background();
    client.execute_with(&poll, |http| http.get(URL)).await.expect_err("it is down");
    client
}

async fn call(client: &ResilientClient<Script>) -> Result<(), ClientError> {
    client.execute_read(&CallPolicy::essential(), |http| http.get(URL)).await.map(drop)
}

/// Counts the polls of a call.
struct Counted<'a, F> {
    call: Pin<Box<F>>,
    polls: &'a AtomicUsize,
}

impl<F: Future> Future for Counted<'_, F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        self.polls.fetch_add(1, Ordering::Relaxed);
        self.call.as_mut().poll(context)
    }
}

#[tokio::test(start_paused = true)]
async fn one_of_them_probes_and_the_others_sleep_until_it_succeeds() {
    let arrivals = Arc::new(Mutex::new(Vec::new()));
    let start = now();
    let client = open(failing(4, &arrivals)).await;
    let polls: Vec<AtomicUsize> = (0..CROWD).map(|_| AtomicUsize::new(0)).collect();

    let calls = polls.iter().map(|polls| Counted { call: Box::pin(call(&client)), polls });
    let mut calls = Box::pin(join_all(calls));
    // It opened after a second; its cooldowns are 5, 10, 10 and 10 s, and a probe takes one.
    let outage = secs(1 + 5 + 1 + 10 + 1 + 10 + 1 + 10);
    let waiting = tokio::time::timeout_at(start + outage, calls.as_mut()).await;
    assert!(waiting.is_err());

    let came: Vec<Duration> =
        arrivals.lock().expect("no panic here").iter().map(|at| *at - start).collect();
    assert_eq!(came[..4], [0, 6, 17, 28].map(secs));
    let sent = arrivals.lock().expect("no panic here").len();
    assert!(sent <= 5, "{sent} requests");
    let woken: usize = polls.iter().map(|polls| polls.load(Ordering::Relaxed) - 1).sum();
    assert!(woken <= 4 * 6, "{woken} wakes for three probes");

    let ended = calls.await;
    assert!(ended.iter().all(Result::is_ok));
    let most = polls.iter().map(|polls| polls.load(Ordering::Relaxed)).max();
    assert!(most <= Some(16), "{most:?} polls of one call");
    let all: usize = polls.iter().map(|polls| polls.load(Ordering::Relaxed)).sum();
    assert!(all <= 4 * CROWD, "{all} polls of all");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_waits_costs_less_than_two_kibibytes() {
    let client = open(failing(1, &Arc::default())).await;
    let mut calls = Vec::with_capacity(CROWD);
    let mut context = Context::from_waker(Waker::noop());

    let used = allocation_counter::measure(|| {
        for _ in 0..CROWD {
            let mut call = Box::pin(call(&client));
            assert!(call.as_mut().poll(&mut context).is_pending());
            calls.push(call);
        }
    });

    let each = u64::try_from(used.bytes_current).unwrap_or(u64::MAX) / CROWD as u64;
    assert!(each <= ROOM, "{each} bytes");
    drop(calls);
    poll_fn(|_| Poll::Ready(())).await;
}
