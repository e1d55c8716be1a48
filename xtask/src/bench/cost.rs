//! `bench --builds`: what a user's build gets: crates, processor time, and bytes of the program.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{
    cargo::{Run, cargo, root},
    error::{Error, Result},
};

/// A program, and what it depends on.
struct Subject {
    name: &'static str,
    /// The one it is compared with, by name; itself if it is compared with nothing.
    base: &'static str,
    /// In `crates/benchmarks/builds`.
    source: &'static str,
    /// Beside the dependencies of the base.
    dependencies: &'static str,
}

const HTTP: &str = "bare reqwest";
const ALONE: &str = "thiserror";

const HTTP_DEPENDENCIES: &str = "reqwest = \"0.12\"
tokio = { version = \"1\", features = [\"macros\", \"rt\"] }
";
const ALONE_DEPENDENCIES: &str = "thiserror = { version = \"2\", default-features = false }
";

const SUBJECTS: &[Subject] = &[
    Subject { name: HTTP, base: HTTP, source: "reqwest.rs", dependencies: "" },
    Subject {
        name: "api-pool",
        base: HTTP,
        source: "api_pool.rs",
        dependencies: "api-pool = { path = \"{crates}/api-pool\", default-features = false }",
    },
    Subject {
        name: "api-pool, rate-limit",
        base: HTTP,
        source: "api_pool_rate.rs",
        dependencies: "api-pool = { path = \"{crates}/api-pool\", default-features = false, \
                       features = [\"rate-limit\"] }",
    },
    Subject {
        name: "vantage-api-pool",
        base: HTTP,
        source: "vantage.rs",
        dependencies: "vantage-api-pool = \"1.1\"",
    },
    Subject {
        name: "tower: limit, retry",
        base: HTTP,
        source: "stack.rs",
        dependencies: "tower = { version = \"0.5\", features = [\"limit\", \"retry\", \"util\"] }",
    },
    Subject {
        name: "reqwest-retry",
        base: HTTP,
        source: "middleware.rs",
        dependencies: "reqwest-middleware = \"0.4\"\nreqwest-retry = \"0.8\"",
    },
    Subject { name: ALONE, base: ALONE, source: "nothing.rs", dependencies: "" },
    Subject {
        name: "retry-core",
        base: ALONE,
        source: "retry_core.rs",
        dependencies: "retry-core = { path = \"{crates}/retry-core\", default-features = false }",
    },
    Subject {
        name: "backon",
        base: ALONE,
        source: "backon.rs",
        dependencies: "backon = { version = \"1.6\", default-features = false, \
                       features = [\"std\"] }",
    },
    Subject {
        name: "recloser",
        base: ALONE,
        source: "recloser.rs",
        dependencies: "recloser = { version = \"1.4\", default-features = false }",
    },
];

/// What a build comes to.
#[derive(Clone, Copy)]
struct Cost {
    crates: usize,
    seconds: f64,
    bytes: u64,
}

/// Builds every subject, or those that are named and what they are compared with.
pub(super) fn run(names: &[String]) -> Result {
    let named = |name: &str| names.is_empty() || names.iter().any(|wanted| wanted == name);
    let wanted = |subject: &&Subject| {
        let compared = SUBJECTS.iter().any(|other| other.base == subject.name && named(other.name));
        named(subject.name) || compared
    };
    let mut costs: Vec<(&Subject, Cost)> = Vec::new();
    for subject in SUBJECTS.iter().filter(wanted) {
        costs.push((subject, cost(subject)?));
    }
    println!("\n| | crates | release build, CPU s | stripped program |\n|---|---:|---:|---:|");
    for (subject, Cost { crates, seconds, bytes }) in &costs {
        let Subject { name, base, .. } = subject;
        if name == base {
            println!("| {name} | {crates} | {seconds:.1} | {} KiB |", bytes / 1024);
            continue;
        }
        if let Some((_, of)) = costs.iter().find(|(known, _)| known.name == *base) {
            let more = crates.saturating_sub(of.crates);
            let kibibytes = (*bytes as f64 - of.bytes as f64) / 1024.0;
            let seconds = seconds - of.seconds;
            println!("| {name} | +{more} | {seconds:+.1} | {kibibytes:+.0} KiB |");
        }
    }
    Ok(())
}

fn cost(subject: &Subject) -> Result<Cost> {
    let folder = root().join(super::TARGET).join("builds").join(subject.source.replace(".rs", ""));
    // From nothing, whatever an earlier run left.
    let _ = fs::remove_dir_all(&folder);
    write(&folder.join("Cargo.toml"), &manifest(subject))?;
    let benchmarks = root().join("crates/benchmarks");
    let copy = |from: PathBuf, to: PathBuf| {
        fs::copy(&from, to).map_err(|source| Error::File { path: from, source })
    };
    copy(benchmarks.join("Cargo.lock"), folder.join("Cargo.lock"))?;
    fs::create_dir_all(folder.join("src"))
        .map_err(|source| Error::File { path: folder.clone(), source })?;
    copy(benchmarks.join("builds").join(subject.source), folder.join("src/main.rs"))?;

    let of = |run: Run| run.args(["--manifest-path"]).args([folder.join("Cargo.toml")]);
    let tree = of(cargo("tree --edges normal --prefix none --no-dedupe")).output()?;
    let mut crates: Vec<&str> = tree.lines().filter_map(|line| line.split(" (").next()).collect();
    crates.sort_unstable();
    crates.dedup();

    let before = children_seconds()?;
    of(cargo("build --release --quiet"))
        .args(["--target-dir"])
        .args([folder.join("target")])
        .run()?;
    let seconds = children_seconds()? - before;
    let program = folder.join("target/release/program");
    let bytes =
        fs::metadata(&program).map_err(|source| Error::File { path: program, source })?.len();
    let _ = fs::remove_dir_all(folder.join("target"));
    // The program itself is no dependency.
    Ok(Cost { crates: crates.len().saturating_sub(1), seconds, bytes })
}

fn manifest(Subject { base, dependencies, .. }: &Subject) -> String {
    let common = if *base == HTTP { HTTP_DEPENDENCIES } else { ALONE_DEPENDENCIES };
    let crates = root().join("crates");
    let dependencies = dependencies.replace("{crates}", &crates.display().to_string());
    format!(
        "[package]\nname = \"program\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [dependencies]\n{common}{dependencies}\n\n[profile.release]\nstrip = true\n"
    )
}

/// The processor time of all programs that were run and have ended, as Linux tells it.
fn children_seconds() -> Result<f64> {
    const TICKS_PER_SECOND: f64 = 100.0;
    let path = PathBuf::from("/proc/self/stat");
    let stat = fs::read_to_string(&path).map_err(|source| Error::File { path, source })?;
    let malformed = || Error::Malformed { what: "/proc/self/stat".to_owned(), why: stat.clone() };
    // The second field is the program's name, in brackets, and may hold anything.
    let rest = stat.rsplit_once(") ").ok_or_else(malformed)?.1;
    // Of all fields, cutime and cstime are the 16th and the 17th.
    let ticks = rest.split(' ').skip(13).take(2).map(|field| field.parse::<f64>().ok());
    let ticks: Option<f64> = ticks.sum();
    ticks.map(|ticks| ticks / TICKS_PER_SECOND).ok_or_else(malformed)
}

fn write(path: &Path, text: &str) -> Result {
    let file = |source| Error::File { path: path.to_owned(), source };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(file)?;
    }
    fs::write(path, text).map_err(file)
}
