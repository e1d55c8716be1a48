//! `public-api`: what each published crate promises, one line an item, kept in the repository.
//!
//! The lines come from rustdoc's description of a crate in JSON. That format is not stable, so
//! only the lines are kept, and the compiler is told that this is meant.

mod listing;
mod types;

use std::fs;

use serde_json::Value;

use crate::{
    cargo::{cargo, root},
    error::{Error, Result},
    workspace,
};

pub(crate) const HELP: &str =
    "compare the public API with the kept one (--update: keep the new one)";

/// Where the lines are kept.
const KEPT: &str = "docs/public-api";

/// Not the workspace's: the compiler runs in another mode.
const TARGET: &str = "target/public-api";

pub(crate) fn run(args: &[String]) -> Result {
    let mut update = false;
    let mut names = Vec::new();
    for arg in args {
        match arg.strip_prefix("--") {
            Some("update") => update = true,
            Some(_) => return Err(Error::Usage(format!("`{arg}` is no option: {HELP}"))),
            None => names.push(arg.as_str()),
        }
    }
    let packages = workspace::packages()?;
    let packages = packages.iter().filter(|package| package.published);
    let mut changed = Vec::new();
    for package in packages.filter(|own| names.is_empty() || names.contains(&own.name.as_str())) {
        let listing = listing::of(&describe(&package.name)?)?;
        let path = root().join(KEPT).join(format!("{}.txt", package.name));
        if update {
            fs::write(&path, &listing).map_err(|source| Error::File { path, source })?;
            continue;
        }
        let kept = fs::read_to_string(&path).map_err(|source| Error::File { path, source })?;
        let difference = difference(&kept, &listing);
        if !difference.is_empty() {
            println!("{}:\n{difference}", package.name);
            changed.push(package.name.as_str());
        }
    }
    if changed.is_empty() {
        return Ok(());
    }
    Err(Error::Broken(format!(
        "the public API of {} is not the kept one; if that is meant: cargo xtask public-api --update",
        changed.join(", ")
    )))
}

/// The crate as rustdoc describes it.
fn describe(package: &str) -> Result<Value> {
    cargo("rustdoc --quiet --lib --all-features --locked --package")
        .args([package, "--target-dir", TARGET, "--"])
        .args(["-Zunstable-options", "--output-format=json", "--cap-lints=allow"])
        .env("RUSTC_BOOTSTRAP", "1")
        .run()?;
    let file = format!("{}.json", package.replace('-', "_"));
    let path = root().join(TARGET).join("doc").join(file);
    let text = fs::read_to_string(&path).map_err(|source| Error::File { path, source })?;
    serde_json::from_str(&text).map_err(|error| Error::Malformed {
        what: format!("the description of {package}"),
        why: error.to_string(),
    })
}

/// Lines that are only in one of two sorted listings.
fn difference(kept: &str, now: &str) -> String {
    let only = |own: &str, other: &str, sign: char| {
        let other: std::collections::HashSet<_> = other.lines().collect();
        let lines = own.lines().filter(|line| !other.contains(line));
        lines.map(|line| format!("{sign} {line}\n")).collect::<String>()
    };
    only(kept, now, '-') + &only(now, kept, '+')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_gone_and_what_is_new_is_said() {
        assert_eq!(difference("a\nb\n", "b\nc\n"), "- a\n+ c\n");
        assert_eq!(difference("a\nb\n", "a\nb\n"), "");
    }
}
