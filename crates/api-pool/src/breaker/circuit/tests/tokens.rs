//! A call that fetches a token goes before those who wait for it.

use super::*;

fn for_token(mode: BreakerMode) -> Ask {
    Ask::new(mode, BACKGROUND, LEASE).for_token()
}

async fn fetch(circuit: &Circuit) -> Result<Pass<'_>, Rejected> {
    circuit.enter(for_token(BreakerMode::FailFast)).await
}

#[tokio::test(start_paused = true)]
async fn it_passes_the_candidate_that_waits_for_it_and_its_answer_is_the_probe_s() {
    let closed = Some(Transition::Closed);
    let opened = Some(Transition::Opened { cooldown: BASE * 2 });
    for (health, transition) in [(Health::Up, closed), (Health::Down, opened)] {
        let circuit = open_circuit();
        let candidate = wait(&circuit).await;
        assert!(knock(&circuit).await.is_err(), "others do not pass it");

        let token = circuit.admit(fetch(&circuit).await.unwrap()).unwrap();

        assert!(!token.is_probe());
        assert_eq!(token.settle(health), transition);
        assert_eq!(circuit.admit(candidate).is_ok(), health == Health::Up);
    }
}

#[tokio::test(start_paused = true)]
async fn one_that_is_dropped_frees_nothing_that_is_not_its_own() {
    let circuit = open_circuit();
    let candidate = wait(&circuit).await;
    drop(fetch(&circuit).await.unwrap());
    drop(circuit.admit(fetch(&circuit).await.unwrap()).unwrap());
    assert!(knock(&circuit).await.is_err());
    assert!(circuit.admit(candidate).unwrap().is_probe());
}

#[tokio::test(start_paused = true)]
async fn a_probe_that_is_sent_already_is_not_passed() {
    let circuit = open_circuit();
    let candidate = wait(&circuit).await;
    let early = fetch(&circuit).await.unwrap();
    let probe = circuit.admit(candidate).unwrap();
    assert!(probe.is_probe());
    assert!(fetch(&circuit).await.is_err());
    assert!(circuit.admit(early).is_err());
}

#[tokio::test(start_paused = true)]
async fn one_whose_candidate_was_replaced_asks_again_and_passes_the_next() {
    let circuit = open_circuit();
    let candidate = wait(&circuit).await;
    let token = fetch(&circuit).await.unwrap();
    drop(candidate);
    let next = wait(&circuit).await;
    let seat = circuit.admit(token).unwrap_err().into_seat();
    let again = for_token(BreakerMode::FailFast).again(Some(seat));
    let pass = circuit.enter(again).await.unwrap();
    assert_eq!(circuit.admit(pass).unwrap().settle(Health::Up), Some(Transition::Closed));
    drop(next);
}

#[tokio::test(start_paused = true)]
async fn at_a_shut_gate_it_is_the_first_to_probe_whatever_its_class() {
    let circuit = open_circuit();
    let mut waiter = pin!(wait(&circuit));
    assert!(poke(waiter.as_mut()).is_pending());
    let token = circuit.enter(for_token(BreakerMode::WaitForProbe)).await.unwrap();
    assert!(poke(waiter.as_mut()).is_pending());
    assert!(circuit.admit(token).unwrap().is_probe());
}

#[tokio::test(start_paused = true)]
async fn in_a_recovery_it_does_not_wait_its_turn() {
    let circuit = open_circuit();
    let _waiters = recovering(&circuit).await;
    let start = clock::now();
    let token = circuit.admit(fetch(&circuit).await.unwrap());
    assert_eq!(clock::now(), start);
    assert!(token.is_ok());
}
