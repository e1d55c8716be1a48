//! Clients that failed together do not come back together.

mod support;

use std::time::Duration;

use retry_core::{Backoff, Failure, Jitter, Policy, SeededEntropy};
use support::{ms, secs};

const CLIENTS: u64 = 10_000;
const BIN: Duration = ms(100);

/// The first retries of clients that all failed at once, counted per 100 ms. The clients'
/// seeds are neighbours, as serial numbers are.
fn arrivals(jitter: Jitter) -> [u32; 10] {
    let policy = Policy::new(Backoff::exponential(secs(1)).with_cap(secs(10))).with_jitter(jitter);
    let mut bins = [0; 10];
    for client in 0..CLIENTS {
        let mut entropy = SeededEntropy::new(client);
        let after = support::wait(
            &policy,
            0,
            Failure::transient(),
            retry_core::Entropy::next_u64(&mut entropy),
        );
        let bin = usize::try_from(after.as_nanos() / BIN.as_nanos()).expect("ten bins");
        bins[bin.min(9)] += 1;
    }
    bins
}

#[test]
fn full_jitter_keeps_every_tenth_of_a_second_within_a_fifth_of_the_mean() {
    for (bin, count) in arrivals(Jitter::Full).into_iter().enumerate() {
        assert!(count <= 1_200, "{count} in bin {bin}");
        assert!(800 <= count, "{count} in bin {bin}");
    }
}

/// The control: the measure above sees a herd where there is one.
#[test]
fn without_jitter_all_come_at_once() {
    assert_eq!(arrivals(Jitter::None).into_iter().max(), Some(10_000));
}
