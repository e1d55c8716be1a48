//! A file holds one noun, and one noun is short.

use crate::tidy::{
    finding::Finding,
    tree::{Role, Tree},
};

/// The length at which a source file is worth a look.
const ASK: usize = 300;
/// The length no source file or example may have.
const SOURCE: usize = 400;
/// The length no test file may have: tables of cases are long without being hard.
const TEST: usize = 500;

pub(crate) fn find(tree: &Tree) -> Vec<Finding> {
    tree.rust().filter_map(|(file, role)| of(&file.path, file.text.lines().count(), role)).collect()
}

fn of(path: &str, lines: usize, role: Role) -> Option<Finding> {
    let limit = match role {
        Role::Example | Role::Source => SOURCE,
        Role::Test => TEST,
    };
    if lines > limit {
        let message = format!("{lines} lines, and {limit} is the limit: split it by noun");
        Some(Finding::of_file(path, message))
    } else if lines > ASK && role != Role::Test {
        let message = format!("{lines} lines: does it still hold one noun?");
        Some(Finding::of_file(path, message).into_warning())
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::finding::Level;

    #[track_caller]
    fn assert_level(lines: usize, role: Role, level: Option<Level>) {
        assert_eq!(of("x.rs", lines, role).map(|finding| finding.level), level, "{lines}");
    }

    #[test]
    fn source_files_are_asked_about_and_then_refused() {
        assert_level(300, Role::Source, None);
        assert_level(301, Role::Source, Some(Level::Warn));
        assert_level(400, Role::Example, Some(Level::Warn));
        assert_level(401, Role::Source, Some(Level::Fail));
    }

    #[test]
    fn tests_may_be_longer() {
        assert_level(500, Role::Test, None);
        assert_level(501, Role::Test, Some(Level::Fail));
    }
}
