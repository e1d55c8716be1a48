//! A call dropped at any await point leaves nothing behind.
//!
//! Every scenario is run once for each `Pending` that its call answers on the way, and dropped
//! right there. Then nothing may be in flight or waiting, every `Started` has had its terminal
//! event, and the next call succeeds as soon as it would have without the one that was dropped: a
//! probe slot or the lead of a refresh that stayed taken would keep it waiting.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use api_pool::testing::{CancelAt, Reply, Request, Script};
use api_pool::{
    BreakerMode, BreakerState, CallPolicy, ResilientClient, ResilientClientBuilder, RetryMode,
    RetryPolicy,
};
use support::{Recorder, URL, ms, now, secs, sleep, watched};

type Builder = ResilientClientBuilder<Script>;

/// How a call gets into the trouble in which it is dropped.
struct Scenario {
    name: &'static str,
    /// The reply to the request with this number, counting from 0.
    reply: fn(usize, &Request) -> Reply,
    setup: fn(Builder) -> Builder,
    /// Calls made to their end before the one that is dropped.
    before: usize,
    /// Calls in progress while the one that is dropped runs.
    beside: usize,
    /// The longest that a later call may wait: for a token, of either kind.
    next_waits: Duration,
}

const PLAIN: Scenario = Scenario {
    name: "plain",
    reply: |_, _| Reply::ok("fine").after(ms(10)),
    setup: |builder| builder,
    before: 0,
    beside: 0,
    next_waits: Duration::ZERO,
};

const SCENARIOS: &[Scenario] = &[
    PLAIN,
    Scenario {
        name: "three outages",
        reply: |n, _| match n {
            0..3 => Reply::status(503).after(ms(10)),
            _ => Reply::ok("fine").after(ms(10)),
        },
        ..PLAIN
    },
    Scenario {
        name: "rate limited by the server",
        reply: |n, _| match n {
            0 => Reply::status(429).with_header("retry-after", "3").after(ms(10)),
            _ => Reply::ok("fine"),
        },
        ..PLAIN
    },
    Scenario {
        name: "token refused",
        reply: |n, request| {
            let token = request.headers().get("authorization").map(http::HeaderValue::as_bytes);
            match (n, token) {
                (_, Some(b"Bearer token 0")) => Reply::status(401).after(ms(10)),
                _ => Reply::ok("fine").after(ms(10)),
            }
        },
        setup: |builder| {
            let issued = AtomicUsize::new(0);
            builder.bearer_tokens(move || {
                let token = issued.fetch_add(1, Ordering::Relaxed);
                async move {
                    sleep(ms(20)).await;
                    Ok::<_, std::io::Error>(format!("token {token}"))
                }
            })
        },
        next_waits: ms(20),
        ..PLAIN
    },
    Scenario {
        name: "breaker open",
        reply: |n, _| match n {
            0..2 => Reply::status(503),
            _ => Reply::ok("fine").after(ms(10)),
        },
        setup: |builder| builder.circuit_breaker(1, secs(5)),
        before: 1,
        beside: 0,
        ..PLAIN
    },
    Scenario {
        name: "behind another probe",
        reply: |n, _| match n {
            0 => Reply::status(503),
            1 => Reply::status(503).after(ms(300)),
            _ => Reply::ok("fine").after(ms(10)),
        },
        setup: |builder| builder.circuit_breaker(1, secs(1)),
        before: 1,
        beside: 2,
        ..PLAIN
    },
    Scenario {
        name: "behind a taken slot",
        reply: |_, _| Reply::ok("fine").after(ms(30)),
        setup: |builder| builder.max_parallel(1),
        before: 0,
        beside: 3,
        ..PLAIN
    },
    Scenario {
        name: "queue full",
        reply: |_, _| Reply::ok("fine").after(ms(30)),
        setup: |builder| builder.max_parallel(1).max_waiting(1),
        before: 0,
        beside: 2,
        ..PLAIN
    },
    Scenario {
        name: "rate limited by the client",
        reply: |_, _| Reply::ok("fine").after(ms(5)),
        setup: |builder| builder.rate_limit_with_burst(10.0, 1),
        before: 1,
        beside: 2,
        next_waits: ms(100),
    },
    Scenario {
        name: "slow body",
        reply: |n, _| match n {
            0 => Reply::status(200).with_chunk("he").with_pause(ms(5)).with_cut(),
            _ => Reply::status(200).with_chunk("he").with_pause(ms(5)).with_chunk("llo"),
        },
        ..PLAIN
    },
    Scenario {
        name: "slow error body",
        reply: |n, _| match n {
            0 => Reply::status(500).with_chunk("he").with_pause(ms(5)).with_chunk("llo"),
            _ => Reply::ok("fine"),
        },
        ..PLAIN
    },
    Scenario {
        name: "hangs until its attempt times out",
        reply: |n, _| if n == 0 { Reply::hang() } else { Reply::ok("fine").after(ms(5)) },
        ..PLAIN
    },
];

fn policies() -> [CallPolicy; 3] {
    [
        CallPolicy::background(),
        CallPolicy::essential(),
        CallPolicy::new(
            RetryMode::Bounded(RetryPolicy::new(5, ms(50), secs(1))),
            BreakerMode::WaitForProbe,
        )
        .with_deadline(secs(60)),
    ]
    .map(|policy| policy.with_attempt_timeout(secs(2)))
}

/// Runs a scenario with its call dropped after `pending` times `Pending`; tells whether the call
/// ended before that.
async fn dropped_after(
    scenario: &Scenario,
    policy: &CallPolicy,
    pending: usize,
    observed: bool,
) -> bool {
    let recovered = Arc::new(AtomicBool::new(false));
    let script = {
        let (recovered, reply) = (recovered.clone(), scenario.reply);
        let mut number = 0;
        Script::answering(move |request| {
            number += 1;
            if recovered.load(Ordering::Relaxed) {
                Reply::ok("fine")
            } else {
                reply(number - 1, request)
            }
        })
    };
    let recorder = Recorder::new();
    let builder = if observed {
        watched(&script, &recorder)
    } else {
        ResilientClient::builder().transport(script.clone()).entropy(|| 0)
    };
    let client = (scenario.setup)(builder).build();

    for _ in 0..scenario.before {
        let _ = client.execute_read(&CallPolicy::background(), |http| http.get(URL)).await;
    }
    let beside: Vec<_> = (0..scenario.beside)
        .map(|_| {
            let client = client.clone();
            let policy = policy.clone();
            tokio::spawn(async move {
                let _ = client.execute_read(&policy, |http| http.get(URL)).await;
            })
        })
        .collect();
    tokio::task::yield_now().await;

    let call = client.execute_read(policy, |http| http.get(URL));
    let ended = CancelAt::new(pending, call).await.is_some();

    recovered.store(true, Ordering::Relaxed);
    for other in beside {
        other.await.expect("no call panics");
    }
    let context = format!("{}, {policy:?}, dropped at {pending}", scenario.name);
    assert_eq!((client.in_flight(), client.waiting()), (0, 0), "{context}");
    recorder.assert_paired();
    if let Some(BreakerState::Open { until }) = client.breaker_state() {
        tokio::time::sleep_until(until.into()).await;
    }
    let asked = now();
    let next = client.execute_read(&CallPolicy::essential(), |http| http.get(URL)).await;
    assert_eq!(next.expect(&context).body(), "fine", "{context}");
    let waited = now() - asked;
    assert!(waited <= scenario.next_waits, "{context}: the next call waited {waited:?}");
    recorder.assert_paired();
    ended
}

async fn at_every_point(observed: bool) -> usize {
    let mut points = 0;
    for scenario in SCENARIOS {
        for policy in policies() {
            let mut pending = 0;
            while !dropped_after(scenario, &policy, pending, observed).await {
                pending += 1;
                assert!(pending < 200, "{} does not end", scenario.name);
            }
            points += pending;
        }
    }
    points
}

#[tokio::test(start_paused = true)]
async fn nothing_is_left_of_a_watched_call_dropped_anywhere() {
    let points = at_every_point(true).await;
    assert!(points > 100, "only {points} await points were passed");
}

#[tokio::test(start_paused = true)]
async fn nothing_is_left_of_an_unwatched_call_dropped_anywhere() {
    at_every_point(false).await;
}
