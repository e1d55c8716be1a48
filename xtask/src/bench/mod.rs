//! `bench`: counts what calls and decisions cost, ours beside the peers'.
//!
//! Instructions are counted by valgrind, allocations by an allocator that counts. Both are the
//! difference of two runs that differ in the number of repeats only, so that neither setting up
//! nor the noise of the machine is in them.

mod compare;
mod cost;
mod count;
mod outage;
mod table;

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::{
    bench::table::Report,
    cargo::{cargo, root},
    error::{Error, Result},
};

pub(crate) const HELP: &str =
    "count instructions and allocations, ours and the peers' (--help: its options)";

/// Where the counts are kept that `--check` compares with.
const RECORDED: &str = "crates/benchmarks/recorded.json";
/// Where the counts of the last run are.
const LATEST: &str = "target/benchmarks/counts.json";

const USAGE: &str = "cargo xtask bench [--check | --record] [EXPERIMENT…]
cargo xtask bench --outage | --jitter | --charts | --contended | --builds [NAME…]

  prints one table for each experiment and writes target/benchmarks/counts.json
  --check      count ours only, and compare with crates/benchmarks/recorded.json
  --record     write crates/benchmarks/recorded.json, of the experiments that are named
  --outage     requests and wake-ups of an outage in virtual time
  --jitter     clients of one lock under each jitter, in virtual time
  --charts     draw the two into docs/guides/images
  --contended  two threads on one breaker, as a ratio
  --builds     crates, processor time and bytes that a program gets, more than without us
";

const TARGET: &str = "target/benchmarks";

/// What is to be done with the counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Check,
    Print,
    Record,
}

pub(crate) fn run(args: &[String]) -> Result {
    let mut mode = Mode::Print;
    let mut wanted = Vec::new();
    for (index, arg) in args.iter().enumerate() {
        match arg.as_str() {
            "--check" => mode = Mode::Check,
            "--record" => mode = Mode::Record,
            "--outage" => return outage::outage(),
            "--jitter" => return outage::jitter(),
            "--charts" => return outage::charts(),
            "--contended" => return outage::contended(),
            "--builds" => return cost::run(args.get(index + 1..).unwrap_or_default()),
            "-h" | "--help" => {
                print!("{USAGE}");
                return Ok(());
            }
            option if option.starts_with('-') => return Err(Error::Usage(USAGE.to_owned())),
            experiment => wanted.push(experiment.to_owned()),
        }
    }
    let report = count::count(&wanted, |name| mode != Mode::Check || is_ours(name))?;
    match mode {
        Mode::Check => {
            let recorded = Report::from_json(&read(&root().join(RECORDED))?)?;
            compare::check(&recorded, &report)
        }
        Mode::Print => {
            print!("{report}");
            write(&root().join(LATEST), &report)
        }
        Mode::Record => {
            print!("{report}");
            write(&root().join(LATEST), &report)?;
            let recorded = root().join(RECORDED);
            let before = if wanted.is_empty() { None } else { Some(read(&recorded)?) };
            let before = before.as_ref().map(Report::from_json).transpose()?;
            write(&recorded, &report.over(before))
        }
    }
}

/// Whether a subject is of this workspace, or what it is compared with. A peer does not change.
fn is_ours(subject: &str) -> bool {
    const OURS: [&str; 4] = ["api-pool", "retry-core", "vantage-graphql", "vantage-rest"];
    OURS.iter().any(|ours| subject.starts_with(ours))
}

/// Builds programs of the benchmark crate, and says where they are.
fn build(features: &str, programs: &[&str]) -> Result<PathBuf> {
    let target = Path::new(TARGET).join(features);
    let features =
        if features.is_empty() { vec![] } else { vec!["--no-default-features", "-F", features] };
    cargo("build --release --locked --manifest-path crates/benchmarks/Cargo.toml --target-dir")
        .args([&target])
        .args(features)
        .args(programs.iter().flat_map(|program| ["--bin", program]))
        .run()?;
    Ok(root().join(target).join("release"))
}

fn read(path: &Path) -> Result<Value> {
    let text =
        fs::read_to_string(path).map_err(|source| Error::File { path: path.to_owned(), source })?;
    serde_json::from_str(&text).map_err(|error| Error::Malformed {
        what: path.display().to_string(),
        why: error.to_string(),
    })
}

fn write(path: &Path, report: &Report) -> Result {
    let text = format!("{:#}\n", report.to_json());
    fs::write(path, text).map_err(|source| Error::File { path: path.to_owned(), source })
}
