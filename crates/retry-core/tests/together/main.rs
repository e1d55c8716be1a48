//! All tests of this folder as one program, which is quicker to build anew than one for each:
//! `cargo xtask mutants` does so for every mistake it plants.

#![expect(clippy::duplicate_mod, reason = "each has its own copy of what several share")]

#[path = "../bridge.rs"]
mod bridge;
#[path = "../budget.rs"]
mod budget;
#[path = "../budget_history.rs"]
mod budget_history;
#[path = "../codes.rs"]
mod codes;
#[path = "../config.rs"]
mod config;
#[path = "../contention.rs"]
mod contention;
#[path = "../decisions.rs"]
mod decisions;
#[path = "../drivers.rs"]
mod drivers;
#[path = "../herd.rs"]
mod herd;
#[path = "../http_date.rs"]
mod http_date;
#[path = "../jitter.rs"]
mod jitter;
#[path = "../limits.rs"]
mod limits;
#[path = "../retry_after.rs"]
mod retry_after;
#[path = "../schedules.rs"]
mod schedules;
#[path = "../sizes.rs"]
mod sizes;
#[path = "../statuses.rs"]
mod statuses;
#[path = "../text.rs"]
mod text;
