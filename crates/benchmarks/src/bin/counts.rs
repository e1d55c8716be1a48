//! Runs a subject, to be counted by whoever watches the processor.

use std::process::ExitCode;

use benchmarks::even::Even;

#[global_allocator]
static ALLOCATOR: Even = Even;

fn main() -> ExitCode {
    match benchmarks::command::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("counts: {error}");
            ExitCode::FAILURE
        }
    }
}
