//! `fuzz`: libFuzzer over `fuzz/`, with the compiler at hand.

use std::fs;

use crate::{
    cargo::{cargo, program, root},
    error::{Error, Result},
};

pub(crate) const HELP: &str = "fuzz each target, or some: [--seconds N | --runs N] [--seed N] [--asan | --generated] [TARGET]...";

const MANIFEST: &str = "fuzz/Cargo.toml";

/// Not the workspace's: everything is built with coverage instrumentation.
const BUILD: &str = "target/fuzz";

/// Every target, and the longest input that is worth trying.
const TARGETS: &[(&str, &str)] = &[
    ("retry_after", "96"),
    ("decide", "160"),
    ("config", "400"),
    ("rest_decode", "800"),
    ("rest_lower", "300"),
    ("render", "500"),
    ("specs", "800"),
    ("error_body", "600"),
    ("token", "300"),
    ("pool_config", "400"),
    ("graphql_decode", "800"),
];

/// What `cargo fuzz` builds with, but for what needs a nightly: the sanitizers.
const FLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1";

/// What address sanitizing adds. A stable compiler has the runtime, and must be told to offer it.
const ASAN: &str = " -Zsanitizer=address";

/// How inputs that nothing measures are run: fast, and with the assertions of the others.
const GENERATED: &str = "run --release --locked --package fuzz-targets --example generated \
    --target-dir target/fuzz-generated --config profile.release.lto=false \
    --config profile.release.overflow-checks=true --config profile.release.debug-assertions=true";

pub(crate) fn run(args: &[String]) -> Result {
    let asked = Asked::read(args)?;
    let host = host()?;
    for (name, max_len) in &asked.targets {
        for folder in ["corpus", "artifacts"] {
            let path = root().join("fuzz").join(folder).join(name);
            fs::create_dir_all(&path).map_err(|source| Error::File { path, source })?;
        }
        match asked.mode {
            Mode::Guided => guided(&asked, name, max_len, &host, FLAGS, BUILD)?,
            Mode::Asan => {
                let (flags, folder) = (format!("{FLAGS}{ASAN}"), format!("{BUILD}-asan"));
                guided(&asked, name, max_len, &host, &flags, &folder)?;
            }
            Mode::Generated => generated(&asked, name)?,
        }
    }
    Ok(())
}

fn guided(
    asked: &Asked,
    name: &str,
    max_len: &str,
    host: &str,
    flags: &str,
    folder: &str,
) -> Result {
    // The target is named, so that build scripts are built without the flags.
    let build = cargo("build --release --locked --manifest-path")
        .args([MANIFEST, "--target-dir", folder, "--target", host, "--bin", name])
        .env("RUSTFLAGS", flags);
    let build = if asked.mode == Mode::Asan { build.env("RUSTC_BOOTSTRAP", "1") } else { build };
    build.run()?;
    let limit = match asked.limit {
        Limit::Runs(runs) => format!("-runs={runs}"),
        Limit::Seconds(seconds) => format!("-max_total_time={seconds}"),
    };
    program(root().join(folder).join(host).join("release").join(name))
        .args([
            limit,
            format!("-seed={}", asked.seed),
            format!("-max_len={max_len}"),
            "-timeout=10".to_owned(),
            "-rss_limit_mb=1024".to_owned(),
            "-print_final_stats=1".to_owned(),
            format!("-artifact_prefix=fuzz/artifacts/{name}/"),
            format!("fuzz/corpus/{name}"),
            format!("fuzz/seeds/{name}"),
        ])
        .run()
}

/// Inputs grown from the samples, and from what guided runs have kept.
fn generated(asked: &Asked, name: &str) -> Result {
    let Limit::Runs(runs) = asked.limit else {
        return Err(Error::Usage("--generated needs --runs".to_owned()));
    };
    cargo(GENERATED)
        .args(["--", name, &asked.seed.to_string(), &runs.to_string()])
        .args([format!("fuzz/seeds/{name}"), format!("fuzz/corpus/{name}")])
        .env("RUSTFLAGS", "--cfg fuzzing")
        .run()
}

/// What the command line asks for.
#[derive(Debug, PartialEq, Eq)]
struct Asked {
    limit: Limit,
    /// Zero for one that differs each time.
    seed: u64,
    mode: Mode,
    targets: Vec<(&'static str, &'static str)>,
}

/// Where inputs come from, and who watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// From libFuzzer, which goes after coverage.
    Guided,
    /// The same, with address sanitizing.
    Asan,
    /// From a seed alone.
    Generated,
}

/// How long each target is fuzzed.
#[derive(Debug, PartialEq, Eq)]
enum Limit {
    Runs(u64),
    Seconds(u64),
}

impl Asked {
    fn read(args: &[String]) -> Result<Self> {
        let (limit, mode) = (Limit::Seconds(60), Mode::Guided);
        let mut asked = Self { limit, seed: 0, mode, targets: Vec::new() };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let mut number = || {
                let number = args.next().and_then(|number| number.parse().ok());
                number.ok_or_else(|| Error::Usage(format!("{arg} needs a number")))
            };
            match arg.as_str() {
                "--seconds" => asked.limit = Limit::Seconds(number()?),
                "--runs" => asked.limit = Limit::Runs(number()?),
                "--seed" => asked.seed = number()?,
                "--asan" => asked.mode = Mode::Asan,
                "--generated" => asked.mode = Mode::Generated,
                _ => {
                    let target = TARGETS.iter().find(|(name, _)| name == arg).copied();
                    asked.targets.push(target.ok_or_else(|| unknown(arg))?);
                }
            }
        }
        if asked.targets.is_empty() {
            asked.targets = TARGETS.to_vec();
        }
        Ok(asked)
    }
}

fn unknown(target: &str) -> Error {
    let names: Vec<_> = TARGETS.iter().map(|(name, _)| *name).collect();
    Error::Usage(format!("`{target}` is no target: there are {}", names.join(", ")))
}

/// The platform that the compiler builds for by default.
fn host() -> Result<String> {
    let version = program("rustc").args(["-vV"]).output()?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| Error::Malformed {
        what: "rustc -vV".to_owned(),
        why: "it names no host".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(args: &[&str]) -> Result<Asked> {
        Asked::read(&args.iter().map(|&arg| arg.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn every_target_has_a_source_and_samples() {
        for (name, _) in TARGETS {
            assert!(root().join("fuzz/seeds").join(name).is_dir(), "{name}");
            let source = root().join(format!("fuzz/fuzz_targets/{name}.rs"));
            assert!(source.is_file(), "{name}");
        }
    }

    #[test]
    fn all_targets_are_asked_for_unless_some_are_named() {
        assert_eq!(read(&[]).unwrap().targets, TARGETS);
        let one = read(&["--seconds", "5", "decide"]).unwrap();
        let targets = vec![("decide", "160")];
        let (limit, mode) = (Limit::Seconds(5), Mode::Guided);
        assert_eq!(one, Asked { limit, seed: 0, mode, targets });
        let one = read(&["--runs", "9", "--seed", "2", "--asan"]).unwrap();
        assert_eq!((one.limit, one.seed, one.mode), (Limit::Runs(9), 2, Mode::Asan));
        assert_eq!(read(&["--generated"]).unwrap().mode, Mode::Generated);
        assert!(read(&["--seconds"]).is_err());
        assert!(read(&["decode"]).is_err());
    }
}
