//! When the end of an attempt is told, what the attempt held is free again.

mod support;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use api_pool::testing::{Reply, Script};
use api_pool::{BreakerState, CallPolicy, ResilientClient, TransportEvent, TransportObserver};
use futures_util::FutureExt;
use support::{URL, secs, sleep};

/// Where a call made from within an event goes. The answer proves nothing, and changes nothing.
const ASKING: &str = "http://api.test/asking";

/// An event, the attempts in flight while it is told, the breaker's state, and what becomes of
/// another call at that moment.
type Seen = (&'static str, usize, &'static str, &'static str);

/// What an attempt is answered, under which policy, and what is seen at its end.
type End = (fn() -> Reply, CallPolicy, Seen);

/// Looks at the client it watches from within each event of an attempt.
#[derive(Default)]
struct Witness {
    client: OnceLock<ResilientClient<Script>>,
    asking: AtomicBool,
    seen: Mutex<Vec<Seen>>,
}

impl TransportObserver for Witness {
    fn on_event(&self, _: &str, event: TransportEvent) {
        let Some(client) = self.client.get() else { return };
        let event = match event {
            TransportEvent::Started => "started",
            TransportEvent::Succeeded { .. } => "succeeded",
            TransportEvent::Failed { .. } => "failed",
            TransportEvent::Cancelled => "cancelled",
            _ => return,
        };
        if self.asking.swap(true, Ordering::Relaxed) {
            return;
        }
        let state = match client.breaker_state() {
            Some(BreakerState::Closed) => "closed",
            Some(BreakerState::HalfOpen) => "half-open",
            _ => "open",
        };
        let in_flight = client.in_flight();
        let policy = CallPolicy::background();
        let other = match client.execute_with(&policy, |http| http.get(ASKING)).now_or_never() {
            Some(Err(error)) if error.status() == Some(429) => "is sent",
            Some(_) => "is refused",
            None => "waits",
        };
        self.seen.lock().expect("no panic here").push((event, in_flight, state, other));
        self.asking.store(false, Ordering::Relaxed);
    }
}

/// What was seen of a call that opens the breaker, and of the probe after it, which holds the one
/// slot, is answered so, and is given up within its lease.
async fn seen(probe: fn() -> Reply, policy: &CallPolicy, whole: bool) -> Vec<Seen> {
    let script = Script::answering(move |request| match request.uri().path() {
        "/down" => Reply::status(503),
        "/asking" => Reply::status(429),
        _ => probe(),
    });
    let witness = Arc::new(Witness::default());
    let client = ResilientClient::builder()
        .transport(script)
        .entropy(|| 0)
        .circuit_breaker(1, secs(5))
        .max_parallel(1)
        .observer("witness", witness.clone())
        .build();
    witness.client.set(client.clone()).expect("it is set once");
    let once = CallPolicy::background();
    let down = client.execute_with(&once, |http| http.get("http://api.test/down")).await;
    down.expect_err("it is down");
    sleep(secs(5)).await;

    let call = async {
        if whole {
            let _ = client.execute_read(policy, |http| http.get(URL)).await;
        } else {
            let _ = client.execute_with(policy, |http| http.get(URL)).await;
        }
    };
    let _ = tokio::time::timeout(secs(10), call).await;
    witness.seen.lock().expect("no panic here").clone()
}

#[tokio::test(start_paused = true)]
async fn slot_and_probe_are_free_and_the_breaker_knows_before_the_end_is_told() {
    let once = CallPolicy::background;
    let ends: [End; 8] = [
        (|| Reply::ok("fine"), once(), ("succeeded", 0, "closed", "is sent")),
        (|| Reply::status(404), once(), ("failed", 0, "closed", "is sent")),
        (|| Reply::status(503), once(), ("failed", 0, "open", "is refused")),
        (|| Reply::status(429), once(), ("failed", 0, "half-open", "is sent")),
        (|| Reply::fault(api_pool::Fault::Broken), once(), ("failed", 0, "open", "is refused")),
        (Reply::hang, once().with_attempt_timeout(secs(1)), ("failed", 0, "open", "is refused")),
        (Reply::hang, once().with_deadline(secs(1)), ("failed", 0, "half-open", "is sent")),
        (Reply::hang, once(), ("cancelled", 0, "half-open", "is sent")),
    ];
    for (number, (reply, policy, end)) in ends.into_iter().enumerate() {
        for whole in [false, true] {
            let expected = [
                ("started", 1, "closed", "waits"),
                ("failed", 0, "open", "is refused"),
                ("started", 1, "half-open", "is refused"),
                end,
            ];
            assert_eq!(seen(reply, &policy, whole).await, expected, "{number}, {whole}");
        }
    }
}
