//! An observer that panics, blocks or calls back harms nobody but itself.

mod support;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, Once, OnceLock};
use std::time::Duration;

use api_pool::testing::{Reply, Script};
use api_pool::{
    AttemptInfo, AttemptObserver, BreakerState, CallPolicy, ResilientClient, TransportEvent,
    TransportObserver, WaitStage,
};
use futures_util::FutureExt;
use support::{URL, ms, secs, statuses};

/// How many calls an observer is given to do harm to.
const MANY: usize = 1_000;

/// What observers say when they panic of their own accord, and when an earlier panic makes them.
const HOSTILE: &str = "a hostile observer";
const SPOILT: &str = "the notes are in order";

/// What every run is: two failures that open the breaker, and a probe that closes it.
fn outage() -> Script {
    let mut number = 0;
    Script::answering(move |_| {
        number += 1;
        if number <= 2 { Reply::status(503).after(ms(10)) } else { Reply::ok("fine") }
    })
}

fn watched(script: Script, observer: Arc<dyn TransportObserver>) -> ResilientClient<Script> {
    ResilientClient::builder()
        .transport(script)
        .entropy(|| 0)
        .circuit_breaker(2, secs(5))
        .max_parallel(1)
        .observer("hostile", observer)
        .build()
}

/// Calls end as they would unwatched, so many of them.
async fn assert_unharmed(client: &ResilientClient<Script>, calls: usize, case: &str) {
    let essential = CallPolicy::essential();
    for number in 0..calls {
        let call = client.execute_read(&essential, |http| http.get(URL)).await;
        assert!(call.is_ok_and(|response| response.body() == "fine"), "{case}, call {number}");
    }
    assert_eq!((client.in_flight(), client.waiting()), (0, 0), "{case}");
    assert_eq!(client.breaker_state(), Some(BreakerState::Closed), "{case}");
}

/// Runs a test on a thread of its own, so that one that locks itself up is told and not waited for.
fn guarded<F: Future<Output = ()>>(test: impl FnOnce() -> F + Send + 'static) {
    let (done, ended) = mpsc::channel();
    let thread = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = { runtime }.enable_all().start_paused(true).build().expect("a runtime");
        runtime.block_on(test());
        let _ = done.send(());
    });
    // Virtual time takes no real time: this is only ever waited for by a test that fails.
    match ended.recv_timeout(Duration::from_secs(60)) {
        Err(RecvTimeoutError::Timeout) => panic!("it is locked up"),
        Ok(()) | Err(RecvTimeoutError::Disconnected) => {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
    }
}

/// Tens of thousands of them would be printed otherwise. Once for all tests, which run side by side.
fn keep_panics_of_observers_quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let others = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let text = panic.to_string();
            if !text.contains(HOSTILE) && !text.contains(SPOILT) {
                others(panic);
            }
        }));
    });
}

/// Panics once, wherever it is told something for the `n`-th time.
#[derive(Default)]
struct PanicsAt {
    nth: usize,
    told: Arc<AtomicUsize>,
    /// Held while it panics.
    notes: Mutex<()>,
}

impl PanicsAt {
    fn told(&self) {
        // Poisoned by its own panic, from then on it panics each time.
        let _notes = self.notes.lock().expect(SPOILT);
        let told = self.told.fetch_add(1, Ordering::Relaxed);
        assert_ne!(told, self.nth, "{HOSTILE}");
    }
}

struct AttemptPanics(Arc<PanicsAt>);

impl TransportObserver for AttemptPanics {
    fn on_event(&self, _: &str, _: TransportEvent) {
        self.0.told();
    }

    fn on_wait(&self, _: &str, _: WaitStage, _: Duration) {
        self.0.told();
    }

    fn on_attempt(&self, _: &str, _: &AttemptInfo<'_>) -> Option<Box<dyn AttemptObserver>> {
        self.0.told();
        Some(Box::new(Self(Arc::clone(&self.0))))
    }
}

impl AttemptObserver for AttemptPanics {
    fn ended(self: Box<Self>, _: &TransportEvent) {
        self.0.told();
    }
}

/// How often an observer of an outage is told something: 10 events, 1 wait, and 2 × 3 attempts.
const TOLD: usize = 17;

#[test]
fn a_panic_anywhere_neither_breaks_a_call_nor_leaks_a_hold() {
    keep_panics_of_observers_quiet();
    guarded(|| async {
        for nth in 0..=TOLD {
            let observer = Arc::new(PanicsAt { nth, ..PanicsAt::default() });
            let client = watched(outage(), Arc::new(AttemptPanics(Arc::clone(&observer))));
            let call = client.execute_read(&CallPolicy::essential(), |http| http.get(URL)).await;
            assert!(call.is_ok(), "{nth}");
            let told = observer.told.load(Ordering::Relaxed);
            assert_eq!(
                told,
                TOLD.min(nth + 1),
                "{nth}: it hears no more once its notes are spoilt"
            );
            assert_unharmed(&client, MANY, &format!("panic {nth}")).await;
        }
    });
}

/// Uses the client it watches for all it is worth, from within each event.
#[derive(Default)]
struct Meddles {
    client: OnceLock<ResilientClient<Script>>,
    /// Calls of its own that were.
    served: AtomicUsize,
}

impl TransportObserver for Meddles {
    fn on_event(&self, _: &str, event: TransportEvent) {
        let Some(client) = self.client.get() else { return };
        client.set_max_parallel(2);
        client.set_max_parallel(1);
        match event {
            TransportEvent::BreakerOpened { .. } => client.reset_breaker(),
            // The call is watched too.
            TransportEvent::BreakerClosed => {
                let policy = CallPolicy::background();
                let call = client.execute_with(&policy, |http| http.get(URL)).now_or_never();
                self.served.fetch_add(usize::from(matches!(call, Some(Ok(_)))), Ordering::Relaxed);
            }
            _ => (),
        }
    }

    fn on_wait(&self, _: &str, _: WaitStage, _: Duration) {
        if let Some(client) = self.client.get() {
            client.reset_breaker();
        }
    }
}

#[test]
fn an_observer_may_call_and_reset_the_client_it_watches() {
    guarded(|| async {
        let meddles = Arc::new(Meddles::default());
        let client = watched(outage(), meddles.clone());
        assert!(meddles.client.set(client.clone()).is_ok());

        assert_unharmed(&client, MANY, "an observer that meddles").await;

        assert_eq!(meddles.served.load(Ordering::Relaxed), 1);
    });
}

/// Waits, in every event, for another thread to have used the client.
struct Blocks {
    ask: Mutex<mpsc::Sender<mpsc::Sender<()>>>,
    asked: AtomicUsize,
}

impl TransportObserver for Blocks {
    fn on_event(&self, _: &str, _: TransportEvent) {
        let (reply, answered) = mpsc::channel();
        self.ask.lock().expect("no panic here").send(reply).expect("the other thread is there");
        answered.recv().expect("it answers");
        self.asked.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn no_lock_is_held_while_an_observer_blocks() {
    guarded(|| async {
        let (ask, questions) = mpsc::channel::<mpsc::Sender<()>>();
        let blocks = Arc::new(Blocks { ask: Mutex::new(ask), asked: AtomicUsize::new(0) });
        let client = watched(outage(), blocks.clone());
        let other = client.clone();
        let thread = std::thread::spawn(move || {
            while let Ok(reply) = questions.recv() {
                let _ = (other.in_flight(), other.waiting(), other.breaker_state());
                other.set_max_parallel(1);
                let _ = reply.send(());
            }
        });

        assert_unharmed(&client, MANY, "an observer that blocks").await;

        assert_eq!(blocks.asked.load(Ordering::Relaxed), 10 + 2 * (MANY - 1));
        drop((client, blocks));
        drop(thread);
    });
}

#[test]
fn what_an_observer_does_to_a_cancelled_call_harms_nobody() {
    keep_panics_of_observers_quiet();
    guarded(|| async {
        struct Panics;
        impl TransportObserver for Panics {
            fn on_event(&self, _: &str, event: TransportEvent) {
                assert!(!matches!(event, TransportEvent::Cancelled), "{HOSTILE}");
            }
        }
        let script = statuses([200]);
        let client = watched(script, Arc::new(Panics));
        let hangs = ResilientClient::builder()
            .transport(Script::new([Reply::hang()]))
            .circuit_breaker(2, secs(5))
            .max_parallel(1)
            .observer("hostile", Arc::new(Panics))
            .build();
        let policy = CallPolicy::essential();
        assert!(hangs.execute_with(&policy, |http| http.get(URL)).now_or_never().is_none());
        assert_eq!((hangs.in_flight(), hangs.waiting()), (0, 0));
        client.execute_with(&policy, |http| http.get(URL)).await.expect("it is served");
    });
}
