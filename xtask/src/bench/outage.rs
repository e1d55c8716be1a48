//! What is not counted by valgrind: the outage, the contention, and the charts of both.

use std::path::Path;

use crate::{
    bench::build,
    cargo::{Run, program},
    error::Result,
};

/// Where the charts are.
const IMAGES: &str = "docs/guides/images";

/// The outage, with a clock that can be paused.
pub(super) fn outage() -> Result {
    counts("virtual-time")?.args(["outage"]).run()
}

/// The clients of one lock.
pub(super) fn jitter() -> Result {
    counts("")?.args(["jitter"]).run()
}

/// Two threads on one breaker.
pub(super) fn contended() -> Result {
    counts("")?.args(["contended"]).run()
}

/// The outage and the jitters, drawn.
pub(super) fn charts() -> Result {
    counts("virtual-time")?.args([Path::new("charts"), Path::new(IMAGES)]).run()
}

fn counts(features: &str) -> Result<Run> {
    Ok(program(build(features, &["counts"])?.join("counts")))
}
