//! What no interleaving of threads may break.
//!
//! The clock is the real one here, so it must not matter: a cooldown is over at once or never,
//! leases never end, and nobody is left in the line of a recovery, where it would sleep.
//! Two threads are interleaved in every way, three in every way with at most three preemptions.

use std::{
    future::Future,
    num::NonZeroU32,
    pin::pin,
    task::{Context, Poll},
    time::Duration,
};

use loom::{
    future::block_on,
    model::{Builder, model},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize},
    },
    thread,
};

use super::*;
use crate::{breaker::BreakerMode, queue::QueueClass};

const NEVER: Duration = Duration::MAX;

fn circuit(threshold: u32, cooldown: Duration) -> Arc<Circuit> {
    let threshold = NonZeroU32::new(threshold).expect("a threshold is not 0");
    Arc::new(Circuit::new(BreakerConfig::growing(threshold, cooldown, cooldown)))
}

/// A breaker that is half-open, with an admission from before it opened.
fn half_open(late: impl FnOnce(Admission<'_>, &Arc<Circuit>)) {
    let circuit = circuit(1, Duration::ZERO);
    let admission = send(&circuit);
    assert!(send(&circuit).settle(Health::Down).is_some());
    late(admission, &circuit);
}

/// A breaker that is half-open.
fn opened() -> Arc<Circuit> {
    let circuit = circuit(1, Duration::ZERO);
    assert!(send(&circuit).settle(Health::Down).is_some());
    circuit
}

fn send(circuit: &Circuit) -> Admission<'_> {
    let pass = circuit.try_enter().expect("the gate is open");
    circuit.admit(pass).expect("nobody else is there")
}

/// Enters without waiting.
fn knock(circuit: &Circuit) -> Option<Pass<'_>> {
    let enter = circuit.enter(Ask::new(BreakerMode::FailFast, QueueClass::Background, NEVER));
    match pin!(enter).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(entered) => entered.ok(),
        Poll::Pending => panic!("there is no line to wait in"),
    }
}

/// Enters, however long it takes.
fn wait(circuit: &Circuit) -> Pass<'_> {
    let enter = circuit.enter(Ask::new(BreakerMode::WaitForProbe, QueueClass::Essential, NEVER));
    block_on(enter).expect("it waits")
}

fn probe(circuit: &Circuit) -> Admission<'_> {
    let pass = knock(circuit).expect("the probe slot is free");
    let admission = circuit.admit(pass).expect("nothing changed since");
    assert!(admission.is_probe());
    admission
}

/// The word says what the gate says.
fn assert_consistent(circuit: &Circuit) {
    let gate = lock(&circuit.gate);
    assert!(circuit.word() == Word::of(&gate));
}

fn three_threads(scenario: impl Fn() + Send + Sync + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(scenario);
}

#[test]
fn two_probes_are_never_out_at_once() {
    three_threads(|| {
        let circuit = opened();
        let out = Arc::new(AtomicUsize::new(0));
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let (circuit, out) = (Arc::clone(&circuit), Arc::clone(&out));
                thread::spawn(move || {
                    let Some(pass) = knock(&circuit) else { return };
                    let Ok(probe) = circuit.admit(pass) else { return };
                    assert!(probe.is_probe());
                    assert_eq!(out.fetch_add(1, Ordering::SeqCst), 0);
                    out.fetch_sub(1, Ordering::SeqCst);
                    drop(probe);
                })
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
        drop(probe(&circuit));
        assert_consistent(&circuit);
    });
}

#[test]
fn a_success_from_before_the_breaker_opened_never_closes_it() {
    model(|| {
        half_open(|late, circuit| {
            let ticket = late.ticket;
            drop(late);
            let other = Arc::clone(circuit);
            let thread = thread::spawn(move || {
                let late = Admission { circuit: &other, ticket };
                assert_eq!(late.settle(Health::Up), None);
            });
            let probe = probe(circuit);
            assert_eq!(circuit.state(), BreakerState::HalfOpen);
            assert!(probe.settle(Health::Down).is_some());
            thread.join().unwrap();
            assert_ne!(circuit.state(), BreakerState::Closed);
            assert_consistent(circuit);
        });
    });
}

#[test]
fn a_failure_from_before_the_breaker_opened_never_counts() {
    model(|| {
        half_open(|late, circuit| {
            let ticket = late.ticket;
            drop(late);
            let other = Arc::clone(circuit);
            let thread = thread::spawn(move || {
                let late = Admission { circuit: &other, ticket };
                assert_eq!(late.settle(Health::Down), None);
            });
            assert_eq!(probe(circuit).settle(Health::Up), Some(Transition::Closed));
            thread.join().unwrap();
            assert_eq!(circuit.state(), BreakerState::Closed);
            assert_consistent(circuit);
        });
    });
}

#[test]
fn of_two_failures_at_the_threshold_exactly_one_opens() {
    model(|| {
        let circuit = circuit(2, NEVER);
        let other = Arc::clone(&circuit);
        let thread = thread::spawn(move || send(&other).settle(Health::Down));
        let here = circuit.try_enter().and_then(|pass| circuit.admit(pass).ok());
        let here = here.and_then(|admission| admission.settle(Health::Down));
        let there = thread.join().unwrap();
        assert_eq!(usize::from(here.is_some()) + usize::from(there.is_some()), 1);
        assert_ne!(circuit.state(), BreakerState::Closed);
        assert_consistent(&circuit);
    });
}

#[test]
fn nobody_is_admitted_once_the_opening_is_known() {
    model(|| {
        let circuit = circuit(1, NEVER);
        let known = Arc::new(AtomicBool::new(false));
        let thread = {
            let (circuit, known) = (Arc::clone(&circuit), Arc::clone(&known));
            thread::spawn(move || {
                assert!(send(&circuit).settle(Health::Down).is_some());
                known.store(true, Ordering::Release);
            })
        };
        if let Some(pass) = circuit.try_enter() {
            let known = known.load(Ordering::Acquire);
            let admitted = circuit.admit(pass);
            assert!(!(known && admitted.is_ok()));
        }
        thread.join().unwrap();
        assert!(circuit.try_enter().is_none());
    });
}

#[test]
fn a_success_beside_a_failure_leaves_a_run_of_one_or_none() {
    model(|| {
        let circuit = circuit(2, NEVER);
        let other = Arc::clone(&circuit);
        let thread = thread::spawn(move || send(&other).settle(Health::Down));
        assert_eq!(send(&circuit).settle(Health::Up), None);
        assert_eq!(thread.join().unwrap(), None);
        assert_consistent(&circuit);
        let failing = circuit.word().0 & Word::FAILING != 0;
        assert_eq!(send(&circuit).settle(Health::Down).is_some(), failing);
    });
}

#[test]
fn who_waits_is_called_when_the_probe_is_answered() {
    model(|| {
        let circuit = opened();
        let probe = probe(&circuit);
        let other = Arc::clone(&circuit);
        let thread = thread::spawn(move || {
            let admission = other.admit(wait(&other)).expect("nothing changed since");
            assert!(!admission.is_probe());
            admission.settle(Health::Up);
        });
        assert_eq!(probe.settle(Health::Up), Some(Transition::Closed));
        thread.join().unwrap();
        assert!(circuit.try_enter().is_some());
        assert_consistent(&circuit);
    });
}

#[test]
fn who_waits_is_called_when_the_probe_is_dropped() {
    model(|| {
        let circuit = opened();
        let dropped = probe(&circuit);
        let other = Arc::clone(&circuit);
        let thread = thread::spawn(move || {
            let admission = other.admit(wait(&other)).expect("nothing changed since");
            assert!(admission.is_probe());
            assert_eq!(admission.settle(Health::Up), Some(Transition::Closed));
        });
        drop(dropped);
        thread.join().unwrap();
        assert_consistent(&circuit);
    });
}

#[test]
fn who_waits_is_called_when_the_breaker_is_reset() {
    model(|| {
        let circuit = circuit(1, NEVER);
        assert!(circuit.isolate().is_some());
        let other = Arc::clone(&circuit);
        let thread = thread::spawn(move || {
            let admission = other.admit(wait(&other)).expect("nothing changed since");
            assert!(!admission.is_probe());
        });
        assert_eq!(circuit.reset(), Some(Transition::Closed));
        thread.join().unwrap();
        assert_consistent(&circuit);
    });
}

#[test]
fn who_gives_up_when_it_is_called_passes_the_call_on() {
    three_threads(|| {
        let circuit = opened();
        let dropped = probe(&circuit);
        let fickle = {
            let circuit = Arc::clone(&circuit);
            thread::spawn(move || {
                let mode = BreakerMode::WaitForProbe;
                let enter = circuit.enter(Ask::new(mode, QueueClass::Essential, NEVER));
                let _once = pin!(enter).poll(&mut Context::from_waker(Waker::noop()));
            })
        };
        let patient = {
            let circuit = Arc::clone(&circuit);
            thread::spawn(move || drop(wait(&circuit)))
        };
        drop(dropped);
        fickle.join().unwrap();
        patient.join().unwrap();
        drop(probe(&circuit));
        assert_consistent(&circuit);
    });
}

#[test]
fn an_opening_by_hand_wins_over_the_probe_that_closes() {
    model(|| {
        let circuit = opened();
        let probe = probe(&circuit);
        let other = Arc::clone(&circuit);
        let thread = thread::spawn(move || assert!(other.isolate().is_some()));
        probe.settle(Health::Up);
        thread.join().unwrap();
        assert!(knock(&circuit).is_none());
        assert_consistent(&circuit);
    });
}
