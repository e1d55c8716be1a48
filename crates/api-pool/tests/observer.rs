//! An observer, however hostile, changes nothing about the calls it watches.

mod support;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use api_pool::testing::{Reply, Script};
use api_pool::{CallPolicy, ResilientClient, TransportEvent, TransportObserver, WaitStage};
use support::issuer::Issuer;
use support::{Recorder, URL, ms, secs, statuses, watched};

/// Panics at one event.
struct PanicsAt {
    event: usize,
    seen: AtomicUsize,
}

impl TransportObserver for PanicsAt {
    fn on_event(&self, _: &str, _: TransportEvent) {
        let seen = self.seen.fetch_add(1, Ordering::Relaxed);
        assert_ne!(seen, self.event, "a hostile observer");
    }

    fn on_wait(&self, _: &str, _: WaitStage, _: Duration) {
        panic!("a hostile observer");
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_at_any_event_neither_breaks_the_call_nor_leaks_a_hold() {
    std::panic::set_hook(Box::new(|_| ()));
    for event in 0..12 {
        let script = statuses([503, 503, 200, 200]);
        let observer = Arc::new(PanicsAt { event, seen: AtomicUsize::new(0) });
        let client = ResilientClient::builder()
            .transport(script.clone())
            .entropy(|| 0)
            .circuit_breaker(2, secs(5))
            .max_parallel(1)
            .observer("hostile", observer)
            .build();
        let essential = CallPolicy::essential();

        client.execute_with(&essential, |http| http.get(URL)).await.unwrap();

        assert_eq!(client.in_flight(), 0);
        client.execute_with(&essential, |http| http.get(URL)).await.unwrap();
        script.assert_finished();
    }
    let _ = std::panic::take_hook();
}

/// Asks the client it watches for everything, at every event.
#[derive(Default)]
struct Curious {
    client: OnceLock<ResilientClient<Script>>,
    asked: AtomicUsize,
}

impl TransportObserver for Curious {
    fn on_event(&self, _: &str, event: TransportEvent) {
        if matches!(event, TransportEvent::RowsPulled { .. }) {
            return;
        }
        if let Some(client) = self.client.get() {
            let _ = (client.in_flight(), client.peak_in_flight(), client.waiting());
            let _ = (client.breaker_state(), client.key(), format!("{client:?}"));
            client.report(TransportEvent::rows_pulled(1));
            self.asked.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn no_lock_is_held_while_an_observer_runs() {
    let curious = Arc::new(Curious::default());
    let client = ResilientClient::builder()
        .transport(statuses([503, 200]))
        .entropy(|| 0)
        .circuit_breaker(1, secs(5))
        .observer("curious", curious.clone())
        .build();
    curious.client.set(client.clone()).unwrap();

    client.execute_with(&CallPolicy::essential(), |http| http.get(URL)).await.unwrap();

    assert_eq!(curious.asked.load(Ordering::Relaxed), 7);
}

#[tokio::test(start_paused = true)]
async fn every_observer_of_a_tuple_or_a_list_sees_every_event() {
    let recorders = [Recorder::new(), Recorder::new(), Recorder::new()];
    let [first, second, third] = recorders.clone();
    let client = ResilientClient::builder()
        .transport(statuses([503, 200]))
        .entropy(|| 0)
        .observer("all", Arc::new((first, vec![second, third])))
        .build();

    client.execute(|http| http.get(URL)).await.unwrap();

    assert_eq!(recorders[0].lines().len(), 5);
    assert_eq!(recorders[0].lines(), recorders[1].lines());
    assert_eq!(recorders[0].lines(), recorders[2].lines());
}

/// Panics at everything it is told, and counts it.
#[derive(Default)]
struct PanicsAlways {
    events: AtomicUsize,
    waits: AtomicUsize,
}

impl TransportObserver for PanicsAlways {
    fn on_event(&self, _: &str, _: TransportEvent) {
        self.events.fetch_add(1, Ordering::Relaxed);
        panic!("a hostile observer");
    }

    fn on_wait(&self, _: &str, _: WaitStage, _: Duration) {
        self.waits.fetch_add(1, Ordering::Relaxed);
        panic!("a hostile observer");
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_one_of_several_observers_hides_nothing_from_the_others() {
    std::panic::set_hook(Box::new(|_| ()));
    type Shared = Arc<dyn TransportObserver>;
    let together: [fn([Shared; 3]) -> Shared; 4] = [
        |[hostile, first, second]| Arc::new((hostile, (first, second))),
        |[hostile, first, second]| Arc::new(((first, hostile), second)),
        |[hostile, first, second]| Arc::new(vec![hostile, first, second]),
        |[hostile, first, second]| Arc::new(vec![first, hostile, second]),
    ];
    for together in together {
        let (hostile, first, second) =
            (Arc::new(PanicsAlways::default()), Recorder::new(), Recorder::new());
        let client = ResilientClient::builder()
            .transport(statuses([503, 200]))
            .entropy(|| 0)
            .circuit_breaker(1, secs(5))
            .observer("all", together([hostile.clone(), first.clone(), second.clone()]))
            .build();

        client.execute_with(&CallPolicy::essential(), |http| http.get(URL)).await.unwrap();

        let lines = [
            "started",
            "failed HTTP 503 after 1 attempt 0ms",
            "opened for 5s",
            "retry 1 in 250ms",
            "started",
            "succeeded 200 0ms",
            "closed",
        ];
        for recorder in [first, second] {
            assert_eq!(recorder.lines(), lines);
            assert_eq!(recorder.waits(), [(WaitStage::Gate, ms(4750))]);
        }
        let told = [&hostile.events, &hostile.waits].map(|told| told.load(Ordering::Relaxed));
        assert_eq!(told, [lines.len(), 1]);
    }
    let _ = std::panic::take_hook();
}

#[tokio::test(start_paused = true)]
async fn a_wait_is_reported_with_its_stage_and_length_and_only_if_there_was_one() {
    let script = Script::answering(|_| Reply::ok("fine").after(ms(50)));
    let recorder = Recorder::new();
    let client = watched(&script, &recorder).max_parallel(1).build();
    let call = || async { client.execute(|http| http.get(URL)).await.unwrap() };

    call().await;
    assert_eq!(recorder.waits(), []);

    tokio::join!(call(), call(), call());
    assert_eq!(recorder.waits(), [(WaitStage::Slot, ms(50)), (WaitStage::Slot, ms(100))]);
}

#[cfg(feature = "rate-limit")]
#[tokio::test(start_paused = true)]
async fn a_wait_for_a_rate_token_is_told_from_one_for_a_slot() {
    let script = Script::answering(|_| Reply::ok("fine").after(ms(50)));
    let recorder = Recorder::new();
    let client = watched(&script, &recorder).max_parallel(1).rate_limit_with_burst(10.0, 1).build();
    let call = || async { client.execute(|http| http.get(URL)).await.unwrap() };

    call().await;
    assert_eq!(recorder.waits(), []);

    tokio::join!(call(), call());
    assert_eq!(recorder.waits(), [(WaitStage::RateToken, ms(50)), (WaitStage::RateToken, ms(150))]);
}

#[tokio::test(start_paused = true)]
async fn a_wait_for_a_credential_is_told_from_one_at_the_gate() {
    let recorder = Recorder::new();
    let client = watched(&statuses([200, 200]), &recorder)
        .default_breaker()
        .bearer_tokens(Issuer::default())
        .build();

    for _ in 0..2 {
        client.execute(|http| http.get(URL)).await.unwrap();
        assert_eq!(recorder.waits(), [(WaitStage::Credential, ms(100))]);
    }
}

#[tokio::test(start_paused = true)]
async fn reports_of_adapters_reach_the_observer_under_its_key() {
    let recorder = Recorder::new();
    let client = watched(&statuses([]), &recorder).build();

    client.report(TransportEvent::rows_pulled(3));
    client.report(TransportEvent::WritePushed);

    assert_eq!(recorder.lines(), ["RowsPulled { n: 3 }", "WritePushed"]);
    assert_eq!(client.key(), Some("test"));
}
