//! What a reader meets first: module docs, READMEs, changelogs.

use crate::{
    cargo,
    tidy::{finding::Finding, tree::Tree},
};

/// Every source file says at its top what it holds.
pub(crate) fn modules(tree: &Tree) -> Vec<Finding> {
    let undocumented = tree.sources().filter(|file| !opens_with_docs(&file.text));
    undocumented
        .map(|file| Finding::of_file(&file.path, "no `//!` line at the top says what it holds"))
        .collect()
}

/// Only other attributes of the file may come first.
fn opens_with_docs(text: &str) -> bool {
    let is_doc = |line: &str| line.starts_with("//!") || line.starts_with("#![doc =");
    let mut lines = text.lines();
    lines
        .find(|line| is_doc(line) || !(line.is_empty() || line.starts_with("#![")))
        .is_some_and(is_doc)
}

/// Every published package has a README, a changelog and both licences' texts in reach.
pub(crate) fn front_pages(tree: &Tree) -> Vec<Finding> {
    let root = cargo::root();
    let mut findings = Vec::new();
    for package in tree.packages.iter().filter(|package| package.published) {
        let dir = package.dir.strip_prefix(&root).unwrap_or(&package.dir);
        let dir = dir.to_string_lossy().replace('\\', "/");
        let readme = format!("{dir}/README.md");
        if tree.file(&readme).is_none() {
            findings.push(Finding::of_file(&readme, "a published package needs a README"));
        }
        let changelog = format!("{dir}/CHANGELOG.md");
        let unreleased = |text: &str| text.lines().any(|line| line.trim_end() == "## Unreleased");
        match tree.file(&changelog) {
            None => findings.push(Finding::of_file(&changelog, "a published package needs one")),
            Some(file) if !unreleased(&file.text) => {
                let message = "no `## Unreleased`: where does the next change go?";
                findings.push(Finding::of_file(&changelog, message));
            }
            Some(_) => (),
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        fixtures::package,
        tidy::{tests::tree, tree::File},
    };

    #[test]
    fn an_ordinary_comment_is_no_module_doc() {
        assert_eq!(modules(&tree("crates/api-pool/src/x.rs", "// x\nfn f() {}")).len(), 1);
        assert_eq!(modules(&tree("crates/api-pool/src/x.rs", "//! x")), []);
        assert_eq!(modules(&tree("crates/api-pool/src/x.rs", "#![no_std]\n\n//! x")), []);
        assert_eq!(
            modules(&tree("crates/api-pool/src/lib.rs", "#![doc = include_str!(\"\")]")),
            []
        );
        assert_eq!(modules(&tree("crates/api-pool/src/x/tests.rs", "use super::*;")), []);
    }

    #[test]
    fn a_published_package_needs_a_readme_and_a_changelog_with_room() {
        let mut tree = Tree { packages: vec![package("api-pool")], ..Tree::default() };
        assert_eq!(front_pages(&tree).len(), 2);

        let file =
            |name: &str, text: &str| File::new(format!("crates/api-pool/{name}"), text.to_owned());
        tree.files = vec![file("README.md", "x"), file("CHANGELOG.md", "# Changelog\n")];
        assert_eq!(front_pages(&tree).len(), 1);

        tree.files = vec![file("README.md", "x"), file("CHANGELOG.md", "# C\n\n## Unreleased\n")];
        assert_eq!(front_pages(&tree), []);
    }
}
