//! Runs a subject, to be counted by whoever watches the processor.

use std::process::ExitCode;

fn main() -> ExitCode {
    match benchmarks::command::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("counts: {error}");
            ExitCode::FAILURE
        }
    }
}
