//! `mutants`: small mistakes made one at a time, which the tests must notice.

mod harmless;

use std::fs;

use crate::{
    cargo::{Run, cargo, installed, root},
    error::{Error, Result},
};

pub(crate) const HELP: &str = "plant small mistakes and see the tests notice: [SCOPE]...";

/// Of the program that plants them, for each scope.
const OUTPUT: &str = "target/mutants";

/// Not the workspace's: each mistake is planted in a copy of the sources, and what they depend on
/// is built once for all copies.
const BUILD: &str = "target/mutants/build";

/// Enough for every rule to bite, and not the most time of each mistake.
const CASES: &str = "100";

/// In seconds. A test that never ends is given up earlier: `.config/nextest.toml` says when.
const LONGEST_RUN: &str = "120";

/// How the program ends when every mistake was noticed; and when some runs took too long, which
/// is to notice as well.
const ALL_NOTICED: [i32; 2] = [0, 3];

/// How it ends when some mistakes were not noticed.
const SOME_MISSED: i32 = 2;

/// What only tests are made of.
const TESTS: &[&str] = &[
    "**/explore.rs",
    "**/history.rs",
    "**/hostile_clock.rs",
    "**/loom_tests.rs",
    "**/model.rs",
    "**/naive.rs",
    "**/recovery.rs",
    "**/tests.rs",
    "**/tests/**",
];

/// Files to plant mistakes in, and the tests that must notice.
struct Scope {
    name: &'static str,
    package: &'static str,
    files: &'static str,
    /// The package that has the tests.
    tests: &'static str,
    /// What of that package Cargo builds.
    build: &'static [&'static str],
    /// Which tests are run.
    run: &'static [&'static str],
}

const SCOPES: &[Scope] = &[
    Scope {
        name: "retry-core",
        package: "retry-core",
        files: "crates/retry-core/src/**/*.rs",
        tests: "retry-core",
        build: &["--all-features", "--lib", "--test=together"],
        // They take the longest: figures that others have published, and a million of waits.
        run: &["--skip", "contention", "--skip", "a_million_waits"],
    },
    // The package `machines` has the machines of `api-pool` without the rest of it. Models that
    // take longer than all other tests together are left out.
    Scope {
        name: "breaker",
        package: "api-pool",
        files: "crates/api-pool/src/breaker/**/*.rs",
        tests: "machines",
        build: &["--no-default-features", "--features=breaker", "--lib"],
        run: &["breaker", "--skip", "model"],
    },
    Scope {
        name: "queue",
        package: "api-pool",
        files: "crates/api-pool/src/queue/**/*.rs",
        tests: "machines",
        build: &["--no-default-features", "--features=queue", "--lib"],
        run: &["queue"],
    },
    Scope {
        name: "auth",
        package: "api-pool",
        files: "crates/api-pool/src/auth/**/*.rs",
        tests: "machines",
        build: &["--no-default-features", "--features=auth", "--lib"],
        run: &["auth", "--skip", "model"],
    },
    Scope {
        name: "rate",
        package: "api-pool",
        files: "crates/api-pool/src/rate/**/*.rs",
        tests: "machines",
        build: &["--no-default-features", "--features=rate-limit", "--lib"],
        run: &["rate"],
    },
];

pub(crate) fn run(args: &[String]) -> Result {
    let scopes = asked(args)?;
    ["mutants", "nextest"].into_iter().try_for_each(installed)?;
    let path = root().join(OUTPUT);
    fs::create_dir_all(&path).map_err(|source| Error::File { path, source })?;
    let mut missed = Vec::new();
    for scope in scopes {
        harmless::are_listed(scope.folder(), &listed(scope)?)?;
        harmless::tell(scope.folder());
        // Without a mistake the tests hold.
        test(scope).run()?;
        let status = plant(scope).status()?;
        match status.code() {
            Some(code) if ALL_NOTICED.contains(&code) => (),
            Some(SOME_MISSED) => missed.push(scope.name),
            _ => return Err(Error::Broken(format!("`cargo mutants` failed: {status}"))),
        }
    }
    if missed.is_empty() {
        return Ok(());
    }
    let files: Vec<_> =
        missed.iter().map(|name| format!("{OUTPUT}/{name}/mutants.out/missed.txt")).collect();
    Err(Error::Broken(format!("some mistakes were not noticed: {}", files.join(", "))))
}

impl Scope {
    fn folder(&self) -> &str {
        self.files.split("**").next().unwrap_or_default()
    }
}

/// The names of all mistakes in the files of a scope.
fn listed(scope: &Scope) -> Result<String> {
    mutants(scope).args(["--list", "--no-config"]).output()
}

fn test(scope: &Scope) -> Run {
    let test = cargo("nextest run --locked --cargo-profile mutants --package").args([scope.tests]);
    in_scope(test.args(scope.build).args(["--"]).args(scope.run))
}

fn plant(scope: &Scope) -> Run {
    let plant = mutants(scope)
        .args(["--profile", "mutants", "--baseline", "skip", "--jobs", "1"])
        .args(["--test-tool", "nextest", "--timeout", LONGEST_RUN])
        .args(["--output", &format!("{OUTPUT}/{}", scope.name)])
        .args(harmless::patterns(scope.folder()).map(|pattern| format!("--exclude-re={pattern}")))
        .args(["--test-package", scope.tests, "--cargo-arg=--locked"])
        .args(scope.build.iter().map(|target| format!("--cargo-arg={target}")))
        .args(["--", "--"])
        .args(scope.run);
    in_scope(plant)
}

fn mutants(scope: &Scope) -> Run {
    cargo("mutants --package")
        .args([scope.package])
        .args(["--file", scope.files])
        .args(TESTS.iter().flat_map(|file| ["--exclude", *file]))
}

fn in_scope(run: Run) -> Run {
    let build = root().join(BUILD);
    run.env("CARGO_TARGET_DIR", build.as_os_str())
        .env("NEXTEST_PROFILE", "mutants")
        .env("PROPTEST_CASES", CASES)
}

fn asked(args: &[String]) -> Result<Vec<&'static Scope>> {
    if args.is_empty() {
        return Ok(SCOPES.iter().collect());
    }
    args.iter()
        .map(|name| {
            SCOPES.iter().find(|scope| scope.name == name).ok_or_else(|| {
                let names: Vec<_> = SCOPES.iter().map(|scope| scope.name).collect();
                Error::Usage(format!("`{name}` is no scope: there are {}", names.join(", ")))
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scope_has_files() {
        for scope in SCOPES {
            assert!(root().join(scope.folder()).is_dir(), "{}", scope.files);
        }
    }

    #[test]
    fn all_scopes_are_asked_for_unless_some_are_named() {
        assert_eq!(asked(&[]).unwrap().len(), SCOPES.len());
        assert_eq!(asked(&["queue".to_owned()]).unwrap()[0].name, "queue");
        assert!(asked(&["que".to_owned()]).is_err());
    }
}
