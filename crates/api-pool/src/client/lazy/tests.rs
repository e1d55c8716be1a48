//! One transport, however many first calls there are, and another try after a failure.

mod flaky;

use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::transport::Fault;

fn lazy(ready: OnceLock<&'static str>) -> Lazy<&'static str> {
    let options = TransportOptions { request_timeout: None };
    Lazy { ready, connecting: Mutex::new(()), options }
}

#[test]
fn concurrent_first_calls_set_up_one_transport() {
    let lazy = lazy(OnceLock::new());
    let (connects, barrier) = (AtomicUsize::new(0), Barrier::new(8));

    std::thread::scope(|threads| {
        for _ in 0..8 {
            threads.spawn(|| {
                barrier.wait();
                let transport = lazy.get_or(|_| {
                    connects.fetch_add(1, Ordering::Relaxed);
                    Ok("own")
                });
                assert_eq!(transport.unwrap(), &"own");
            });
        }
    });

    assert_eq!(connects.into_inner(), 1);
}

#[test]
fn a_failed_set_up_is_tried_again_and_a_given_transport_needs_none() {
    let own = lazy(OnceLock::new());
    own.get_or(|_| Err(TransportError::new(Fault::Local, "no proxy"))).unwrap_err();
    assert_eq!(own.get_or(|_| Ok("own")).unwrap(), &"own");

    let given = lazy(OnceLock::from("given"));
    assert_eq!(given.get_or(|_| unreachable!()).unwrap(), &"given");
}
