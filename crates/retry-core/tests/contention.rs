//! Clients that compete for one record with an optimistic lock: how much work each jitter
//! costs, and how long until all are done.
//!
//! The figures are those of the article "Exponential Backoff And Jitter" (AWS Architecture Blog).

#[path = "support/contention.rs"]
mod simulation;

use retry_core::Jitter;
use simulation::{CLIENTS, Row, no_backoff, policy, row};

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
    assert_close("full", row(&policy(Jitter::Full)), published);
}

#[test]
fn equal_jitter_costs_the_published_work_and_time() {
    let published = [(43.0, 733.0), (108.0, 1_572.0), (348.0, 4_399.0), (812.0, 6_676.0)];
    assert_close("equal", row(&policy(Jitter::Equal)), published);
}

#[test]
fn decorrelated_jitter_costs_the_published_work_and_time() {
    let published = [(38.0, 428.0), (101.0, 818.0), (374.0, 2_192.0), (1_001.0, 4_679.0)];
    assert_close("decorrelated", row(&policy(Jitter::Decorrelated)), published);
}

/// The most work, and the least time: what is to be bought with the waits.
#[test]
fn no_backoff_costs_the_published_work_and_time() {
    let published = [(51.0, 378.0), (154.0, 610.0), (689.0, 1_142.0), (2_425.0, 2_029.0)];
    assert_close("none", row(&no_backoff()), published);
}

/// The reason for jitter: without it the clients of a round meet again in the next one.
#[test]
fn no_jitter_costs_the_published_work_and_many_times_the_time() {
    let row = row(&policy(Jitter::None));
    let published = [50.0, 150.0, 620.0, 1_851.0];
    for ((calls, _), expected) in row.into_iter().zip(published) {
        assert!((calls - expected).abs() <= f64::max(expected * 0.02, 1.0), "{calls}");
    }
    let full = self::row(&policy(Jitter::Full));
    assert!(10.0 * full[3].1 < row[3].1);
}
