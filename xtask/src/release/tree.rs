//! What a user's build takes in along with a package.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{cargo::cargo, error::Result, workspace::Package};

/// Prints the crates that come in more than one version.
pub(super) fn duplicates(order: &[&Package]) -> Result {
    let names = order.iter().flat_map(|package| ["--package", package.name.as_str()]);
    let tree = cargo("tree --duplicates --all-features --edges normal --depth 0 --prefix none");
    let found = repeated(&tree.args(names).output()?);
    if found.is_empty() {
        println!("duplicates: none");
    } else {
        println!("duplicates, with all features on: {}", found.join(", "));
    }
    Ok(())
}

/// One entry for each name and version of the listing.
fn repeated(tree: &str) -> Vec<String> {
    let crates = tree.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        Some(format!("{} {}", words.next()?, words.next()?))
    });
    crates.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Prints the dependencies whose default features are on: each is a choice to be looked at.
pub(super) fn default_features(order: &[&Package]) {
    for package in order {
        println!("{}: default features on: {}", package.name, with_defaults(&package.manifest));
    }
}

fn with_defaults(manifest: &Value) -> String {
    let dependencies = manifest.get("dependencies").and_then(Value::as_array);
    let normal = dependencies.into_iter().flatten().filter(|dependency| {
        dependency.get("kind").is_none_or(Value::is_null)
            && dependency.get("uses_default_features") == Some(&Value::Bool(true))
    });
    let names: Vec<&str> =
        normal.filter_map(|dependency| dependency.get("name")?.as_str()).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_crate_is_listed_once_per_version() {
        let tree = "rand v0.8.8\n\nrand v0.9.5\nrand v0.9.5 (*)\n";
        assert_eq!(repeated(tree), ["rand v0.8.8", "rand v0.9.5"]);
    }

    #[test]
    fn only_normal_dependencies_with_defaults_are_listed() {
        let manifest = json!({"dependencies": [
            {"name": "a", "kind": null, "uses_default_features": true},
            {"name": "b", "kind": null, "uses_default_features": false},
            {"name": "c", "kind": "dev", "uses_default_features": true},
        ]});
        assert_eq!(with_defaults(&manifest), "a");
    }
}
