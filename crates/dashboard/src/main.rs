//! The command: `dashboard [--OPTION [VALUE]]...`.

use std::{
    env,
    error::Error as _,
    io::{self, Write as _},
    process::ExitCode,
};

use dashboard::{Args, Failure, Theme, USAGE};

fn main() -> ExitCode {
    let options = match Args::parse(env::args().skip(1)) {
        Ok(Args::Run(options)) => options,
        Ok(_) => return finish(io::stdout().write_all(USAGE.as_bytes()).map_err(Failure::from)),
        Err(error) => {
            let _ = writeln!(io::stderr(), "dashboard: {error}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let theme = Theme::from_no_color(env::var("NO_COLOR").ok().as_deref());
    finish(dashboard::run(&options, theme))
}

fn finish(result: Result<(), Failure>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::NoTerminal) => {
            let _ = writeln!(io::stderr(), "dashboard: {}", Failure::NoTerminal);
            ExitCode::from(2)
        }
        Err(error) => {
            let source = error.source().map(|source| format!(": {source}")).unwrap_or_default();
            let _ = writeln!(io::stderr(), "dashboard: {error}{source}");
            ExitCode::FAILURE
        }
    }
}
