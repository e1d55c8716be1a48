//! After an outage the waiting calls are released at a pace that the server bears.
//!
//! The whole client in virtual time: a server that answers 503 for a minute and then serves a
//! limited rate, a thousand essential callers and a hundred pollers. Nobody tells the client what
//! the server bears.

mod support;

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use api_pool::testing::{Reply, Script};
use api_pool::{CallPolicy, ResilientClient};
use support::{URL, ms, now, secs, sleep};
use tokio::task::JoinSet;
use tokio::time::Instant;

/// The end of the outage.
const OUTAGE: Duration = secs(60);

/// A server that is down for a minute and then serves `capacity` requests per second, with a
/// burst of 10.
struct Server {
    start: Instant,
    capacity: fn(Duration) -> f64,
    tokens: f64,
    refilled: Duration,
    entropy: u64,
    log: Log,
}

#[derive(Clone, Default)]
struct Log {
    /// When each request came, and whether it was served.
    requests: Vec<(Duration, bool)>,
}

impl Server {
    fn answer(&mut self) -> Reply {
        let at = now() - self.start;
        self.entropy = self.entropy.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let latency = ms(5 + (self.entropy >> 33) % 11);
        let served = OUTAGE <= at && self.take(at);
        self.log.requests.push((at, served));
        if served { Reply::ok("fine") } else { Reply::status(503) }.after(latency)
    }

    fn take(&mut self, at: Duration) -> bool {
        let since = at.saturating_sub(self.refilled.max(OUTAGE));
        self.tokens = (self.tokens + since.as_secs_f64() * (self.capacity)(at)).min(10.0);
        self.refilled = at;
        let served = 1.0 <= self.tokens;
        if served {
            self.tokens -= 1.0;
        }
        served
    }
}

/// What a run came to.
#[derive(Debug)]
struct Outcome {
    sent_in_outage: usize,
    refused_after: usize,
    peak_per_second: usize,
    last_served_after: Duration,
    wakes_in_outage: f64,
    wakes_after: f64,
}

/// Counts the polls of a call, in the outage and after it.
struct Counted<F> {
    inner: Pin<Box<F>>,
    start: Instant,
    polls: (usize, usize),
}

impl<F: Future> Future for Counted<F> {
    type Output = (F::Output, (usize, usize));

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if now() - self.start < OUTAGE {
            self.polls.0 += 1;
        } else {
            self.polls.1 += 1;
        }
        let poll = self.inner.as_mut().poll(context);
        poll.map(|output| (output, self.polls))
    }
}

async fn run(callers: u64, capacity: fn(Duration) -> f64, longest: Duration) -> Outcome {
    let start = now();
    let server = Arc::new(Mutex::new(Server {
        start,
        capacity,
        tokens: 10.0,
        refilled: OUTAGE,
        entropy: 7,
        log: Log::default(),
    }));
    let script = {
        let server = server.clone();
        Script::answering(move |_| server.lock().expect("no panic").answer())
    };
    let mut entropy = 11_u64;
    let client = ResilientClient::builder()
        .transport(script)
        .circuit_breaker_growing(5, secs(5), longest)
        .entropy(move || {
            entropy = entropy.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            entropy ^ (entropy >> 29)
        })
        .build();

    let mut polling = JoinSet::new();
    for poller in 0..100 {
        let client = client.clone();
        polling.spawn(async move {
            sleep(ms(poller * 10)).await;
            loop {
                let _ = client.execute_with(&CallPolicy::background(), |http| http.get(URL)).await;
                sleep(ms(950 + poller)).await;
            }
        });
    }
    let mut calls = JoinSet::new();
    for caller in 0..callers {
        let client = client.clone();
        calls.spawn(async move {
            sleep(Duration::from_micros(caller * 1_000_000 / callers)).await;
            let essential = CallPolicy::essential();
            let call = client.execute_with(&essential, |http| http.get(URL));
            let counted = Counted { inner: Box::pin(call), start, polls: (0, 0) };
            let (result, polls) = pin!(counted).await;
            result.expect("an essential call succeeds in the end");
            (now() - start, polls)
        });
    }
    let ended = calls.join_all().await;
    drop(polling);

    let log = server.lock().expect("no panic").log.clone();
    let last = ended.iter().map(|(at, _)| *at).max().expect("there are callers");
    let after = log.requests.iter().filter(|(at, _)| OUTAGE <= *at);
    let peak = after
        .clone()
        .map(|(from, _)| {
            after.clone().filter(|(at, _)| from <= at && *at < *from + secs(1)).count()
        })
        .max();
    let mean = |wakes: fn(&(usize, usize)) -> usize| {
        ended.iter().map(|(_, polls)| wakes(polls)).sum::<usize>() as f64 / ended.len() as f64
    };
    Outcome {
        sent_in_outage: log.requests.iter().filter(|(at, _)| *at < OUTAGE).count(),
        refused_after: after.filter(|(_, served)| !served).count(),
        peak_per_second: peak.unwrap_or(0),
        last_served_after: last.saturating_sub(OUTAGE),
        wakes_in_outage: mean(|polls| polls.0),
        wakes_after: mean(|polls| polls.1),
    }
}

#[tokio::test(start_paused = true)]
async fn a_thousand_callers_are_served_in_forty_seconds_without_a_herd() {
    let outcome = run(1000, |_| 50.0, secs(60)).await;

    assert!(outcome.sent_in_outage <= 20, "{outcome:?}");
    assert!(outcome.last_served_after <= secs(40), "{outcome:?}");
    assert!(outcome.peak_per_second <= 70, "{outcome:?}");
    assert!(outcome.refused_after <= 30, "{outcome:?}");
    assert!(outcome.wakes_in_outage <= 3.0 && outcome.wakes_after <= 5.0, "{outcome:?}");
}

#[tokio::test(start_paused = true)]
async fn a_cooldown_of_ten_seconds_serves_them_in_thirty() {
    let outcome = run(1000, |_| 50.0, secs(10)).await;

    assert!(outcome.sent_in_outage <= 20, "{outcome:?}");
    assert!(outcome.last_served_after <= secs(30), "{outcome:?}");
    assert!(outcome.peak_per_second <= 70, "{outcome:?}");
    assert!(outcome.refused_after <= 30, "{outcome:?}");
    assert!(outcome.wakes_in_outage <= 3.0 && outcome.wakes_after <= 5.0, "{outcome:?}");
}

/// The optimum is 20 s, after a probe up to 5 s late.
#[tokio::test(start_paused = true)]
async fn a_server_of_five_requests_per_second_is_not_overrun() {
    let outcome = run(100, |_| 5.0, secs(10)).await;

    assert!(outcome.last_served_after <= secs(30), "{outcome:?}");
    assert!(outcome.peak_per_second <= 15, "{outcome:?}");
    assert!(outcome.refused_after <= 15, "{outcome:?}");
}

#[tokio::test(start_paused = true)]
async fn a_server_of_five_thousand_requests_per_second_is_not_kept_waiting() {
    let outcome = run(1000, |_| 5000.0, secs(10)).await;

    assert!(outcome.last_served_after <= secs(12), "{outcome:?}");
    assert_eq!(outcome.refused_after, 0, "{outcome:?}");
}

/// The optimum is 40 s.
#[tokio::test(start_paused = true)]
async fn a_server_that_gets_slower_on_the_way_is_followed() {
    let outcome = run(1000, |at| if at < secs(75) { 50.0 } else { 20.0 }, secs(10)).await;

    assert!(outcome.last_served_after <= secs(55), "{outcome:?}");
    assert!(outcome.refused_after <= 30, "{outcome:?}");
}

/// One request in a hundred fails whatever the rate, and the demand is for far more than a paced
/// recovery begins with.
#[tokio::test(start_paused = true)]
async fn a_server_that_fails_now_and_then_is_not_throttled_for_ever() {
    let start = now();
    let served = Arc::new(Mutex::new((0_u32, 0_u32)));
    let script = {
        let served = served.clone();
        let mut entropy = 3_u64;
        Script::answering(move |_| {
            let at = now() - start;
            entropy = entropy.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            if at < secs(1) || (entropy >> 33).is_multiple_of(100) {
                return Reply::status(503).after(ms(10));
            }
            if secs(150) <= at {
                served.lock().expect("no panic").0 += 1;
            }
            Reply::ok("fine").after(ms(10))
        })
    };
    let client =
        ResilientClient::builder().transport(script).max_parallel(64).default_breaker().build();
    let mut callers = JoinSet::new();
    for caller in 0..50 {
        let client = client.clone();
        callers.spawn(async move {
            sleep(ms(caller)).await;
            loop {
                let essential = CallPolicy::essential();
                client.execute_with(&essential, |http| http.get(URL)).await.expect("served");
                sleep(ms(90)).await;
            }
        });
    }
    sleep(secs(180)).await;
    drop(callers);

    let rate = served.lock().expect("no panic").0 / 30;
    assert!(rate >= 300, "{rate} per second of 500");
}
