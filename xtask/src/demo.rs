//! `demo`: the demo server in the foreground, with the options given.

use crate::{cargo::cargo, error::Result};

pub(crate) fn run(args: &[String]) -> Result {
    cargo("run --quiet --locked --package demo-api --").args(args).run()
}
