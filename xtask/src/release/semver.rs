//! What changed for users since the last tag, and whether the version says so.
//!
//! `cargo-semver-checks` knows best. Where it is not installed, the kept listings of the public
//! API are compared, which see that an item is gone or has another signature. What an addition
//! can break, such as a method that others must implement, is only for that tool to find.

use std::collections::BTreeSet;

use crate::{
    cargo::{cargo, program, root},
    error::{Error, Result},
    release::has,
    workspace::Package,
};

/// How many lines that are gone are shown of each package.
const SHOWN: usize = 20;

pub(super) fn check(order: &[&Package]) -> Result {
    let (status, tag) = program("git").args(["describe", "--tags", "--abbrev=0"]).observe()?;
    if !status.success() {
        println!("semver: nothing to compare with, since there is no tag: any version will do");
        return Ok(());
    }
    let tag = tag.trim();
    if has("semver-checks") {
        let names = order.iter().flat_map(|package| ["--package", package.name.as_str()]);
        return cargo("semver-checks --baseline-rev").args([tag]).args(names).run();
    }
    println!("semver: cargo-semver-checks is not installed, so the listings at {tag} are compared");
    let mut problems = Vec::new();
    for package in order {
        problems.extend(problem(package, tag)?);
    }
    if problems.is_empty() {
        return Ok(());
    }
    Err(Error::Broken(problems.join("\n")))
}

/// Compares one package with the tag, and says what its version should be if it is too low.
fn problem(package: &Package, tag: &str) -> Result<Option<String>> {
    let Package { name, version, .. } = package;
    let listing = format!("docs/public-api/{name}.txt");
    let (Some(before), Some(manifest)) = (at(tag, &listing)?, at(tag, "Cargo.toml")?) else {
        println!("  {name}: not there at {tag}");
        return Ok(None);
    };
    let path = root().join(&listing);
    let after = std::fs::read_to_string(&path).map_err(|source| Error::File { path, source })?;
    let change = Change::between(&before, &after);
    let malformed = |what: &str| Error::Malformed {
        what: what.to_owned(),
        why: "no version of three numbers is in it".to_owned(),
    };
    let old = released(&manifest).ok_or_else(|| malformed(&format!("Cargo.toml at {tag}")))?;
    let new = Version::parse(version).ok_or_else(|| malformed(&format!("{name} {version}")))?;
    let Change { gone, added } = &change;
    println!("  {name}: {} gone or changed, {added} new, {old} → {new}", gone.len());
    for line in gone.iter().take(SHOWN) {
        println!("    - {line}");
    }
    Ok(match change.judge(old, new) {
        Verdict::High => None,
        Verdict::Low { least } => {
            Some(format!("{name}: {new} is too low: {least} at least, after {old}"))
        }
        Verdict::Same { least } => {
            println!("    the next release is {least} at least");
            None
        }
    })
}

/// A file as it was at the tag; `None` where it was not there.
fn at(tag: &str, file: &str) -> Result<Option<String>> {
    let (status, text) = program("git").args(["show", &format!("{tag}:{file}")]).observe()?;
    Ok(status.success().then_some(text))
}

/// The version that all packages of a workspace share.
fn released(manifest: &str) -> Option<Version> {
    let (_, shared) = manifest.split_once("[workspace.package]")?;
    let line = shared.lines().find_map(|line| line.strip_prefix("version = \""))?;
    Version::parse(line.trim_end_matches('"'))
}

/// What two listings differ in.
#[derive(Debug, PartialEq, Eq)]
struct Change<'a> {
    /// Lines that are not there any more: users of such an item may no longer compile.
    gone: Vec<&'a str>,
    added: usize,
}

impl<'a> Change<'a> {
    fn between(before: &'a str, after: &'a str) -> Self {
        let (before, after): (BTreeSet<_>, BTreeSet<_>) =
            (before.lines().collect(), after.lines().collect());
        let gone = before.difference(&after).copied().collect();
        Self { gone, added: after.difference(&before).count() }
    }

    fn judge(&self, old: Version, new: Version) -> Verdict {
        let least = self.least_after(old);
        if new == old {
            Verdict::Same { least }
        } else if new < least {
            Verdict::Low { least }
        } else {
            Verdict::High
        }
    }

    /// The lowest version that may follow `old`.
    fn least_after(&self, old: Version) -> Version {
        let Version { major, minor, .. } = old;
        match (self.gone.is_empty(), major) {
            (false, 0) => Version { major, minor: minor + 1, patch: 0 },
            (false, _) => Version { major: major + 1, minor: 0, patch: 0 },
            (true, 1..) if self.added > 0 => Version { major, minor: minor + 1, patch: 0 },
            // Before 1.0, additions need no more than a repair does.
            (true, _) => Version { patch: old.patch + 1, ..old },
        }
    }
}

/// Whether a version says what changed.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    High,
    Low {
        least: Version,
    },
    /// It was not raised yet, as between two releases.
    Same {
        least: Version,
    },
}

/// A version without what follows its three numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Version {
    major: u64,
    minor: u64,
    patch: u64,
}

impl Version {
    fn parse(text: &str) -> Option<Self> {
        let numbers = text.split(['-', '+']).next()?;
        let mut numbers = numbers.split('.').map(str::parse);
        let mut next = || numbers.next()?.ok();
        let version = Self { major: next()?, minor: next()?, patch: next()? };
        numbers.next().is_none().then_some(version)
    }
}

impl core::fmt::Display for Version {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn least(before: &str, after: &str, old: &str) -> String {
        Change::between(before, after).least_after(Version::parse(old).unwrap()).to_string()
    }

    #[test]
    fn an_item_that_is_gone_or_changed_breaks() {
        assert_eq!(least("fn a()\nfn b()\n", "fn a()\n", "0.3.4"), "0.4.0");
        assert_eq!(least("fn a()\n", "fn a(x: u8)\n", "1.3.4"), "2.0.0");
        assert_eq!(Change::between("fn a()\nfn b()\n", "fn b()\n").gone, ["fn a()"]);
    }

    #[test]
    fn an_addition_is_minor_from_one_point_nought_on() {
        assert_eq!(least("fn a()\n", "fn a()\nfn b()\n", "0.3.4"), "0.3.5");
        assert_eq!(least("fn a()\n", "fn a()\nfn b()\n", "1.3.4"), "1.4.0");
        assert_eq!(least("fn a()\n", "fn a()\n", "1.3.4"), "1.3.5");
    }

    #[test]
    fn a_version_is_too_low_only_once_it_was_raised() {
        let change = Change::between("fn a()\n", "");
        let version = |text| Version::parse(text).unwrap();
        let judge = |new| change.judge(version("0.3.4"), version(new));
        let least = version("0.4.0");
        assert_eq!(judge("0.3.4"), Verdict::Same { least });
        assert_eq!(judge("0.3.5"), Verdict::Low { least });
        assert_eq!(judge("0.4.0"), Verdict::High);
    }

    #[test]
    fn versions_are_compared_by_number() {
        let parse = |text| Version::parse(text).unwrap();
        assert!(parse("0.10.0") > parse("0.9.12"));
        assert_eq!(parse("1.2.3-rc.1"), parse("1.2.3"));
        assert_eq!(Version::parse("1.2"), None);
        assert_eq!(Version::parse("1.2.3.4"), None);
    }

    #[test]
    fn the_version_at_a_tag_is_the_workspace_s() {
        let manifest =
            "[package]\nversion = \"9.9.9\"\n\n[workspace.package]\nversion = \"0.1.0\"\n";
        assert_eq!(released(manifest), Version::parse("0.1.0"));
        assert_eq!(released("[workspace]\n"), None);
    }
}
