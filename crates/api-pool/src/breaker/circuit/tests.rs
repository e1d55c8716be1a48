//! The shell on a paused clock: when somebody goes, who, and how often anybody is woken.

use std::{
    cell::{Cell, RefCell},
    future::Future,
    num::NonZeroU32,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::{Pin, pin},
    rc::Rc,
    task::{Context, Poll},
    time::Duration,
};

use futures_util::{FutureExt, future::join_all};

use super::*;
use crate::{breaker::BreakerMode, queue::QueueClass};

mod crowd;
mod probes;
mod recovery;
mod tokens;

const BASE: Duration = Duration::from_millis(300);
const LEASE: Duration = Duration::from_secs(2);
const ESSENTIAL: QueueClass = QueueClass::Essential;
const BACKGROUND: QueueClass = QueueClass::Background;

/// A breaker that one failure opens.
fn circuit() -> Circuit {
    Circuit::new(BreakerConfig::growing(NonZeroU32::MIN, BASE, BASE * 8))
}

fn open_circuit() -> Circuit {
    let circuit = circuit();
    assert!(attempt(&circuit, Health::Down).is_some());
    circuit
}

/// One attempt through an open gate, answered at once.
fn attempt(circuit: &Circuit, health: Health) -> Option<Transition> {
    let pass = circuit.try_enter().expect("the gate is open");
    circuit.admit(pass).expect("nothing changed since").settle(health)
}

async fn wait_as(circuit: &Circuit, class: QueueClass) -> Pass<'_> {
    circuit.enter(Ask::new(BreakerMode::WaitForProbe, class, LEASE)).await.expect("it waits")
}

async fn wait(circuit: &Circuit) -> Pass<'_> {
    wait_as(circuit, ESSENTIAL).await
}

async fn knock(circuit: &Circuit) -> Result<Pass<'_>, Rejected> {
    circuit.enter(Ask::new(BreakerMode::FailFast, BACKGROUND, LEASE)).await
}

/// Three who wait at the moment when the service is back.
async fn recovering(circuit: &Circuit) -> Vec<Pin<Box<impl Future<Output = Pass<'_>>>>> {
    let probe = circuit.admit(wait(circuit).await).expect("it is the candidate");
    let mut waiters: Vec<_> = (0..3).map(|_| Box::pin(wait(circuit))).collect();
    for waiter in &mut waiters {
        assert!(poke(waiter.as_mut()).is_pending());
    }
    assert_eq!(probe.settle(Health::Up), Some(Transition::Closed));
    waiters
}

/// Polls once.
fn poke<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// Counts how often a future is polled.
async fn counting<F: Future>(polls: &Cell<usize>, future: F) -> F::Output {
    let mut future = pin!(future);
    core::future::poll_fn(|cx| {
        polls.set(polls.get() + 1);
        future.as_mut().poll(cx)
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn a_waiter_probes_exactly_when_the_cooldown_ends() {
    let circuit = open_circuit();
    let start = clock::now();
    let pass = wait(&circuit).await;
    assert_eq!(clock::now() - start, BASE);
    let probe = circuit.admit(pass).unwrap();
    assert!(probe.is_probe());
    assert_eq!(probe.settle(Health::Up), Some(Transition::Closed));
    assert_eq!(circuit.state(), BreakerState::Closed);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_does_not_wait_is_rejected_until_the_cooldown_ends() {
    let circuit = open_circuit();
    assert!(knock(&circuit).await.is_err());
    clock::sleep(BASE - Duration::from_millis(1)).await;
    assert!(knock(&circuit).await.is_err());
    clock::sleep(Duration::from_millis(1)).await;
    let pass = knock(&circuit).await.unwrap();
    assert!(circuit.admit(pass).unwrap().is_probe());
}

#[tokio::test(start_paused = true)]
async fn a_call_that_does_not_wait_does_not_probe_before_those_who_do() {
    let circuit = open_circuit();
    let mut waiter = pin!(wait(&circuit));
    assert!(poke(waiter.as_mut()).is_pending());
    tokio::time::advance(BASE).await;
    assert!(knock(&circuit).await.is_err());
    let pass = waiter.await;
    assert!(circuit.admit(pass).unwrap().is_probe());
}

#[tokio::test(start_paused = true)]
async fn while_a_probe_is_out_others_are_rejected_or_wait_for_its_answer() {
    let circuit = open_circuit();
    let probe = circuit.admit(wait(&circuit).await).unwrap();
    assert_eq!(circuit.state(), BreakerState::HalfOpen);
    assert!(knock(&circuit).await.is_err());
    let mut waiter = pin!(wait(&circuit));
    assert!(poke(waiter.as_mut()).is_pending());
    assert_eq!(probe.settle(Health::Up), Some(Transition::Closed));
    let start = clock::now();
    let admission = circuit.admit(waiter.await).unwrap();
    assert!(!admission.is_probe());
    assert_eq!(clock::now(), start, "the first of the line goes at once");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_does_not_wait_and_is_refused_at_the_slot_is_rejected_at_the_gate() {
    let circuit = circuit();
    let early = circuit.try_enter().unwrap();
    assert!(attempt(&circuit, Health::Down).is_some());
    let seat = circuit.admit(early).unwrap_err().into_seat();
    assert!(
        circuit
            .enter(Ask::new(BreakerMode::FailFast, BACKGROUND, LEASE).again(Some(seat)))
            .await
            .is_err()
    );
}

#[tokio::test(start_paused = true)]
async fn opened_by_hand_those_who_wait_do_so_until_the_reset() {
    let circuit = circuit();
    assert_eq!(circuit.isolate(), Some(Transition::Opened { cooldown: Duration::MAX }));
    assert_eq!(circuit.isolate(), None);
    assert!(matches!(circuit.state(), BreakerState::Open { until } if until > clock::now()));
    assert!(knock(&circuit).await.is_err());
    let start = clock::now();
    let reset = async {
        clock::sleep(BASE * 100).await;
        assert_eq!(circuit.reset(), Some(Transition::Closed));
        assert_eq!(circuit.reset(), None);
    };
    let (pass, ()) = tokio::join!(wait(&circuit), reset);
    assert_eq!(clock::now() - start, BASE * 100);
    assert!(!circuit.admit(pass).unwrap().is_probe());
}

#[tokio::test(start_paused = true)]
async fn a_success_ends_a_run_of_failures_that_is_under_way() {
    let circuit = Circuit::new(BreakerConfig::growing(NonZeroU32::new(2).unwrap(), BASE, BASE));
    assert_eq!(attempt(&circuit, Health::Down), None);
    assert_eq!(attempt(&circuit, Health::Up), None);
    assert_eq!(attempt(&circuit, Health::Down), None);
    assert_eq!(attempt(&circuit, Health::Down), Some(Transition::Opened { cooldown: BASE }));
}

#[tokio::test(start_paused = true)]
async fn a_waker_may_call_the_breaker() {
    let circuit = Rc::new(open_circuit());
    let probe = circuit.admit(wait(&circuit).await).unwrap();
    let task = Rc::clone(&circuit);
    let waiting = tokio::task::LocalSet::new();
    let other = waiting.spawn_local(async move {
        let pass = wait(&task).await;
        task.admit(pass).unwrap().settle(Health::Up);
        task.state()
    });
    waiting
        .run_until(async move {
            tokio::task::yield_now().await;
            probe.settle(Health::Up);
            assert_eq!(other.await.unwrap(), BreakerState::Closed);
        })
        .await;
    assert!(knock(&circuit).now_or_never().is_some());
}

#[tokio::test(start_paused = true)]
async fn only_a_success_after_a_failure_is_worth_a_lock() {
    let circuit = Circuit::new(BreakerConfig::growing(NonZeroU32::new(2).unwrap(), BASE, BASE));
    let healthy = circuit.word();
    assert!(healthy.ignores_success_of(healthy.epoch()));
    assert_eq!(attempt(&circuit, Health::Down), None);
    assert!(!circuit.word().ignores_success_of(healthy.epoch()));
    assert_eq!(attempt(&circuit, Health::Up), None);
    assert!(circuit.word() == healthy);
}

#[tokio::test(start_paused = true)]
async fn a_call_is_admitted_at_once_only_while_the_breaker_is_closed() {
    let circuit = circuit();
    assert!(!circuit.is_gated());
    assert!(circuit.try_admit().is_some());
    circuit.isolate();
    assert!(circuit.is_gated());
    assert!(circuit.try_admit().is_none());
    circuit.reset();
    assert!(!circuit.is_gated());
}

#[tokio::test(start_paused = true)]
async fn a_pass_holds_something_only_while_there_is_something_to_hold() {
    let circuit = circuit();
    assert!(circuit.try_enter().expect("the gate is open").is_free());
    assert!(attempt(&circuit, Health::Down).is_some());
    assert!(!wait(&circuit).await.is_free(), "it is the candidate");
}

#[tokio::test(start_paused = true)]
async fn what_is_held_shows_why_it_is_held() {
    let circuit = circuit();
    let pass = circuit.try_enter().expect("the gate is open");
    assert_eq!(format!("{circuit:?}"), "Circuit { state: Closed, .. }");
    assert_eq!(format!("{pass:?}"), "Pass { grant: Free { epoch: Epoch(0) }, .. }");
    let admission = circuit.admit(pass).expect("nothing changed since");
    let ticket = "Ticket { epoch: Epoch(0), role: Plain }";
    assert_eq!(format!("{admission:?}"), format!("Admission {{ ticket: {ticket}, .. }}"));
}
