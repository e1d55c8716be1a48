//! Runs a subject and prints how often and how much it allocated, in all; or says what memory
//! those who wait take.

use std::process::ExitCode;

use benchmarks::{allocator, command, memory};

#[global_allocator]
static ALLOCATOR: allocator::Counting = allocator::Counting;

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some("memory") {
        println!("{}", memory::list());
        return ExitCode::SUCCESS;
    }
    let outcome = command::run();
    let (allocations, bytes) = allocator::totals();
    match outcome {
        Ok(()) => {
            println!("{allocations} {bytes}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("allocations: {error}");
            ExitCode::FAILURE
        }
    }
}
