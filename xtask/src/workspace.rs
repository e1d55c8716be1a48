//! The packages of the workspace, as `cargo metadata` tells them.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::{
    cargo::cargo,
    error::{Error, Result},
};

/// A member of the workspace.
#[derive(Debug)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    /// Whether the package may go to the registry.
    pub(crate) published: bool,
    /// The package's folder.
    pub(crate) dir: PathBuf,
    /// The features, `default` among them, in alphabetical order.
    pub(crate) features: Vec<String>,
    /// The dependencies that are members of the workspace too.
    pub(crate) edges: Vec<Edge>,
    /// All fields of the manifest, for checks of what a registry shows.
    pub(crate) manifest: Value,
}

/// One package of ours depends on another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) to: String,
    pub(crate) kind: Kind,
}

/// When a dependency is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Build,
    Dev,
    Normal,
}

/// Asks Cargo for the members, without touching the network.
pub(crate) fn packages() -> Result<Vec<Package>> {
    parse(&cargo("metadata --no-deps --format-version 1 --offline").output()?)
}

fn parse(json: &str) -> Result<Vec<Package>> {
    let metadata: Value = serde_json::from_str(json).map_err(|error| malformed(&error))?;
    let packages = array(&metadata, "packages")?;
    packages.iter().map(package).collect()
}

fn package(manifest: &Value) -> Result<Package> {
    let mut features: Vec<String> = match manifest.get("features") {
        Some(Value::Object(features)) => features.keys().cloned().collect(),
        _ => Vec::new(),
    };
    features.sort();
    let path = PathBuf::from(text(manifest, "manifest_path")?);
    Ok(Package {
        name: text(manifest, "name")?.to_owned(),
        version: text(manifest, "version")?.to_owned(),
        // An empty list of registries is how `publish = false` is told.
        published: manifest.get("publish").is_none_or(Value::is_null),
        dir: path.parent().map(Path::to_owned).unwrap_or_default(),
        features,
        edges: array(manifest, "dependencies")?.iter().filter_map(edge).collect(),
        manifest: manifest.clone(),
    })
}

fn edge(dependency: &Value) -> Option<Edge> {
    dependency.get("path")?.as_str()?;
    let kind = match dependency.get("kind").and_then(Value::as_str) {
        Some("dev") => Kind::Dev,
        Some("build") => Kind::Build,
        Some(_) | None => Kind::Normal,
    };
    Some(Edge { to: dependency.get("name")?.as_str()?.to_owned(), kind })
}

fn array<'a>(value: &'a Value, key: &str) -> Result<&'a Vec<Value>> {
    value.get(key).and_then(Value::as_array).ok_or_else(|| malformed(&format!("no list `{key}`")))
}

fn text<'a>(value: &'a Value, key: &str) -> Result<&'a str> {
    value.get(key).and_then(Value::as_str).ok_or_else(|| malformed(&format!("no text `{key}`")))
}

fn malformed(why: &dyn std::fmt::Display) -> Error {
    Error::Malformed { what: "cargo metadata".to_owned(), why: why.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const JSON: &str = r#"{"packages": [{
        "name": "api-pool", "version": "0.1.0", "publish": null,
        "manifest_path": "crates/api-pool/Cargo.toml",
        "features": {"rustls": [], "default": ["rustls"]},
        "dependencies": [
            {"name": "tokio", "kind": null},
            {"name": "retry-core", "kind": null, "path": "crates/retry-core"},
            {"name": "test-support", "kind": "dev", "path": "crates/test-support"}
        ]
    }, {
        "name": "xtask", "version": "0.1.0", "publish": [],
        "manifest_path": "xtask/Cargo.toml", "features": {}, "dependencies": []
    }]}"#;

    #[test]
    fn reads_members_their_features_and_their_edges() {
        let [pool, xtask] = <[Package; 2]>::try_from(parse(JSON).unwrap()).unwrap();

        assert!(pool.published);
        assert_eq!(pool.dir, Path::new("crates/api-pool"));
        assert_eq!(pool.features, ["default", "rustls"]);
        let core = Edge { to: "retry-core".to_owned(), kind: Kind::Normal };
        let support = Edge { to: "test-support".to_owned(), kind: Kind::Dev };
        assert_eq!(pool.edges, [core, support]);
        assert!(!xtask.published);
    }

    #[test]
    fn says_what_is_missing() {
        let error = parse(r#"{"packages": [{"name": "x"}]}"#).unwrap_err();
        assert_eq!(error.to_string(), "cargo metadata: no text `manifest_path`");
    }
}
