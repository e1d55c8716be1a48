//! Tests pause the clock and compare exact durations; none waits for real.

use crate::tidy::{
    finding::Finding,
    masks::lines_with,
    tree::{File, Role, Tree},
};

pub(crate) fn find(tree: &Tree) -> Vec<Finding> {
    tree.rust().flat_map(|(file, role)| of(file, role)).collect()
}

fn of(file: &File, role: Role) -> Vec<Finding> {
    let masks = file.masks();
    let code = match role {
        Role::Test => masks.code,
        Role::Example => return Vec::new(),
        Role::Source => only_tests(&masks.code, &masks.production()),
    };
    let sleeps = lines_with(&code, "thread::sleep")
        .map(|line| Finding::at(&file.path, line, "a test that sleeps in real time"));
    let tolerances = code.lines().enumerate().filter(|(_, line)| compares_elapsed(line));
    let tolerances = tolerances.map(|(index, _)| {
        Finding::at(&file.path, index + 1, "a tolerance: pause the clock, assert the duration")
    });
    sleeps.chain(tolerances).collect()
}

/// The lines of `code` that are not part of `production`.
fn only_tests(code: &str, production: &str) -> String {
    let pairs = code.lines().zip(production.lines());
    let lines: Vec<&str> = pairs.map(|(all, kept)| if all == kept { "" } else { all }).collect();
    lines.join("\n")
}

/// Formatted code has spaces round a comparison and none in a list of type parameters. A loop
/// that runs until a time of the paused clock asserts nothing.
fn compares_elapsed(line: &str) -> bool {
    line.contains(".elapsed()")
        && !line.trim_start().starts_with("while ")
        && [" < ", " <= ", " > ", " >= "].iter().any(|sign| line.contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tests::tree;

    #[test]
    fn a_sleeping_test_is_found() {
        let text = "fn t() { std::thread::sleep(d); }";
        assert_eq!(find(&tree("crates/api-pool/tests/retry.rs", text)).len(), 1);
        let text = format!("fn f() {{}}\n#[cfg(test)]\nmod tests {{\n{text}\n}}\n");
        assert_eq!(find(&tree("crates/api-pool/src/retry.rs", &text)).len(), 1);
    }

    #[test]
    fn a_tolerance_is_found_and_equality_is_not() {
        let path = "crates/api-pool/tests/retry.rs";
        assert_eq!(find(&tree(path, "assert!(start.elapsed() < secs(1));")).len(), 1);
        assert_eq!(find(&tree(path, "assert!(secs(1) <= start.elapsed());")).len(), 1);
        assert_eq!(find(&tree(path, "while start.elapsed() < secs(1) {}")), []);
        assert_eq!(find(&tree(path, "assert_eq!(start.elapsed(), secs(1));")), []);
    }

    #[test]
    fn production_code_may_compare() {
        let text = "fn f() -> bool { self.start.elapsed() >= self.limit }";
        assert_eq!(find(&tree("crates/api-pool/src/retry.rs", text)), []);
    }
}
