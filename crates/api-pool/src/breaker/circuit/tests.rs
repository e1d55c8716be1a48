//! The shell on a paused clock.

use std::{num::NonZeroU32, sync::Arc};

use super::*;

const BASE: Duration = Duration::from_millis(300);
const LEASE: Duration = Duration::from_secs(2);
const ESSENTIAL: QueueClass = QueueClass::Essential;
const BACKGROUND: QueueClass = QueueClass::Background;

/// A breaker that one failure opens.
fn circuit() -> Arc<Circuit> {
    Arc::new(Circuit::new(BreakerConfig::growing(NonZeroU32::MIN, BASE, BASE * 8)))
}

fn open_circuit() -> Arc<Circuit> {
    let circuit = circuit();
    attempt_now(&circuit, Health::Down);
    circuit
}

/// One attempt that does not wait, answered at once.
fn attempt_now(circuit: &Circuit, health: Health) -> Option<Transition> {
    let pass = circuit.try_enter().expect("the gate is open");
    circuit.admit(pass).expect("nothing changed since").settle(health)
}

async fn wait(circuit: &Circuit) -> Pass<'_> {
    circuit.enter(BreakerMode::WaitForProbe, ESSENTIAL, LEASE, None).await.expect("it waits")
}

async fn knock(circuit: &Circuit) -> Result<Pass<'_>, Rejected> {
    circuit.enter(BreakerMode::FailFast, BACKGROUND, LEASE, None).await
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
async fn a_call_that_does_not_wait_is_rejected_with_the_end_of_the_cooldown() {
    let circuit = open_circuit();
    let start = clock::now();
    assert_eq!(knock(&circuit).await.unwrap_err().until(), Some(start + BASE));
    clock::sleep(BASE).await;
    let pass = knock(&circuit).await.unwrap();
    assert!(circuit.admit(pass).unwrap().is_probe());
}
