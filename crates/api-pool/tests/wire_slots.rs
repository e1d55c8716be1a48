//! The server sees as many requests at one time as there are slots, and never one more.

#[path = "support/wire.rs"]
mod wire;

use api_pool::testing::CancelAt;
use demo_api::{Config, DemoServer, FaultPlan};
use futures_util::future::join_all;
use wire::{Tally, ms, repeats, watched};

/// A server that takes 20 ms for each request, and fails some.
fn slow() -> DemoServer {
    let faults: FaultPlan = "503@10%; late@100% pause=20ms".parse().expect("a plan");
    DemoServer::start(Config::new().faults(faults.with_seed(7))).expect("a port of this machine")
}

#[tokio::test]
async fn every_slot_is_used_and_none_twice() {
    for slots in [1, 5, 16] {
        let (server, tally) = (slow(), Tally::new());
        let client = watched(&tally).max_parallel(slots).build();
        let (url, policy) = (format!("{}/airports/ATL", server.url()), repeats(20));

        let calls = (0..20 * slots).map(|_| client.execute_read(&policy, |http| http.get(&url)));
        let served = join_all(calls).await.into_iter().filter(Result::is_ok).count();

        assert_eq!(served, 20 * slots);
        let (seen, slots) = (server.stats(), slots as u64);
        assert_eq!(seen.peak_in_progress(), slots);
        assert_eq!(seen.requests(), tally.sent());
    }
}

#[tokio::test]
async fn a_higher_limit_is_used_and_a_lower_one_kept() {
    let server = slow();
    let client = watched(&Tally::new()).max_parallel(2).build();
    let (url, policy) = (format!("{}/airports/ATL", server.url()), repeats(20));
    let many = async || {
        let calls = (0..100).map(|_| client.execute_read(&policy, |http| http.get(&url)));
        assert!(join_all(calls).await.iter().all(Result::is_ok));
    };

    many().await;
    assert_eq!(server.stats().peak_in_progress(), 2);
    client.set_max_parallel(9);
    many().await;
    assert_eq!(server.stats().peak_in_progress(), 9);
}

#[tokio::test]
async fn a_call_that_is_dropped_frees_the_slot_of_a_request_the_server_may_still_work_on() {
    let server = DemoServer::start(Config::new().faults("late@#1 pause=200ms".parse().unwrap()));
    let server = server.expect("a port of this machine");
    let client = watched(&Tally::new()).max_parallel(1).build();
    let (url, policy) = (format!("{}/airports/ATL", server.url()), repeats(0));

    let slow = client.execute_read(&policy, |http| http.get(&url));
    let dropped = tokio::time::timeout(ms(50), CancelAt::new(usize::MAX, slow)).await;
    assert!(dropped.is_err());
    assert_eq!((client.in_flight(), client.waiting()), (0, 0));

    client.execute_read(&policy, |http| http.get(&url)).await.expect("the slot is free");
    assert_eq!(client.peak_in_flight(), 1);
}
