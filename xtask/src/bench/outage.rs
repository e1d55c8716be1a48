//! The bad day: an outage in virtual time, counted at the server.

use crate::{cargo::cargo, error::Result};

/// Builds without optimisation: virtual time does not pass any faster with it.
pub(super) fn run() -> Result {
    cargo("run --locked --features virtual-time --bin outage")
        .args(["--manifest-path", "crates/benchmarks/Cargo.toml"])
        .args(["--target-dir", "target/benchmarks"])
        .run()
}
