//! `features`: every feature is additive, so every set of features builds.

use std::collections::BTreeSet;

use crate::{
    cargo::cargo,
    error::{self, Result},
    workspace::{self, Package},
};

pub(crate) const HELP: &str = "check each published crate with no feature, each alone, and all (--deep: each pair), and https without TLS";

/// What a client without TLS makes of https, which no build with all features can say.
const WITHOUT_TLS: &str = "test --quiet --locked --package api-pool --no-default-features --features http2 --test wire_local";

/// How many sets of features are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Depth {
    Alone,
    Pairs,
}

pub(crate) fn run(args: &[String]) -> Result {
    let depth = if error::one_option(args, "--deep")? { Depth::Pairs } else { Depth::Alone };
    for package in workspace::packages()?.iter().filter(|package| package.published) {
        for set in sets(package, depth) {
            // Clippy, since it can deny the warnings of one package without building the others
            // again: code that only one feature uses must be gone without it.
            cargo("clippy --quiet --lib --locked --no-deps --no-default-features --package")
                .args([&package.name, "--features", &set.join(","), "--", "-D", "warnings"])
                .run()?;
        }
    }
    cargo(WITHOUT_TLS).run()
}

/// The sets to try, each once, the empty one first and the full one last.
fn sets(package: &Package, depth: Depth) -> Vec<Vec<&str>> {
    let features: Vec<&str> = package.features.iter().map(String::as_str).collect();
    let mut sets = vec![Vec::new()];
    sets.extend(features.iter().map(|feature| vec![*feature]));
    if depth == Depth::Pairs {
        for (index, first) in features.iter().enumerate() {
            sets.extend(features.iter().skip(index + 1).map(|second| vec![*first, *second]));
        }
    }
    sets.push(features);
    let mut seen = BTreeSet::new();
    sets.retain(|set| seen.insert(set.clone()));
    sets
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    fn package(features: &[&str]) -> Package {
        let features = features.iter().map(|&feature| feature.to_owned()).collect();
        Package { features, ..fixtures::package("x") }
    }

    #[test]
    fn tries_none_each_alone_and_all() {
        let expected: [&[&str]; 5] = [&[], &["a"], &["b"], &["c"], &["a", "b", "c"]];
        assert_eq!(sets(&package(&["a", "b", "c"]), Depth::Alone), expected);
    }

    #[test]
    fn deep_adds_each_pair_once() {
        let package = package(&["a", "b", "c"]);
        let sets = sets(&package, Depth::Pairs);
        assert_eq!(sets.len(), 8);
        assert!(sets.contains(&vec!["a", "c"]));
    }

    #[test]
    fn does_not_check_one_set_twice() {
        assert_eq!(sets(&package(&["a"]), Depth::Pairs), [vec![], vec!["a"]]);
        assert_eq!(sets(&package(&[]), Depth::Pairs), [Vec::<&str>::new()]);
    }
}
