//! Clients of one lock, under each jitter.

#[path = "../../retry-core/tests/support/contention.rs"]
mod contention;

use retry_core::{Jitter, Policy};

pub(crate) use self::contention::CLIENTS;
use self::contention::{Row, no_backoff, policy, row};

/// The work and the time of one way to wait.
pub(crate) struct Cost {
    pub(crate) name: &'static str,
    /// Calls, and milliseconds until the last client is done, for each number of clients.
    pub(crate) row: Row,
}

/// The work and the time of each way to wait.
pub(crate) fn costs() -> Vec<Cost> {
    let ways: [(&str, Policy); 5] = [
        ("no backoff", no_backoff()),
        ("exponential, no jitter", policy(Jitter::None)),
        ("equal jitter", policy(Jitter::Equal)),
        ("full jitter", policy(Jitter::Full)),
        ("decorrelated jitter", policy(Jitter::Decorrelated)),
    ];
    ways.iter().map(|(name, policy)| Cost { name, row: row(policy) }).collect()
}

/// Prints them as a table.
pub(crate) fn print() {
    let head: String = CLIENTS.iter().map(|clients| format!(" N = {clients} |")).collect();
    println!("| calls / milliseconds |{head}");
    println!("|---|{}", "---:|".repeat(CLIENTS.len()));
    for Cost { name, row } in costs() {
        let cells: String =
            row.iter().map(|(calls, millis)| format!(" {calls:.0} / {millis:.0} |")).collect();
        println!("| {name} |{cells}");
    }
}
