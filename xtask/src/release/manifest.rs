//! What a manifest must say before a registry may show it.

use serde_json::Value;

use crate::workspace::Package;

const LICENSE: &str = "MIT OR Apache-2.0";
/// Texts without which a package's page has gaps. `repository` is the owner's to set.
const TEXTS: &[&str] = &["description", "readme", "rust_version"];
/// The registry takes up to five of each.
const LISTS: &[&str] = &["categories", "keywords"];

/// What is wrong with a manifest, given the packages that are released with it.
pub(super) fn problems(package: &Package, released: &[&Package]) -> Vec<String> {
    let manifest = &package.manifest;
    let mut problems = Vec::new();
    if manifest.get("license").and_then(Value::as_str) != Some(LICENSE) {
        problems.push(format!("`license` is not `{LICENSE}`"));
    }
    for field in TEXTS {
        if manifest.get(field).and_then(Value::as_str).is_none_or(str::is_empty) {
            problems.push(format!("`{field}` is missing"));
        }
    }
    for field in LISTS {
        let count = manifest.get(field).and_then(Value::as_array).map_or(0, Vec::len);
        if !(1..=5).contains(&count) {
            problems.push(format!("`{field}` has {count} entries instead of 1 to 5"));
        }
    }
    if manifest.pointer("/metadata/docs/rs/all-features") != Some(&Value::Bool(true)) {
        problems.push("docs.rs is not told to build with all features".to_owned());
    }
    problems.extend(released.iter().filter_map(|other| stale_requirement(manifest, other)));
    problems.iter().map(|problem| format!("{}: {problem}", package.name)).collect()
}

/// A package released now is wanted in its new version, or users get the old one.
fn stale_requirement(manifest: &Value, other: &Package) -> Option<String> {
    let dependencies = manifest.get("dependencies")?.as_array()?;
    let wanted = format!("^{}", other.version);
    let found = dependencies.iter().find(|dependency| {
        dependency.get("name").and_then(Value::as_str) == Some(&other.name)
            && dependency.get("kind").is_none_or(Value::is_null)
    })?;
    let asked = found.get("req").and_then(Value::as_str).unwrap_or("*");
    (asked != wanted).then(|| format!("asks for {} {asked} instead of {wanted}", other.name))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fixtures::package;

    #[track_caller]
    fn assert_problem(field: &str, value: Value, problem: &str) {
        let mut package = package("x");
        package.manifest[field] = value;
        assert_eq!(problems(&package, &[]), [format!("x: {problem}")]);
    }

    #[test]
    fn a_complete_manifest_has_no_problems() {
        assert_eq!(problems(&package("x"), &[]), Vec::<String>::new());
    }

    #[test]
    fn each_gap_is_named() {
        assert_problem("license", json!("MIT"), "`license` is not `MIT OR Apache-2.0`");
        assert_problem("description", Value::Null, "`description` is missing");
        assert_problem("readme", json!(""), "`readme` is missing");
        assert_problem("keywords", json!([]), "`keywords` has 0 entries instead of 1 to 5");
        assert_problem("metadata", Value::Null, "docs.rs is not told to build with all features");
    }

    #[test]
    fn a_requirement_of_an_old_version_is_named() {
        let newer = Package { version: "0.2.0".to_owned(), ..package("retry-core") };
        let old = json!([{"name": "retry-core", "kind": null, "req": "^0.1.0"}]);
        let mut pool = package("api-pool");
        pool.manifest["dependencies"] = old;
        let expected = "api-pool: asks for retry-core ^0.1.0 instead of ^0.2.0";
        assert_eq!(problems(&pool, &[&newer]), [expected]);
    }
}
