//! The workspace's own tasks: `cargo xtask TASK [OPTIONS]`.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command-line tool answers there")]

mod bench;
mod cargo;
mod ci;
mod coverage;
mod demo;
mod doc;
mod error;
mod features;
#[cfg(test)]
mod fixtures;
mod fuzz;
mod histories;
mod loom;
mod model;
mod mutants;
mod no_std;
mod public_api;
mod quickstart;
mod release;
mod soak;
mod tidy;
mod workspace;

use std::{env, process::ExitCode};

use crate::{
    cargo::cargo,
    error::{Error, Result},
};

/// Something the workspace can be asked to do.
struct Task {
    name: &'static str,
    help: &'static str,
    /// What is given on the command line after the name arrives here.
    run: fn(&[String]) -> Result,
}

/// Name, help, code: one table, so that the help cannot fall behind.
const TASKS: &[Task] = &[
    Task { name: "ci", help: "everything CI runs, in CI's order", run: ci::run },
    Task { name: "fmt", help: "check the formatting", run: fmt },
    Task { name: "clippy", help: "lint every target with every feature", run: clippy },
    Task { name: "tidy", help: tidy::HELP, run: tidy::run },
    Task { name: "features", help: features::HELP, run: features::run },
    Task { name: "no-std", help: "link retry-core without std, alloc or panics", run: no_std::run },
    Task { name: "loom", help: loom::HELP, run: loom::run },
    Task { name: "model", help: model::HELP, run: model::run },
    Task { name: "histories", help: histories::HELP, run: histories::run },
    Task { name: "mutants", help: mutants::HELP, run: mutants::run },
    Task { name: "coverage", help: coverage::HELP, run: coverage::run },
    Task { name: "public-api", help: public_api::HELP, run: public_api::run },
    Task { name: "fuzz", help: fuzz::HELP, run: fuzz::run },
    Task { name: "soak", help: soak::HELP, run: soak::run },
    Task { name: "test", help: "the tests, by the command the README names", run: test },
    Task { name: "doc", help: "build the docs, warnings denied", run: doc::run },
    Task {
        name: "quickstart",
        help: "read a real table through a misbehaving API (--help: its options)",
        run: quickstart::run,
    },
    Task { name: "demo", help: demo::HELP, run: demo::run },
    Task { name: "bench", help: bench::HELP, run: bench::run },
    Task { name: "release", help: release::HELP, run: release::run },
];

fn main() -> ExitCode {
    let mut args = env::args().skip(1);
    let asked = args.next();
    let rest: Vec<String> = args.collect();
    let outcome = match asked.as_deref() {
        None | Some("help" | "-h" | "--help") => {
            print!("{}", help());
            Ok(())
        }
        Some(name) => match TASKS.iter().find(|task| task.name == name) {
            Some(task) => (task.run)(&rest),
            None => Err(Error::Usage(format!("no task is called `{name}`\n\n{}", help()))),
        },
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

fn help() -> String {
    let width = TASKS.iter().map(|task| task.name.len()).max().unwrap_or_default();
    let mut text = String::from("cargo xtask TASK\n\n");
    for Task { name, help, .. } in TASKS {
        text.push_str(&format!("  {name:width$}  {help}\n"));
    }
    text
}

fn fmt(args: &[String]) -> Result {
    error::no_options(args)?;
    cargo("fmt --all --check").run()
}

fn clippy(args: &[String]) -> Result {
    error::no_options(args)?;
    cargo("clippy --workspace --all-targets --all-features --locked -- -D warnings").run()
}

fn test(args: &[String]) -> Result {
    error::no_options(args)?;
    cargo("test --workspace --all-features --locked").run()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_has_a_name_of_its_own_and_a_line_of_help() {
        for (index, task) in TASKS.iter().enumerate() {
            assert!(!task.help.contains('\n'), "{}", task.name);
            assert!(TASKS.iter().skip(index + 1).all(|other| other.name != task.name));
            assert!(help().contains(task.help), "{}", task.name);
        }
    }
}
