//! `soak`: very many calls over a server that misbehaves.

use crate::{cargo::cargo, error::Result};

pub(crate) const HELP: &str = "very many calls over a server that misbehaves (--help: its options)";

pub(crate) fn run(args: &[String]) -> Result {
    cargo("run --quiet --release --locked --package soak --").args(args).run()
}
