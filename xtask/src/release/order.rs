//! In which order packages can be published: each after those it depends on.

use crate::{
    error::{Error, Result},
    workspace::{Kind, Package},
};

/// The published packages, dependencies first.
///
/// # Errors
///
/// [`Error::Broken`] if a published package needs one that is not, or if there is a cycle.
pub(super) fn of(packages: &[Package]) -> Result<Vec<&Package>> {
    let mut left: Vec<&Package> = packages.iter().filter(|package| package.published).collect();
    left.sort_by(|a, b| a.name.cmp(&b.name));
    let mut order: Vec<&Package> = Vec::new();
    while !left.is_empty() {
        let ready = left.iter().position(|package| {
            needs(package).all(|name| order.iter().any(|done| done.name == name))
        });
        let Some(ready) = ready else {
            let names: Vec<&str> = left.iter().map(|package| package.name.as_str()).collect();
            return Err(Error::Broken(format!(
                "no order to publish {}: each needs another, or one that is not published",
                names.join(", ")
            )));
        };
        order.push(left.remove(ready));
    }
    Ok(order)
}

/// What the registry must have first. Dev-dependencies by path are left out of a package.
pub(super) fn needs(package: &Package) -> impl Iterator<Item = &str> {
    package.edges.iter().filter(|edge| edge.kind != Kind::Dev).map(|edge| edge.to.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{depends, package};

    fn names(packages: &[Package]) -> Vec<&str> {
        of(packages).unwrap().iter().map(|package| package.name.as_str()).collect()
    }

    #[test]
    fn dependencies_come_first() {
        let packages = [
            depends(package("a"), "b", Kind::Normal),
            depends(depends(package("b"), "c", Kind::Normal), "tests", Kind::Dev),
            package("c"),
        ];
        assert_eq!(names(&packages), ["c", "b", "a"]);
    }

    #[test]
    fn an_unpublished_dependency_is_an_error() {
        let hidden = Package { published: false, ..package("hidden") };
        let error = of(&[depends(package("a"), "hidden", Kind::Normal), hidden]).unwrap_err();
        assert!(error.to_string().starts_with("no order to publish a:"), "{error}");
    }

    #[test]
    fn a_cycle_is_an_error() {
        let a = depends(package("a"), "b", Kind::Normal);
        let b = depends(package("b"), "a", Kind::Build);
        assert!(of(&[a, b]).is_err());
    }
}
