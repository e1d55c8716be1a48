//! Whether counts are still what they were.

use crate::{
    bench::table::{Cost, Report, Row, Table},
    error::{Error, Result},
};

/// By how much of itself a count may drift.
const DRIFT: f64 = 0.02;
/// How many instructions a count may always drift: of a few, 2 % are less than one.
const GRAIN: f64 = 2.0;
/// How many allocations are noise: one in a hundred turns.
const ALLOCATIONS: f64 = 0.01;

/// Compares with what was recorded, and fails where something costs more or less than it did.
///
/// # Errors
///
/// [`Error::Broken`] for a drift in either direction: what became cheaper is to be recorded, so
/// that it stays so.
pub(super) fn check(recorded: &Report, counted: &Report) -> Result {
    if recorded.compiler != counted.compiler {
        println!(
            "bench: recorded with {}, counted with {}: a drift may be the compiler's",
            recorded.compiler, counted.compiler
        );
    }
    let mut drifts = Vec::new();
    for table in &counted.tables {
        let known = recorded.tables.iter().find(|known| known.id == table.id);
        drifts.extend(table.rows.iter().filter_map(|row| drift(known, row)));
    }
    for size in &counted.sizes {
        let known =
            recorded.sizes.iter().find(|known| known.of == size.of && known.name == size.name);
        if known.map(|known| known.bytes) != Some(size.bytes) {
            drifts.push(format!("{}: {} bytes, recorded {known:?}", size.name, size.bytes));
        }
    }
    for drift in &drifts {
        println!("bench: {drift}");
    }
    match drifts.len() {
        0 => {
            println!("bench: every count is within 2 % of what is recorded");
            Ok(())
        }
        count => Err(Error::Broken(format!(
            "{count} count(s) drifted: see why, then `cargo xtask bench --record`"
        ))),
    }
}

fn drift(known: Option<&Table>, Row { subject, cost }: &Row) -> Option<String> {
    let Some(table) = known else { return Some(format!("{subject}: nothing is recorded")) };
    let Some(before) = table.cost(subject) else {
        return Some(format!("{}, {subject}: nothing is recorded", table.id));
    };
    (!alike(before, *cost)).then(|| format!("{}, {subject}: {before:?}, now {cost:?}", table.id))
}

fn alike(before: Cost, now: Cost) -> bool {
    let instructions = (now.instructions - before.instructions).abs();
    let allocations = (now.allocations - before.allocations).abs();
    instructions <= (before.instructions.abs() * DRIFT).max(GRAIN) && allocations <= ALLOCATIONS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(instructions: f64, allocations: f64) -> Cost {
        Cost { instructions, allocations, bytes: 0.0 }
    }

    #[test]
    fn two_per_cent_are_no_drift_and_more_are_one_in_both_directions() {
        assert!(alike(cost(1000.0, 0.0), cost(1020.0, 0.0)));
        assert!(!alike(cost(1000.0, 0.0), cost(1021.0, 0.0)));
        assert!(!alike(cost(1000.0, 0.0), cost(979.0, 0.0)));
    }

    #[test]
    fn one_allocation_is_a_drift() {
        assert!(!alike(cost(1000.0, 0.0), cost(1000.0, 1.0)));
    }

    #[test]
    fn a_count_of_a_few_may_drift_by_two() {
        assert!(alike(cost(8.0, 0.0), cost(10.0, 0.0)));
        assert!(!alike(cost(8.0, 0.0), cost(10.5, 0.0)));
    }
}
