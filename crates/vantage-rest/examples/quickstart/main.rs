//! Reads a table of 3,376 airports through an API that misbehaves.
//!
//! ```text
//! cargo run -p vantage-rest --example quickstart
//! cargo run -p vantage-rest --example quickstart -- --url https://api.example.com --table users --shape data
//! ```
//!
//! Without arguments it starts a demo server that goes down, limits rates,
//! resets connections, hangs, cuts bodies off and lets tokens expire; reads
//! every row all the same; and checks its own account against the server's.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "an example answers there")]

mod args;
mod demo;
mod own;
mod progress;
mod report;
mod tally;

use std::{error::Error, process::ExitCode};

use args::Args;

/// What the parts of this example fail with.
type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

#[tokio::main]
async fn main() -> ExitCode {
    let outcome = match Args::parse(std::env::args_os().skip(1)) {
        Ok(Args::Help) => {
            print!("{}", args::USAGE);
            Ok(())
        }
        Ok(Args::Demo) => demo::run().await,
        Ok(Args::Own(api)) => own::run(&api).await.map(|rows| println!("{rows} rows")),
        Err(error) => Err(error),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("quickstart: {}", error.to_string().replace('\n', " "));
            ExitCode::FAILURE
        }
    }
}
