//! After the service came back: the line, and what happens when it is lost again.

use super::*;

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
