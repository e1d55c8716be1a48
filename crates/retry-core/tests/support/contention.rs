//! Clients that compete for one record with an optimistic lock.
//!
//! The model is that of the article "Exponential Backoff And Jitter" (AWS Architecture Blog): a
//! cap of 2 s, network legs of 10 ± 2 ms, and every client wants to write once. A client reads
//! the version of the record, then writes with it; if another write came first, it waits and
//! begins again. The first wait of its exponential rows is drawn up to 10 ms, of its decorrelated
//! row from 5 ms.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use retry_core::{Backoff, Entropy, Jitter, Policy, SeededEntropy};

/// More runs of few clients, whose times differ more: this many clients in all.
const CLIENTS_IN_ALL: u64 = 10_000;

/// How many clients there are.
pub(crate) const CLIENTS: [usize; 4] = [10, 20, 50, 100];

/// Calls and milliseconds until the last client is done, for each number of clients.
pub(crate) type Row = [(f64, f64); 4];

/// The mean of many runs.
pub(crate) fn row(policy: &Policy) -> Row {
    CLIENTS.map(|clients| {
        let runs = CLIENTS_IN_ALL / clients as u64;
        let (mut calls, mut time) = (0, Duration::ZERO);
        for seed in 0..runs {
            let (more, end) = run(clients, policy, seed);
            calls += more;
            time += end;
        }
        (calls as f64 / runs as f64, time.as_secs_f64() * 1_000.0 / runs as f64)
    })
}

/// What the clients of a jitter do.
pub(crate) fn policy(jitter: Jitter) -> Policy {
    let base = Duration::from_millis(if jitter == Jitter::Decorrelated { 5 } else { 10 });
    endless(Backoff::exponential(base).with_cap(Duration::from_secs(2))).with_jitter(jitter)
}

/// What clients do that begin again at once.
pub(crate) fn no_backoff() -> Policy {
    endless(Backoff::constant(Duration::ZERO)).with_jitter(Jitter::None)
}

fn endless(backoff: Backoff) -> Policy {
    Policy::new(backoff).with_floor(Duration::ZERO).unbounded()
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Message {
    Read,
    Write { version: u64 },
}

/// Calls to the server, and when the last client heard of its success.
fn run(clients: usize, policy: &Policy, seed: u64) -> (u64, Duration) {
    let mut entropy = SeededEntropy::new(seed);
    let draw = |client: usize| SeededEntropy::new(seed << 32 | client as u64);
    let mut waits: Vec<_> = (0..clients).map(|client| policy.delays(draw(client))).collect();
    let mut arrivals: BinaryHeap<_> =
        (0..clients).map(|client| Reverse((leg(&mut entropy), client, Message::Read))).collect();

    let (mut current, mut calls, mut end) = (0, 0, Duration::ZERO);
    while let Some(Reverse((now, client, message))) = arrivals.pop() {
        match message {
            Message::Read => {
                let there_and_back = leg(&mut entropy) + leg(&mut entropy);
                let write = Message::Write { version: current };
                arrivals.push(Reverse((now + there_and_back, client, write)));
            }
            Message::Write { version } if version == current => {
                current += 1;
                calls += 1;
                end = end.max(now + leg(&mut entropy));
            }
            Message::Write { .. } => {
                calls += 1;
                let wait = waits[client].next().expect("no limit on the attempts");
                let back = leg(&mut entropy) + wait + leg(&mut entropy);
                arrivals.push(Reverse((now + back, client, Message::Read)));
            }
        }
    }
    (calls, end)
}

/// A sum of twelve uniform numbers is close to normal, with a deviation of one.
fn leg(entropy: &mut SeededEntropy) -> Duration {
    let sum: f64 = (0..12).map(|_| (entropy.next_u64() >> 11) as f64 / 2_f64.powi(53)).sum();
    Duration::from_secs_f64((10.0 + 2.0 * (sum - 6.0)).max(0.0) / 1_000.0)
}
