//! A target without coverage: `generated TARGET SEED RUNS FOLDER...`, the folders being those of
//! its samples.

#![expect(clippy::print_stderr, reason = "a command-line tool answers there")]

use std::{env, path::Path, process::ExitCode};

use fuzz_targets::{TARGETS, drive, samples};

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("generated: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &[String]) -> Result<(), String> {
    let [name, seed, runs, folders @ ..] = args else {
        return Err("TARGET SEED RUNS FOLDER...".to_owned());
    };
    let target = TARGETS.iter().find(|(own, _)| own == name);
    let (_, target) = target.ok_or_else(|| format!("no target is called `{name}`"))?;
    let number = |text: &str| text.parse().map_err(|error| format!("{text}: {error}"));
    let mut own = Vec::new();
    for folder in folders {
        own.extend(samples(Path::new(folder)).map_err(|error| format!("{folder}: {error}"))?);
    }
    let own: Vec<&[u8]> = own.iter().map(Vec::as_slice).collect();
    drive(name, &own, number(seed)?, number(runs)?, *target);
    eprintln!("{name}: {runs} inputs from seed {seed} and {} samples", own.len());
    Ok(())
}
