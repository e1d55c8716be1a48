//! What a good day and a bad day cost, as counts: of instructions, allocations, bytes, requests.
//!
//! A subject does one thing a number of times, given on the command line. Whoever counts runs it
//! twice, with two numbers, and takes the difference: what does not depend on the number, such as
//! setting up, cancels out. Nothing here looks at a clock to judge; a count repeats, a time does
//! not.
//!
//! `cargo xtask bench` builds this, counts and prints.

// What `api-pool` keeps to itself is measured alone by compiling it in here: nothing of what it
// publishes is widened for that.
#[expect(dead_code, unused_imports, reason = "a part is measured")]
#[path = "../../api-pool/src/breaker/mod.rs"]
mod breaker;
#[path = "../../api-pool/src/clock.rs"]
mod clock;
#[expect(dead_code, unused_imports, reason = "a part is measured")]
#[path = "../../api-pool/src/queue/mod.rs"]
mod queue;
#[expect(dead_code, unused_imports, reason = "a part is measured")]
#[path = "../../api-pool/src/rate/mod.rs"]
mod rate;
#[path = "../../api-pool/src/sync.rs"]
mod sync;

pub mod allocator;
#[cfg(feature = "virtual-time")]
mod charts;
pub mod command;
mod contended;
pub mod even;
mod experiment;
mod experiments;
mod jitter;
pub mod memory;
#[cfg(feature = "virtual-time")]
mod outage;
mod sealed;
mod server;
