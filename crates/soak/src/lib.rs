#![doc = include_str!("../README.md")]

mod dice;
mod fault;
mod ledger;
mod options;
mod process;
mod reads;
mod report;
mod server;
mod writes;

use std::io;

pub use crate::{
    options::{Mode, Options, OptionsError, USAGE},
    report::Report,
};

/// Runs a soak on a runtime of its own.
///
/// # Errors
///
/// If no runtime or no server can be started. What the soak finds is in the [`Report`].
pub fn run(options: &Options) -> io::Result<Report> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        match options.mode() {
            Mode::Reads => reads::run(options).await,
            Mode::Writes => writes::run(options).await,
        }
    })
}
