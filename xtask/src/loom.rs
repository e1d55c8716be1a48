//! `loom`: every interleaving of a few threads over the code that holds a lock.

use crate::{cargo::cargo, error::Result};

pub(crate) const HELP: &str =
    "model-check breaker, queue, credentials and rate (NAME: only such models)";

const MANIFEST: &str = "crates/api-pool/tests/loom/Cargo.toml";

/// Not the workspace's: the models are built with another set of features.
const TARGET: &str = "target/loom";

/// What all models have in their path.
const MODELS: &str = "loom_tests";

pub(crate) fn run(args: &[String]) -> Result {
    let names = args.first().map_or(MODELS, String::as_str);
    cargo("test --locked --manifest-path")
        .args([MANIFEST, "--target-dir", TARGET, "--", names])
        .run()
}
