//! `model`: every order of events, for a few callers of the machines.

use crate::{cargo::cargo, error::Result};

pub(crate) const HELP: &str =
    "visit every state of breaker, queue and credentials for four callers (NAME: only such models)";

/// What all models have in their path.
const MODELS: &str = "model";

pub(crate) fn run(args: &[String]) -> Result {
    let names = args.first().map_or(MODELS, String::as_str);
    // Optimised: the breaker has millions of states.
    cargo("test --release --locked --package api-pool --all-features --lib --")
        .args([names, "--nocapture"])
        .run()
}
