//! Which package of ours may depend on which.

use crate::{
    tidy::{finding::Finding, tree::Tree},
    workspace::{Kind, Package},
};

/// Every allowed edge. What is not here is not allowed, and a new package starts with none.
const ALLOWED: &[(&str, &[&str])] = &[
    ("retry-core", &[]),
    ("api-pool", &["retry-core"]),
    ("vantage-transport", &["api-pool", "retry-core"]),
    ("vantage-rest", &["api-pool", "retry-core", "vantage-transport"]),
    ("vantage-graphql", &["api-pool", "retry-core", "vantage-transport"]),
    ("dashboard", &["api-pool", "demo-api"]),
    ("demo-api", &[]),
    (
        "fuzz-targets",
        &["api-pool", "retry-core", "vantage-graphql", "vantage-rest", "vantage-transport"],
    ),
    ("soak", &["api-pool", "retry-core", "test-support"]),
    ("guides", &[]),
    ("machines", &["retry-core"]),
    ("test-support", &[]),
    ("xtask", &[]),
];

/// What the tests of any package may use besides.
const ALLOWED_IN_TESTS: &[&str] = &["demo-api", "test-support"];

pub(crate) fn find(tree: &Tree) -> Vec<Finding> {
    tree.packages.iter().flat_map(of_package).collect()
}

fn of_package(package: &Package) -> Vec<Finding> {
    let name = package.name.as_str();
    let manifest = format!("{}/Cargo.toml", package.dir.display());
    let Some((_, allowed)) = ALLOWED.iter().find(|(from, _)| *from == name) else {
        return vec![Finding::of_file(
            &manifest,
            format!("`{name}` is not in the list of packages: say there what it may depend on"),
        )];
    };
    let mut findings = Vec::new();
    for edge in &package.edges {
        let to = edge.to.as_str();
        let fine = allowed.contains(&to)
            || match edge.kind {
                // The guides show all that is published.
                Kind::Dev if name == "guides" => true,
                // A package may depend on itself to switch features on in its own tests.
                Kind::Dev => to == name || ALLOWED_IN_TESTS.contains(&to),
                Kind::Build | Kind::Normal => false,
            };
        if !fine {
            findings.push(Finding::of_file(
                &manifest,
                format!("`{name}` must not depend on `{to}`: that edge is not in the list"),
            ));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{depends, package};

    #[test]
    fn an_edge_between_the_adapters_is_found() {
        let rest = depends(package("vantage-rest"), "vantage-graphql", Kind::Normal);
        assert_eq!(of_package(&rest).len(), 1);
        let rest = depends(package("vantage-rest"), "vantage-graphql", Kind::Dev);
        assert_eq!(of_package(&rest).len(), 1);
    }

    #[test]
    fn test_helpers_are_for_tests_only() {
        let pool = depends(package("api-pool"), "test-support", Kind::Dev);
        assert_eq!(of_package(&pool), []);
        let pool = depends(package("api-pool"), "test-support", Kind::Normal);
        assert_eq!(of_package(&pool).len(), 1);
    }

    #[test]
    fn the_core_depends_on_nothing_of_ours() {
        let core = depends(package("retry-core"), "api-pool", Kind::Build);
        assert_eq!(of_package(&core).len(), 1);
    }

    #[test]
    fn an_unknown_package_must_be_entered_first() {
        assert_eq!(of_package(&package("newcomer")).len(), 1);
    }
}
