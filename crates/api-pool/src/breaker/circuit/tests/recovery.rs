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
    let mut again = pin!(
        circuit.enter(Ask::new(BreakerMode::WaitForProbe, ESSENTIAL, LEASE).again(Some(seat)))
    );
    assert!(poke(again.as_mut()).is_pending());
    tokio::time::advance(BASE).await;
    assert!(poke(late.as_mut()).is_pending());
    assert!(circuit.admit(again.await.unwrap()).unwrap().is_probe());
}

#[tokio::test(start_paused = true)]
async fn after_the_service_came_back_all_calls_join_the_line_and_none_is_rejected() {
    let circuit = open_circuit();
    let waiters = recovering(&circuit).await;
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

    let sent = circuit.admit(first.await).unwrap();
    let start = clock::now();
    let lose = async { sent.settle(Health::Down) };
    // A timer that fires would poll everybody: whoever was not woken comes late.
    let both = async { tokio::join!(poller, lose) };
    let (rejected, lost) = tokio::time::timeout(BASE / 2, both).await.unwrap();
    assert!(rejected.is_err());
    assert_eq!(lost, Some(Transition::Opened { cooldown: BASE }));
    assert_eq!(clock::now(), start);
    let start = clock::now();
    let pass = second.await;
    assert_eq!(clock::now() - start, BASE);
    assert!(circuit.admit(pass).unwrap().is_probe());
}

#[tokio::test(start_paused = true)]
async fn one_released_before_the_service_was_lost_again_does_not_send() {
    let circuit = open_circuit();
    let mut waiters = recovering(&circuit).await;
    let passes = join_all(waiters.iter_mut().take(2)).await;
    let [one, two] = <[Pass<'_>; 2]>::try_from(passes).unwrap();
    circuit.admit(one).unwrap().settle(Health::Down);
    assert!(circuit.admit(two).is_err());
}

#[tokio::test(start_paused = true)]
async fn a_release_that_is_not_used_is_the_next_ones() {
    let circuit = open_circuit();
    let waiters = recovering(&circuit).await;
    let start = clock::now();
    for waiter in waiters {
        drop(waiter.await);
    }
    assert_eq!(clock::now(), start);
}

/// A service that came back, with `waiters` in the line, of which the first is released.
async fn recovered<'a, F: Future<Output = Pass<'a>>>(
    circuit: &'a Circuit,
    waiters: &mut [Pin<Box<F>>],
) {
    let probe = circuit.admit(wait(circuit).await).expect("nothing changed since");
    for waiter in waiters {
        assert!(poke(waiter.as_mut()).is_pending());
    }
    assert_eq!(probe.settle(Health::Up), Some(Transition::Closed));
}

#[tokio::test(start_paused = true)]
async fn what_was_released_or_sent_in_a_recovery_that_failed_has_no_part_in_the_next() {
    let circuit = open_circuit();
    let mut waiters: Vec<_> = (0..7).map(|_| Box::pin(wait(&circuit))).collect();
    recovered(&circuit, &mut waiters).await;
    let [first, second, third, probe, fifth, sixth, seventh] =
        <[_; 7]>::try_from(waiters).unwrap_or_else(|_| unreachable!());
    let lost = circuit.admit(first.await).unwrap();
    let late = circuit.admit(second.await).unwrap();
    let released = third.await;
    assert!(lost.settle(Health::Down).is_some());

    let probe = circuit.admit(probe.await).unwrap();
    assert_eq!(probe.settle(Health::Up), Some(Transition::Closed));
    let start = clock::now();
    let _fifth = fifth.await;
    assert!(circuit.admit(released).is_err(), "there is a line, and it was not released into it");
    assert_eq!(late.settle(Health::Up), None);
    let _sixth = sixth.await;
    let _seventh = seventh.await;
    // The failure cut the rate to 6.4 per second, and the late success did not raise it again.
    assert_eq!(clock::now() - start, Duration::from_millis(313));
}

#[tokio::test(start_paused = true)]
async fn a_recovery_that_succeeded_is_forgotten() {
    let circuit = open_circuit();
    for _ in 0..2 {
        let mut waiters: Vec<_> = (0..2).map(|_| Box::pin(wait(&circuit))).collect();
        recovered(&circuit, &mut waiters).await;
        let start = clock::now();
        let mut last = None;
        for waiter in waiters {
            let admission = circuit.admit(waiter.await).unwrap();
            if let Some(earlier) = last.replace(admission) {
                assert_eq!(earlier.settle(Health::Unknown), None);
            }
        }
        assert_eq!(clock::now() - start, Duration::from_millis(125));
        drop(last);
        assert!(attempt(&circuit, Health::Down).is_some());
    }
}
