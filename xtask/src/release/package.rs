//! The packages themselves: what is in them, and whether their tests pass away from home.

use std::fs;

use crate::{
    cargo::{self, cargo, program},
    error::{Error, Result},
    release::order,
    workspace::Package,
};

/// Files that a package must contain, whatever else it does.
const FILES: &[&str] =
    &["CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "README.md", "src/lib.rs"];

/// Where Cargo puts packages. It looks for no workspace above this folder.
const FOLDER: &str = "target/package";

/// Whether the changelog has something to say about this version.
pub(super) fn changelog_problems(package: &Package) -> Result<Option<String>> {
    let path = package.dir.join("CHANGELOG.md");
    let text = fs::read_to_string(&path).map_err(|source| Error::File { path, source })?;
    Ok(says_nothing(&text, &package.version)
        .then(|| format!("{}: the changelog says nothing about {}", package.name, package.version)))
}

/// A version is told in its own section or, before the release, in a filled `Unreleased`.
fn says_nothing(changelog: &str, version: &str) -> bool {
    let mut sections = changelog.split("\n## ").skip(1);
    !sections.any(|section| {
        let (title, body) = section.split_once('\n').unwrap_or((section, ""));
        let names_it = title.split_whitespace().next() == Some(version);
        names_it || title.trim() == "Unreleased" && body.lines().any(|line| line.starts_with("- "))
    })
}

/// What the package lacks, and what it has that cannot be built away from home.
pub(super) fn content_problems(package: &Package, all: &[Package]) -> Result<Vec<String>> {
    let list = cargo("package --list --allow-dirty --package").args([&package.name]).output()?;
    let missing = FILES.iter().filter(|file| !list.lines().any(|line| line == **file));
    let mut problems: Vec<String> =
        missing.map(|file| format!("{}: the package has no {file}", package.name)).collect();
    for file in list.lines().filter(|file| file.ends_with(".rs")) {
        let path = package.dir.join(file);
        let source = fs::read_to_string(&path).map_err(|source| Error::File { path, source })?;
        problems.extend(unpublished(&source, all).map(|other| {
            format!("{}: {file} needs {other}, which is not published", package.name)
        }));
    }
    Ok(problems)
}

/// The packages that the source takes something from, although users cannot have them.
fn unpublished<'a>(source: &str, all: &'a [Package]) -> impl Iterator<Item = &'a str> {
    let hidden = all.iter().filter(|package| !package.published);
    hidden.map(|package| package.name.as_str()).filter(move |name| {
        let path = format!("{}::", name.replace('-', "_"));
        source.match_indices(&path).any(|(at, _)| {
            let before = source.get(..at).and_then(|text| text.chars().next_back());
            before.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != ':')
        })
    })
}

/// Packs all of them together, so that none is looked for in the registry.
pub(super) fn create(order: &[&Package]) -> Result {
    let names = order.iter().flat_map(|package| ["--package", package.name.as_str()]);
    cargo("package --no-verify --locked").args(names).run()
}

/// Unpacks each package and runs its tests, with the other packages in the registry's place.
pub(super) fn test(order: &[&Package]) -> Result {
    for package in order {
        let unpacked = unpacked(package);
        let stale = cargo::root().join(&unpacked);
        if stale.exists() {
            fs::remove_dir_all(&stale).map_err(|source| Error::File { path: stale, source })?;
        }
        let archive = format!("{FOLDER}/{}-{}.crate", package.name, package.version);
        // `m`: files in a package all carry one old time, by which Cargo would take changed
        // ones for those it built before.
        program("tar").args(["-xzmf", &archive, "-C", FOLDER]).run()?;

        let manifest = format!("{unpacked}/Cargo.toml");
        let test = cargo("test --all-features --target-dir target/packaged --manifest-path");
        test.args([manifest]).args(patches(package, order)).run()?;
    }
    Ok(())
}

fn unpacked(package: &Package) -> String {
    format!("{FOLDER}/{}-{}", package.name, package.version)
}

/// Puts the unpacked siblings, direct and indirect, where the registry's copies would be.
fn patches(package: &Package, order: &[&Package]) -> Vec<String> {
    let siblings = order.iter().filter(|other| reaches(package, &other.name, order));
    let patch = |other: &&Package| {
        let path = cargo::root().join(unpacked(other)).display().to_string().replace('\\', "/");
        ["--config".to_owned(), format!("patch.crates-io.{}.path=\"{path}\"", other.name)]
    };
    siblings.flat_map(patch).collect()
}

fn reaches(from: &Package, to: &str, order: &[&Package]) -> bool {
    order::needs(from).any(|name| {
        name == to
            || order.iter().any(|package| package.name == name && reaches(package, to, order))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        fixtures::{depends, package},
        workspace::Kind,
    };

    #[test]
    fn an_empty_changelog_says_nothing() {
        assert!(says_nothing("# Changelog\n\n## Unreleased\n", "0.1.0"));
        assert!(says_nothing("# C\n\n## Unreleased\n\n## 0.0.9 (x)\n\n- a: b\n", "0.1.0"));
    }

    #[test]
    fn a_filled_section_says_something() {
        assert!(!says_nothing("# C\n\n## Unreleased\n\n### Added\n\n- a: b\n", "0.1.0"));
        assert!(!says_nothing("# C\n\n## Unreleased\n\n## 0.1.0 (x)\n", "0.1.0"));
    }

    #[test]
    fn what_an_unpublished_package_offers_is_missed_away_from_home() {
        let all = [package("core"), Package { published: false, ..package("test-support") }];
        let found = |source| unpublished(source, &all).collect::<Vec<_>>();
        assert_eq!(found("use test_support::Capture;"), ["test-support"]);
        assert_eq!(found("test_support::answer()"), ["test-support"]);
        assert!(found("use core::fmt; use my_test_support::x; use a::test_support::x;").is_empty());
    }

    #[test]
    fn siblings_are_found_through_siblings() {
        let core = package("core");
        let pool = depends(package("pool"), "core", Kind::Normal);
        let rest = depends(package("rest"), "pool", Kind::Normal);
        let order = [&core, &pool, &rest];
        assert_eq!(patches(&core, &order), Vec::<String>::new());
        assert_eq!(patches(&rest, &order).len(), 4);
    }
}
