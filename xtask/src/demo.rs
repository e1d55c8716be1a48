//! `demo`: a server that misbehaves, and what its clients do about it, in the terminal.

use std::io::{self, IsTerminal as _};

use crate::{cargo::cargo, error::Result};

pub(crate) const HELP: &str =
    "the dashboard over a failing demo server; --server: the server alone (--help: options)";

pub(crate) fn run(args: &[String]) -> Result {
    let Program { package, args } = program(args, io::stdout().is_terminal());
    cargo("run --quiet --locked --package").args([package, "--"]).args(args).run()
}

/// What is to be run.
#[derive(Debug, PartialEq, Eq)]
struct Program {
    package: &'static str,
    args: Vec<String>,
}

/// Where nobody looks, the dashboard prints one screen instead of asking for a terminal.
fn program(args: &[String], is_terminal: bool) -> Program {
    if let [first, rest @ ..] = args
        && first == "--server"
    {
        return Program { package: "demo-api", args: rest.to_vec() };
    }
    let mut args = args.to_vec();
    if !is_terminal && !args.iter().any(|arg| arg == "--once") {
        args.push("--once".to_owned());
    }
    Program { package: "dashboard", args }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(line: &str, is_terminal: bool) -> (&'static str, String) {
        let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let Program { package, args } = program(&args, is_terminal);
        (package, args.join(" "))
    }

    #[test]
    fn the_dashboard_is_live_in_a_terminal_and_one_screen_elsewhere() {
        assert_eq!(asked("--seed 7", true), ("dashboard", "--seed 7".to_owned()));
        assert_eq!(asked("--seed 7", false), ("dashboard", "--seed 7 --once".to_owned()));
        assert_eq!(asked("--once", false), ("dashboard", "--once".to_owned()));
    }

    #[test]
    fn the_server_alone_takes_the_rest_as_its_options() {
        assert_eq!(asked("--server --port 80", false), ("demo-api", "--port 80".to_owned()));
    }
}
