//! What memory those take who wait, by an allocator that counts.

use std::{
    future::Future,
    net::TcpListener,
    num::NonZeroUsize,
    pin::Pin,
    task::{Context, Waker},
};

use api_pool::{CallPolicy, ResilientClient};
use serde_json::Value;
use tokio::sync::Semaphore;

use crate::{
    allocator,
    command::sizes,
    experiment::Sizes,
    experiments::block_on,
    queue::{QueueClass, SlotLimits, Slots},
};

/// What `sizes` says, of what can only be counted while it runs.
#[must_use]
pub fn list() -> Value {
    sizes(&[WAITERS, CALLS])
}

const WAITERS: Sizes =
    Sizes { title: "one of 100,000 that wait for a slot, its future included", of: waiters };

const CALLS: Sizes =
    Sizes { title: "one of 10,000 HTTP calls that wait, its future included", of: calls };

fn waiters() -> Vec<(&'static str, usize)> {
    const WAITERS: usize = 100_000;

    let one = NonZeroUsize::MIN;
    let slots = Slots::new(SlotLimits::new(Some(one)));
    let taken = slots.try_acquire().expect("they are open");
    let ours = per_waiter(WAITERS, || slots.acquire(QueueClass::Background));
    drop(taken);

    let semaphore = Semaphore::new(1);
    let taken = semaphore.try_acquire().expect("it is free");
    let tokio = per_waiter(WAITERS, || semaphore.acquire());
    drop(taken);
    vec![
        ("api-pool", ours.0),
        ("api-pool: beside the future", ours.1),
        ("tokio Semaphore", tokio.0),
        ("tokio Semaphore: beside the future", tokio.1),
    ]
}

fn calls() -> Vec<(&'static str, usize)> {
    const CALLS: usize = 10_000;

    let http = || reqwest::Client::builder().no_proxy().build().expect("it needs no system");
    let policy = CallPolicy::essential();
    // Nobody answers: connections wait in the backlog.
    let silent = TcpListener::bind(("127.0.0.1", 0)).expect("loopback has a free port");
    let silent = format!("http://{}/", silent.local_addr().expect("it is bound"));
    block_on(async {
        let client = ResilientClient::builder().http_client(http()).default_breaker().build();
        for _ in 0..5 {
            let once = CallPolicy::background();
            // A port of nobody: the connection is refused.
            let outcome = client.execute_with(&once, |http| http.get("http://127.0.0.1:1/")).await;
            assert!(outcome.is_err());
        }
        let shut = per_waiter(CALLS, || client.execute_with(&policy, |http| http.get(&silent)));

        let client = ResilientClient::builder().http_client(http()).max_parallel(1).build();
        let mut first = Box::pin(client.execute_with(&policy, |http| http.get(&silent)));
        assert!(poll(first.as_mut()));
        let full = per_waiter(CALLS, || client.execute_with(&policy, |http| http.get(&silent)));
        vec![
            ("api-pool: the breaker is open", shut.0),
            ("api-pool: the breaker is open, beside the future", shut.1),
            ("api-pool: all slots are taken", full.0),
            ("api-pool: all slots are taken, beside the future", full.1),
        ]
    })
}

/// Bytes of one of so many futures that wait: in all, and beside its own size.
fn per_waiter<F: Future>(count: usize, waiter: impl Fn() -> F) -> (usize, usize) {
    let mut waiting: Vec<Pin<Box<F>>> = Vec::with_capacity(count);
    let before = allocator::held();
    for _ in 0..count {
        let mut waiter = Box::pin(waiter());
        assert!(poll(waiter.as_mut()), "it waits");
        waiting.push(waiter);
    }
    let held = usize::try_from(allocator::held() - before).expect("it fits into memory");
    let each = held.div_ceil(count);
    (each, each - size_of::<F>())
}

/// Whether it waits.
fn poll(future: Pin<&mut impl Future>) -> bool {
    future.poll(&mut Context::from_waker(Waker::noop())).is_pending()
}
