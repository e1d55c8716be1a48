//! `mutants`: small mistakes made one at a time, which the tests must notice.

use std::fs;

use crate::{
    cargo::{cargo, root},
    error::{Error, Result},
};

pub(crate) const HELP: &str = "plant small mistakes and see the tests notice: [SCOPE]...";

/// Not the workspace's: each mistake is planted in a copy of the sources.
const OUTPUT: &str = "target/mutants";

/// Enough for every rule to bite, and not the most time of each mutant.
const CASES: &str = "400";

/// What only tests are made of.
const TESTS: &[&str] = &[
    "**/tests.rs",
    "**/tests/**",
    "**/loom_tests.rs",
    "**/model.rs",
    "**/model/**",
    "**/naive.rs",
];

/// Files to plant mistakes in, and the tests that must notice.
struct Scope {
    name: &'static str,
    package: &'static str,
    files: &'static [&'static str],
    /// For Cargo, and after `--` for the tests.
    tests: &'static [&'static str],
}

const SCOPES: &[Scope] = &[
    Scope {
        name: "retry-core",
        package: "retry-core",
        files: &["crates/retry-core/src/**/*.rs"],
        tests: &["--lib", "--tests"],
    },
    Scope {
        name: "breaker",
        package: "api-pool",
        files: &["crates/api-pool/src/breaker/**/*.rs"],
        tests: &["--lib", "--", "breaker"],
    },
    Scope {
        name: "queue",
        package: "api-pool",
        files: &["crates/api-pool/src/queue/**/*.rs"],
        tests: &["--lib", "--", "queue"],
    },
    Scope {
        name: "auth",
        package: "api-pool",
        files: &[
            "crates/api-pool/src/auth/credentials.rs",
            "crates/api-pool/src/auth/shared.rs",
            "crates/api-pool/src/auth/party.rs",
            "crates/api-pool/src/auth/slot.rs",
        ],
        tests: &["--lib", "--", "auth"],
    },
    Scope {
        name: "rate",
        package: "api-pool",
        files: &["crates/api-pool/src/rate/**/*.rs"],
        tests: &["--lib", "--", "rate"],
    },
];

pub(crate) fn run(args: &[String]) -> Result {
    let scopes = asked(args)?;
    is_installed()?;
    let path = root().join(OUTPUT);
    fs::create_dir_all(&path).map_err(|source| Error::File { path, source })?;
    let mut survived = Vec::new();
    for scope in scopes {
        let plant = cargo("mutants --all-features --no-shuffle --jobs 1 --timeout 120 --package")
            .args([scope.package, "--output", &format!("{OUTPUT}/{}", scope.name)])
            .args(scope.files.iter().flat_map(|file| ["--file", *file]))
            .args(TESTS.iter().flat_map(|file| ["--exclude", *file]))
            .args(["--"])
            .args(scope.tests)
            .env("PROPTEST_CASES", CASES);
        if let Err(error) = plant.run() {
            survived.push(format!("{}: {error}", scope.name));
        }
    }
    if survived.is_empty() { Ok(()) } else { Err(Error::Broken(survived.join("\n"))) }
}

fn is_installed() -> Result {
    match cargo("mutants --version").observe() {
        Ok((status, _)) if status.success() => Ok(()),
        _ => Err(Error::Broken(
            "`cargo mutants` is missing: `cargo install cargo-mutants --locked`".to_owned(),
        )),
    }
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
        for file in SCOPES.iter().flat_map(|scope| scope.files) {
            let path = root().join(file.split("/**").next().unwrap());
            assert!(path.exists(), "{file}");
        }
    }

    #[test]
    fn all_scopes_are_asked_for_unless_some_are_named() {
        assert_eq!(asked(&[]).unwrap().len(), SCOPES.len());
        assert_eq!(asked(&["queue".to_owned()]).unwrap()[0].name, "queue");
        assert!(asked(&["que".to_owned()]).is_err());
    }
}
