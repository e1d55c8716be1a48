//! Words that no finished code contains.

use crate::tidy::{
    finding::Finding,
    masks::lines_with,
    tree::{File, Role, Tree},
};

/// Nothing switches the check of certificates off, not even a test.
pub(crate) fn certificates(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, _) in tree.rust() {
        for (index, line) in file.masks().code.lines().enumerate() {
            if line.contains("danger_") {
                let message = "`danger_…` switches the check of certificates off";
                findings.push(Finding::at(&file.path, index + 1, message));
            }
        }
    }
    findings
}

/// Code that puts something off, or silences the compiler where `expect` would give a reason.
const STUBS: &[&str] = &["todo!", "unimplemented!", "dbg!", "#[ignore", "#[allow(", "#![allow("];

/// Each test binary compiles its own copy of the shared helpers and uses a part of them, so an
/// expectation of dead code would hold in some and not in others.
fn is_shared(file: &File) -> bool {
    file.path.contains("/tests/support/")
}

/// Nothing is left for later.
pub(crate) fn stubs(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, role) in tree.rust() {
        let masks = file.masks();
        let in_code = STUBS.iter().filter(|word| !(**word == "#![allow(" && is_shared(file)));
        let in_comments = [["TO", "DO"], ["FIX", "ME"], ["XX", "X"]].map(|parts| parts.concat());
        let code = in_code.flat_map(|word| {
            lines_with(&masks.code, word).map(move |line| (line, (*word).to_owned()))
        });
        let comments = in_comments.iter().flat_map(|word| {
            lines_with(&masks.comments, word).map(move |line| (line, word.clone()))
        });
        findings.extend(code.chain(comments).map(|(line, word)| {
            Finding::at(&file.path, line, format!("`{word}` is left in {}", noun(role)))
        }));
    }
    findings
}

fn noun(role: Role) -> &'static str {
    match role {
        Role::Example => "an example",
        Role::Source => "the source",
        Role::Test => "a test",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tests::tree;

    #[test]
    fn accepting_any_certificate_is_found() {
        let text = "builder.danger_accept_invalid_certs(true)";
        assert_eq!(certificates(&tree("crates/api-pool/tests/tls.rs", text)).len(), 1);
    }

    #[test]
    fn helpers_shared_by_test_binaries_may_have_dead_code() {
        let text = "#![allow(dead_code, reason = \"x\")]";
        assert_eq!(stubs(&tree("crates/api-pool/tests/support/mod.rs", text)), []);
        assert_eq!(stubs(&tree("crates/api-pool/tests/retry.rs", text)).len(), 1);
    }

    #[test]
    fn each_kind_of_stub_is_found() {
        let path = "crates/api-pool/src/x.rs";
        let later = ["TO", "DO"].concat();
        for text in ["todo!()", "#[ignore]", "#[allow(dead_code)]", &format!("// {later}: x")] {
            assert_eq!(stubs(&tree(path, text)).len(), 1, "{text}");
        }
        assert_eq!(stubs(&tree(path, "#[expect(dead_code, reason = \"x\")]")), []);
    }
}
