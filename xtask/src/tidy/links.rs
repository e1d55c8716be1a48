//! Links between the files of the workspace lead somewhere.

use std::path::Path;

use crate::{
    cargo,
    tidy::{finding::Finding, tree::Tree},
};

pub(crate) fn find(tree: &Tree) -> Vec<Finding> {
    let root = cargo::root();
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| file.path.ends_with(".md")) {
        let folder = root.join(&file.path).parent().map(Path::to_owned).unwrap_or_default();
        for (index, line) in file.text.lines().enumerate() {
            for target in targets(line).filter(|target| !folder.join(target).exists()) {
                let message = format!("the link to `{target}` leads nowhere");
                findings.push(Finding::at(&file.path, index + 1, message));
            }
        }
    }
    findings
}

/// The files that a line of Markdown links to, without their fragments.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| {
        let target = rest.split([')', '#', ' ']).next()?;
        // A colon is a scheme's or a Rust path's; rustdoc checks the latter.
        let is_file = target.contains(['/', '.']) && !target.contains(':');
        is_file.then_some(target)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tests::tree;

    #[test]
    fn a_link_to_a_missing_file_is_found() {
        assert_eq!(find(&tree("docs/x.md", "See [this](missing.md#part).")).len(), 1);
    }

    #[test]
    fn links_are_relative_to_their_file() {
        assert_eq!(find(&tree("docs/x.md", "[a](../Cargo.toml), [b](../xtask/src/main.rs)")), []);
    }

    #[test]
    fn addresses_fragments_and_rust_paths_are_not_files() {
        let line =
            "[a](https://example.com/x), [b](#part), [c](crate::X), [d](mailto:x@example.com)";
        assert_eq!(targets(line).collect::<Vec<_>>(), Vec::<&str>::new());
    }
}
