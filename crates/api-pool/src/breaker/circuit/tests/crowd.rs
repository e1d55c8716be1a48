//! Many who wait: one probes, the others sleep.

use super::*;

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
    let future = circuit.enter(Ask::new(BreakerMode::WaitForProbe, ESSENTIAL, LEASE));
    // An entry of the line is at most half used, as nodes of the map are at least half full.
    let entry = 2 * size_of::<(Seat, crate::breaker::line::Waiter<Waker>)>();
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
