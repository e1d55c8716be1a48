//! Clients that compete for one record with an optimistic lock: how much work each jitter
//! costs, and how long until all are done.
//!
//! The model and the figures are those of the article "Exponential Backoff And Jitter"
//! (AWS Architecture Blog): a cap of 2 s, network legs of 10 ± 2 ms, and every client
//! wants to write once. A client reads the version of the record, then writes with it; if
//! another write came first, it waits and begins again. The first wait of its exponential
//! rows is drawn up to 10 ms, of its decorrelated row from 5 ms.

mod support;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use retry_core::{Backoff, Entropy, Jitter, Policy, SeededEntropy};
use support::ms;

/// More runs of few clients, whose times differ more: this many clients in all.
const CLIENTS_IN_ALL: u64 = 10_000;

/// Calls and milliseconds until the last client is done, for 10, 20, 50 and 100 clients.
type Row = [(f64, f64); 4];

const CLIENTS: [usize; 4] = [10, 20, 50, 100];

/// A sum of twelve uniform numbers is close to normal, with a deviation of one.
fn leg(entropy: &mut SeededEntropy) -> Duration {
    let sum: f64 = (0..12).map(|_| (entropy.next_u64() >> 11) as f64 / 2_f64.powi(53)).sum();
    Duration::from_secs_f64((10.0 + 2.0 * (sum - 6.0)).max(0.0) / 1_000.0)
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

fn row(policy: &Policy) -> Row {
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

fn policy(jitter: Jitter, base: u64) -> Policy {
    Policy::new(Backoff::exponential(ms(base)).with_cap(ms(2_000)))
        .with_jitter(jitter)
        .with_floor(Duration::ZERO)
        .unbounded()
}

/// Within 2 % or one call of the published work, and 6 % of the published time.
fn assert_close(name: &str, row: Row, published: Row) {
    for ((clients, (calls, time)), (expected_calls, expected_time)) in
        CLIENTS.into_iter().zip(row).zip(published)
    {
        let text = format!("{name}, {clients} clients: {calls:.1} calls, {time:.0} ms");
        let margin = (expected_calls * 0.02).max(1.0);
        assert!((calls - expected_calls).abs() <= margin, "{text}, not {expected_calls}");
        let margin = expected_time * 0.06;
        assert!((time - expected_time).abs() <= margin, "{text}, not {expected_time}");
    }
}

#[test]
fn full_jitter_costs_the_published_work_and_time() {
    let published = [(39.0, 456.0), (100.0, 993.0), (333.0, 2_912.0), (796.0, 4_900.0)];
    assert_close("full", row(&policy(Jitter::Full, 10)), published);
}

#[test]
fn equal_jitter_costs_the_published_work_and_time() {
    let published = [(43.0, 733.0), (108.0, 1_572.0), (348.0, 4_399.0), (812.0, 6_676.0)];
    assert_close("equal", row(&policy(Jitter::Equal, 10)), published);
}

#[test]
fn decorrelated_jitter_costs_the_published_work_and_time() {
    let published = [(38.0, 428.0), (101.0, 818.0), (374.0, 2_192.0), (1_001.0, 4_679.0)];
    assert_close("decorrelated", row(&policy(Jitter::Decorrelated, 5)), published);
}

/// The reason for jitter: without it the clients of a round meet again in the next one.
#[test]
fn no_jitter_costs_the_published_work_and_many_times_the_time() {
    let row = row(&policy(Jitter::None, 10));
    let published = [50.0, 150.0, 620.0, 1_851.0];
    for ((calls, _), expected) in row.into_iter().zip(published) {
        assert!((calls - expected).abs() <= f64::max(expected * 0.02, 1.0), "{calls}");
    }
    let full = self::row(&policy(Jitter::Full, 10));
    assert!(10.0 * full[3].1 < row[3].1);
}
