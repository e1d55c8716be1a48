//! The command: `soak [--OPTION VALUE]...`.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use soak::{Options, USAGE};

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args().skip(1).collect();
    if args.iter().any(|arg| arg == "--help") {
        return finish(write!(io::stdout(), "{USAGE}"));
    }
    let options = match Options::from_args(&args) {
        Ok(options) => options,
        Err(error) => {
            let _ = writeln!(io::stderr(), "soak: {error}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match soak::run(&options) {
        Ok(report) => {
            let written = write!(io::stdout(), "{report}");
            if report.broken().is_empty() { finish(written) } else { ExitCode::FAILURE }
        }
        Err(error) => finish(Err(error)),
    }
}

fn finish(result: io::Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "soak: {error}");
            ExitCode::FAILURE
        }
    }
}
