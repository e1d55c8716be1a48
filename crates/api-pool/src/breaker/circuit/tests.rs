//! The shell on a paused clock: when somebody goes, who, and how often anybody is woken.

use std::{
    cell::{Cell, RefCell},
    future::Future,
    num::NonZeroU32,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::{Pin, pin},
    rc::Rc,
    task::{Context, Poll},
};

use futures_util::{FutureExt, future::join_all};

use super::*;

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
    circuit.enter(BreakerMode::WaitForProbe, class, LEASE, None).await.expect("it waits")
}

async fn wait(circuit: &Circuit) -> Pass<'_> {
    wait_as(circuit, ESSENTIAL).await
}

async fn knock(circuit: &Circuit) -> Result<Pass<'_>, Rejected> {
    circuit.enter(BreakerMode::FailFast, BACKGROUND, LEASE, None).await
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
async fn of_a_crowd_exactly_one_probes_and_each_is_woken_a_few_times() {
    for crowd in [1_000, 10_000] {
        let circuit = open_circuit();
        let probes = Cell::new(0);
        let out = Cell::new(0);
        let polls: Vec<Cell<usize>> = (0..crowd).map(|_| Cell::new(0)).collect();
        let calls = polls.iter().map(|polls| {
            let (circuit, probes, out) = (&circuit, &probes, &out);
            counting(polls, async move {
                let pass = wait(circuit).await;
                let admission = circuit.admit(pass).expect("nothing changed since");
                if admission.is_probe() {
                    probes.set(probes.get() + 1);
                    assert_eq!(out.get(), 0);
                    clock::sleep(Duration::from_secs(1)).await;
                    assert_eq!(out.get(), 0, "nobody went while the probe was out");
                }
                out.set(out.get() + 1);
                admission.settle(Health::Up);
            })
        });
        // Each in a task of its own wakes by itself; `join_all` polls only those woken.
        join_all(calls).await;
        assert_eq!(probes.get(), 1);
        let most = polls.iter().map(Cell::get).max();
        assert!(most <= Some(5), "{most:?}");
        let all: usize = polls.iter().map(Cell::get).sum();
        assert!(all <= 3 * crowd + 10, "{all}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_crowd_sleeps_through_failing_probes() {
    let circuit = open_circuit();
    let polls: Vec<Cell<usize>> = (0..1_000).map(|_| Cell::new(0)).collect();
    let failing = Cell::new(5);
    let calls = polls.iter().map(|polls| {
        let (circuit, failing) = (&circuit, &failing);
        counting(polls, async move {
            loop {
                let admission = circuit.admit(wait(circuit).await).expect("nothing changed since");
                if failing.get() == 0 {
                    admission.settle(Health::Up);
                    return;
                }
                failing.set(failing.get() - 1);
                assert!(admission.is_probe());
                admission.settle(Health::Down);
            }
        })
    });
    let all = async {
        join_all(calls).await;
    };
    let mut all = pin!(all);
    // Cooldowns of 0.3, 0.6, 1.2, 2.4 and 2.4 s fail; the one after ends later than this.
    assert!(tokio::time::timeout(Duration::from_secs(7), all.as_mut()).await.is_err());
    assert_eq!(failing.get(), 0);
    let woken: usize = polls.iter().map(|polls| polls.get() - 1).sum();
    assert!(woken <= 4 * 6, "{woken} wakes for five probes");
    all.await;
}

#[test]
fn a_parked_waiter_costs_less_than_2_kib() {
    let circuit = circuit();
    let future = circuit.enter(BreakerMode::WaitForProbe, ESSENTIAL, LEASE, None);
    // An entry of the line is at most half used, as nodes of the map are at least half full.
    let entry = 2 * size_of::<(Seat, super::super::line::Waiter<Waker>)>();
    assert!(size_of_val(&future) + entry <= 768, "{} + {entry}", size_of_val(&future));
}

#[tokio::test(start_paused = true)]
async fn whichever_of_64_waiters_gives_up_the_others_go_in_order() {
    for gone in 0..64 {
        let circuit = open_circuit();
        let mut waiters: Vec<_> = (0..64).map(|_| Some(Box::pin(wait(&circuit)))).collect();
        for waiter in waiters.iter_mut().flatten() {
            assert!(poke(waiter.as_mut()).is_pending());
        }
        waiters[gone] = None;
        let order = RefCell::new(Vec::new());
        let calls = waiters.into_iter().enumerate().filter_map(|(i, waiter)| {
            let (circuit, order, waiter) = (&circuit, &order, waiter?);
            Some(async move {
                circuit.admit(waiter.await).expect("nothing changed since").settle(Health::Up);
                order.borrow_mut().push(i);
            })
        });
        join_all(calls).await;
        let expected: Vec<_> = (0..64).filter(|i| *i != gone).collect();
        assert_eq!(*order.borrow(), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn a_waiter_dropped_after_it_was_called_passes_the_call_on() {
    let circuit = open_circuit();
    let mut first = Box::pin(wait(&circuit));
    let mut second = pin!(wait(&circuit));
    assert!(poke(first.as_mut()).is_pending());
    assert!(poke(second.as_mut()).is_pending());
    tokio::time::advance(BASE).await;
    // A newcomer makes the gate look at the clock: it calls the first, which never comes.
    assert!(knock(&circuit).await.is_err());
    drop(first);
    assert!(poke(second.as_mut()).is_ready());
}

#[tokio::test(start_paused = true)]
async fn a_candidate_that_gives_up_before_it_sends_passes_the_probe_on() {
    let circuit = open_circuit();
    let candidate = wait(&circuit).await;
    let mut second = pin!(wait(&circuit));
    assert!(poke(second.as_mut()).is_pending());
    drop(candidate);
    let start = clock::now();
    let probe = circuit.admit(second.await).unwrap();
    assert!(probe.is_probe());
    assert_eq!(clock::now(), start);
}

#[tokio::test(start_paused = true)]
async fn a_candidate_stuck_in_a_queue_is_replaced_when_its_lease_ends_and_keeps_its_seniority() {
    let circuit = open_circuit();
    let stuck = wait(&circuit).await;
    let start = clock::now();
    let second = wait(&circuit).await;
    assert_eq!(clock::now() - start, LEASE);
    let mut third = pin!(wait(&circuit));
    assert!(poke(third.as_mut()).is_pending());

    let seat = circuit.admit(stuck).unwrap_err().into_seat();
    let mut again = pin!(circuit.enter(BreakerMode::WaitForProbe, ESSENTIAL, LEASE, Some(seat)));
    assert!(poke(again.as_mut()).is_pending());

    let probe = circuit.admit(second).unwrap();
    assert!(probe.is_probe());
    drop(probe);
    let pass = again.await.unwrap();
    assert!(circuit.admit(pass).unwrap().is_probe(), "it goes before the third, which came later");
    assert!(poke(third.as_mut()).is_ready(), "and then the third");
}

#[tokio::test(start_paused = true)]
async fn a_call_on_its_way_to_the_slot_is_refused_when_the_breaker_opens_and_goes_first_after() {
    let circuit = circuit();
    let early = circuit.try_enter().unwrap();
    assert!(attempt(&circuit, Health::Down).is_some());
    let mut late = pin!(wait(&circuit));
    assert!(poke(late.as_mut()).is_pending());
    let seat = circuit.admit(early).unwrap_err().into_seat();
    let mut again = pin!(circuit.enter(BreakerMode::WaitForProbe, ESSENTIAL, LEASE, Some(seat)));
    assert!(poke(again.as_mut()).is_pending());
    tokio::time::advance(BASE).await;
    assert!(poke(late.as_mut()).is_pending());
    assert!(circuit.admit(again.await.unwrap()).unwrap().is_probe());
}

#[tokio::test(start_paused = true)]
async fn a_call_that_does_not_wait_and_is_refused_at_the_slot_is_rejected_at_the_gate() {
    let circuit = circuit();
    let early = circuit.try_enter().unwrap();
    assert!(attempt(&circuit, Health::Down).is_some());
    let seat = circuit.admit(early).unwrap_err().into_seat();
    assert!(circuit.enter(BreakerMode::FailFast, BACKGROUND, LEASE, Some(seat)).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn after_the_service_came_back_all_calls_join_the_line_and_none_is_rejected() {
    let circuit = open_circuit();
    let probe = circuit.admit(wait(&circuit).await).unwrap();
    let mut waiters: Vec<_> = (0..3).map(|_| Box::pin(wait(&circuit))).collect();
    for waiter in &mut waiters {
        assert!(poke(waiter.as_mut()).is_pending());
    }
    assert_eq!(probe.settle(Health::Up), Some(Transition::Closed));
    assert_eq!(circuit.state(), BreakerState::Closed);
    assert!(circuit.try_enter().is_none(), "there is a line");

    let start = clock::now();
    let poll = async {
        let pass = knock(&circuit).await.expect("the breaker is closed");
        circuit.admit(pass).unwrap().settle(Health::Up);
        clock::now() - start
    };
    let essential = join_all(waiters.into_iter().map(|waiter| async {
        circuit.admit(waiter.await).unwrap().settle(Health::Reachable);
        clock::now() - start
    }));
    let (polled, essential) = tokio::join!(poll, essential);
    // 8 per second, and 5 % faster with each answer, on timers of a millisecond.
    assert_eq!(essential, [0, 125, 245].map(Duration::from_millis));
    assert_eq!(polled, Duration::from_millis(358));
    assert!(circuit.try_enter().is_some(), "nobody is left in the line");
}

#[tokio::test(start_paused = true)]
async fn when_the_service_is_lost_again_those_who_do_not_wait_are_rejected_and_the_others_stay() {
    let circuit = open_circuit();
    let probe = circuit.admit(wait(&circuit).await).unwrap();
    let mut first = pin!(wait(&circuit));
    let mut second = pin!(wait(&circuit));
    assert!(poke(first.as_mut()).is_pending());
    assert!(poke(second.as_mut()).is_pending());
    probe.settle(Health::Up);
    let mut poller = pin!(knock(&circuit));
    assert!(poke(poller.as_mut()).is_pending());

    let released = first.await;
    let sent = circuit.admit(released).unwrap();
    assert_eq!(sent.settle(Health::Down), Some(Transition::Opened { cooldown: BASE }));
    assert!(poller.await.is_err());
    let start = clock::now();
    let pass = second.await;
    assert_eq!(clock::now() - start, BASE);
    assert!(circuit.admit(pass).unwrap().is_probe());
}

#[tokio::test(start_paused = true)]
async fn one_released_before_the_service_was_lost_again_does_not_send() {
    let circuit = open_circuit();
    let probe = circuit.admit(wait(&circuit).await).unwrap();
    let mut waiters: Vec<_> = (0..3).map(|_| Box::pin(wait(&circuit))).collect();
    for waiter in &mut waiters {
        assert!(poke(waiter.as_mut()).is_pending());
    }
    probe.settle(Health::Up);
    let passes = join_all(waiters.iter_mut().take(2)).await;
    let [one, two] = <[Pass<'_>; 2]>::try_from(passes).unwrap();
    circuit.admit(one).unwrap().settle(Health::Down);
    assert!(circuit.admit(two).is_err());
}

#[tokio::test(start_paused = true)]
async fn a_release_that_is_not_used_is_the_next_ones() {
    let circuit = open_circuit();
    let probe = circuit.admit(wait(&circuit).await).unwrap();
    let mut waiters: Vec<_> = (0..3).map(|_| Box::pin(wait(&circuit))).collect();
    for waiter in &mut waiters {
        assert!(poke(waiter.as_mut()).is_pending());
    }
    probe.settle(Health::Up);
    let start = clock::now();
    for waiter in waiters {
        drop(waiter.await);
    }
    assert_eq!(clock::now(), start);
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
async fn an_answer_from_before_the_breaker_opened_decides_nothing() {
    for health in [Health::Up, Health::Reachable, Health::Unknown, Health::Down] {
        let circuit = circuit();
        let late = circuit.admit(circuit.try_enter().unwrap()).unwrap();
        assert!(attempt(&circuit, Health::Down).is_some());
        let probe = circuit.admit(wait(&circuit).await).unwrap();
        assert_eq!(late.settle(health), None);
        assert_eq!(circuit.state(), BreakerState::HalfOpen);
        assert!(knock(&circuit).await.is_err(), "the probe slot is still taken");
        assert_eq!(probe.settle(Health::Down), Some(Transition::Opened { cooldown: BASE * 2 }));
    }
}

/// How a probe may end.
#[derive(Clone, Copy, Debug)]
enum Exit {
    Answered(Health),
    Dropped,
    DroppedBeforeItWasSent,
    Panicked,
    Hangs,
}

#[tokio::test(start_paused = true)]
async fn whatever_becomes_of_a_probe_the_next_is_granted_within_cooldown_and_lease() {
    for exit in [
        Exit::Answered(Health::Up),
        Exit::Answered(Health::Reachable),
        Exit::Answered(Health::Unknown),
        Exit::Answered(Health::Down),
        Exit::Dropped,
        Exit::DroppedBeforeItWasSent,
        Exit::Panicked,
        Exit::Hangs,
    ] {
        let circuit = open_circuit();
        let mut hanging = Vec::new();
        for _ in 0..4 {
            let start = clock::now();
            let pass = wait(&circuit).await;
            let waited = clock::now() - start;
            assert!(waited <= BASE * 8 + LEASE, "{exit:?}: {waited:?}");
            match exit {
                Exit::Answered(health) => {
                    circuit.admit(pass).unwrap().settle(health);
                }
                Exit::Dropped => drop(circuit.admit(pass).unwrap()),
                Exit::DroppedBeforeItWasSent => drop(pass),
                Exit::Panicked => {
                    let admission = circuit.admit(pass).unwrap();
                    let panicked = catch_unwind(AssertUnwindSafe(|| {
                        let _held = admission;
                        panic!("in an observer");
                    }));
                    assert!(panicked.is_err());
                }
                Exit::Hangs => hanging.push(circuit.admit(pass).unwrap()),
            }
        }
        drop(hanging);
        let pass = wait(&circuit).await;
        circuit.admit(pass).unwrap().settle(Health::Up);
        assert_eq!(circuit.state(), BreakerState::Closed, "{exit:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn probes_that_prove_nothing_are_not_sent_back_to_back() {
    let circuit = open_circuit();
    let start = clock::now();
    let mut sent = Vec::new();
    for _ in 0..4 {
        let probe = circuit.admit(wait(&circuit).await).unwrap();
        sent.push(clock::now() - start);
        assert_eq!(probe.settle(Health::Unknown), None);
        assert_eq!(circuit.state(), BreakerState::HalfOpen);
    }
    assert_eq!(sent, [BASE, BASE, BASE * 2, BASE * 3]);
}

#[tokio::test(start_paused = true)]
async fn the_line_moves_on_when_the_keeper_of_the_time_is_dropped() {
    let circuit = open_circuit();
    let mut keeper = Box::pin(wait(&circuit));
    assert!(poke(keeper.as_mut()).is_pending());
    let start = clock::now();
    let waiter = wait(&circuit);
    let leave = async {
        clock::sleep(BASE / 2).await;
        drop(keeper);
    };
    let (pass, ()) = tokio::join!(waiter, leave);
    assert_eq!(clock::now() - start, BASE);
    assert!(circuit.admit(pass).unwrap().is_probe());
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
