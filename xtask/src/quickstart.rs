//! `quickstart`: the first command of the README, with the options given.

use crate::{cargo::cargo, error::Result};

pub(crate) fn run(args: &[String]) -> Result {
    cargo("run --quiet --locked --package vantage-rest --example quickstart --").args(args).run()
}
