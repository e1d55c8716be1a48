//! Whatever becomes of a probe, the next one is not far.

use super::*;

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
    let mut again = pin!(
        circuit.enter(Ask::new(BreakerMode::WaitForProbe, ESSENTIAL, LEASE).again(Some(seat)))
    );
    assert!(poke(again.as_mut()).is_pending());

    let probe = circuit.admit(second).unwrap();
    assert!(probe.is_probe());
    drop(probe);
    let pass = again.await.unwrap();
    assert!(circuit.admit(pass).unwrap().is_probe(), "it goes before the third, which came later");
    assert!(poke(third.as_mut()).is_ready(), "and then the third");
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

#[tokio::test(start_paused = true)]
async fn a_probe_that_hangs_is_replaced_when_its_lease_ends_and_its_answer_ignored() {
    for health in [Health::Up, Health::Down] {
        let circuit = open_circuit();
        let candidate = wait(&circuit).await;
        clock::sleep(LEASE / 2).await;
        let hung = circuit.admit(candidate).unwrap();
        let start = clock::now();
        let next = circuit.admit(wait(&circuit).await).unwrap();
        assert_eq!(clock::now() - start, LEASE);
        assert!(next.is_probe());
        assert_eq!(hung.settle(health), None);
        assert_eq!(circuit.state(), BreakerState::HalfOpen);
        assert_eq!(next.settle(Health::Down), Some(Transition::Opened { cooldown: BASE * 2 }));
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
            // A lease doubles while probes hang, up to eight times.
            assert!(waited <= BASE * 8 + LEASE * 8, "{exit:?}: {waited:?}");
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
