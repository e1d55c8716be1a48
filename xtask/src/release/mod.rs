//! `release --dry-run`: everything that can be known before a release, without making one.

mod manifest;
mod order;
mod package;
mod semver;
mod tree;

use crate::{
    cargo::cargo,
    error::{Error, Result},
    workspace::{self, Package},
};

pub(crate) const HELP: &str =
    "--dry-run: check what a release needs, test the packages, say the order; --semver: only that";

pub(crate) fn run(args: &[String]) -> Result {
    let packages = workspace::packages()?;
    let order = order::of(&packages)?;
    match args {
        [only] if only == "--semver" => return semver::check(&order),
        [only] if only == "--dry-run" => (),
        _ => {
            return Err(Error::Usage(
                "only `release --dry-run` and `release --semver` exist: publishing is done by \
                 hand, see docs/RELEASING.md"
                    .to_owned(),
            ));
        }
    }

    println!("\n== manifests, licences, changelogs");
    let mut problems = Vec::new();
    for package in &order {
        problems.extend(manifest::problems(package, &order));
        problems.extend(package::changelog_problems(package)?);
        problems.extend(package::content_problems(package, &packages)?);
    }
    for problem in &problems {
        println!("error: {problem}");
    }
    if !problems.is_empty() {
        let count = problems.len();
        return Err(Error::Broken(format!("{count} thing(s) stand between here and a release")));
    }

    println!("\n== packages");
    package::create(&order)?;
    println!("\n== packaged tests");
    package::test(&order)?;
    println!("\n== dependencies");
    tree::duplicates(&order)?;
    tree::default_features(&order);
    advisories()?;
    println!("\n== semver");
    semver::check(&order)?;

    println!("\npublish in this order:");
    for (index, Package { name, version, .. }) in order.iter().enumerate() {
        println!("  {}. cargo publish -p {name}   # {version}", index + 1);
    }
    Ok(())
}

/// Advisories need a tool and its database, so their absence is told rather than taken for a pass.
fn advisories() -> Result {
    if !has("deny") {
        println!("advisories: not checked, since cargo-deny is not installed");
        return Ok(());
    }
    let (status, text) = cargo("deny --all-features check advisories").observe()?;
    if status.success() {
        println!("advisories: none that is not ignored with a reason in deny.toml");
    } else if text.contains("failed to fetch advisory database") {
        println!("advisories: not checked, since their database is out of reach");
    } else {
        print!("{text}");
        return Err(Error::Broken("cargo-deny found advisories".to_owned()));
    }
    Ok(())
}

/// Whether Cargo has the subcommand.
fn has(subcommand: &str) -> bool {
    let list = cargo("--list").output().unwrap_or_default();
    list.lines().any(|line| line.split_whitespace().next() == Some(subcommand))
}
