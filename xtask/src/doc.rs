//! `doc`: the documentation as docs.rs builds it, with warnings denied.

use crate::{
    cargo::cargo,
    error::{self, Result},
};

pub(crate) fn run(args: &[String]) -> Result {
    error::no_options(args)?;
    cargo("doc --workspace --no-deps --all-features --locked")
        .env("RUSTDOCFLAGS", "-D warnings")
        .run()
}
