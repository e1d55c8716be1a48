#![doc = include_str!("../README.md")]

mod dice;
mod fault;
mod ledger;
mod options;
mod process;
mod reads;
mod report;
mod server;
mod sim;
mod writes;

use std::io;

use crate::reads::Wire;

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
    if options.mode() == Mode::Sim {
        return sim::run(options);
    }
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        match options.mode() {
            Mode::Http2 => reads::run(options, Wire::Http2).await,
            Mode::Reads => reads::run(options, Wire::Http1).await,
            Mode::Sim | Mode::Writes => writes::run(options).await,
        }
    })
}
