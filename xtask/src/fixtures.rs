//! Packages for the tests of the tasks.

use std::path::Path;

use serde_json::json;

use crate::{
    cargo,
    workspace::{Edge, Kind, Package},
};

/// A published package that nothing is wrong with.
pub(crate) fn package(name: &str) -> Package {
    Package {
        name: name.to_owned(),
        version: "0.1.0".to_owned(),
        published: true,
        dir: cargo::root().join(Path::new("crates").join(name)),
        features: Vec::new(),
        edges: Vec::new(),
        manifest: json!({
            "name": name,
            "version": "0.1.0",
            "description": "x",
            "license": "MIT OR Apache-2.0",
            "readme": "README.md",
            "rust_version": "1.88",
            "keywords": ["x"],
            "categories": ["algorithms"],
            "metadata": {"docs": {"rs": {"all-features": true, "rustdoc-args": ["--cfg", "docsrs"]}}},
            "dependencies": [],
        }),
    }
}

/// The same package, with one more edge.
pub(crate) fn depends(mut package: Package, to: &str, kind: Kind) -> Package {
    package.edges.push(Edge { to: to.to_owned(), kind });
    package
}
