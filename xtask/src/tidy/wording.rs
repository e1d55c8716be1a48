//! Text that is true of one day or one machine only.

use crate::tidy::{finding::Finding, tree::Tree};

/// Comments say what must hold and why. What was once otherwise is Git's to tell.
const HISTORY: &[&str] =
    &["previously,", "was previously", "used to be", "fixed in", "was added", "for now"];

/// Roots of folders that only one person's machine has, in two parts so that this file has none.
const MACHINE: &[[&str; 2]] =
    &[["/ho", "me/"], ["/ro", "ot/"], ["/Us", "ers/"], ["/wo", "rk/"], ["C:\\Us", "ers\\"]];

/// No comment tells a date or a past state.
pub(crate) fn history(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, _) in tree.rust() {
        for (line, comment) in numbered(&file.masks().comments) {
            let lower = comment.to_lowercase();
            if let Some(word) = HISTORY.iter().find(|word| lower.contains(**word)) {
                let message = format!("`{word}`: say what holds, the past is in Git");
                findings.push(Finding::at(&file.path, line, message));
            }
            if has_recent_date(comment) {
                findings.push(Finding::at(&file.path, line, "a dated comment: the past is in Git"));
            }
        }
    }
    findings
}

/// No file names a place of the machine it was written on.
pub(crate) fn machine_paths(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &tree.files {
        for (line, text) in numbered(&file.text) {
            if MACHINE.iter().any(|parts| names_root(text, &parts.concat())) {
                findings.push(Finding::at(&file.path, line, "a path of one machine"));
            }
        }
    }
    findings
}

fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(index, line)| (index + 1, line))
}

/// Whether `root` stands there as the start of a path, not as the middle of a URL.
fn names_root(line: &str, root: &str) -> bool {
    line.match_indices(root).any(|(at, _)| {
        let before = line.get(..at).and_then(|text| text.chars().next_back());
        !before.is_some_and(|char| char.is_alphanumeric() || "-_.}".contains(char))
    })
}

/// Whether the comment holds a day, written year-month-day, of the twenties or later. Between
/// backticks it is a value.
fn has_recent_date(comment: &str) -> bool {
    comment.split('`').step_by(2).any(has_date)
}

fn has_date(prose: &str) -> bool {
    prose.as_bytes().windows(10).any(|window| match window {
        [b'2', b'0', decade, rest @ ..] if (b'2'..=b'9').contains(decade) => {
            rest.iter().enumerate().all(|(index, byte)| match index {
                1 | 4 => *byte == b'-',
                _ => byte.is_ascii_digit(),
            })
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tests::tree;

    const FILE: &str = "crates/api-pool/src/x.rs";

    #[test]
    fn a_dated_or_narrating_comment_is_found() {
        assert_eq!(history(&tree(FILE, "// 2026-11-30: faster\n")).len(), 1);
        assert_eq!(history(&tree(FILE, "// Previously, this waited.\n")).len(), 1);
    }

    #[test]
    fn dates_in_code_and_in_the_data_are_fine() {
        assert_eq!(history(&tree(FILE, "let day = \"2026-11-30\";\n")), []);
        assert_eq!(history(&tree(FILE, "// Read as `2026-11-30`.\n")), []);
        assert_eq!(history(&tree(FILE, "// Flights of 2001-01-01.\n")), []);
        assert_eq!(history(&tree(FILE, "// The year 2026 and 2026-1.\n")), []);
    }

    #[test]
    fn a_path_of_one_machine_is_found_but_not_the_same_words_in_a_url() {
        let path = |before: &str| format!("see {before}{}me/someone/notes", "/ho");
        assert_eq!(machine_paths(&tree("docs/a.md", &path(""))).len(), 1);
        assert_eq!(machine_paths(&tree("docs/a.md", &path("https://example.com"))), []);
    }
}
