use super::{CHECKS, tree::File, *};
use crate::{
    fixtures::{depends, package},
    workspace::Kind,
};

pub(super) fn tree(path: &str, text: &str) -> Tree {
    Tree::new(vec![File::new(path.to_owned(), text.to_owned())], Vec::new())
}

fn planted(check: &str) -> Tree {
    let machine = "crates/api-pool/src/breaker/machine.rs";
    let source = "crates/vantage-rest/src/source.rs";
    let test = "crates/api-pool/tests/retry.rs";
    match check {
        "edges" => {
            let mut pool = depends(package("api-pool"), "vantage-rest", Kind::Normal);
            pool.published = false;
            Tree { packages: vec![pool], ..Tree::default() }
        }
        "purity" => tree(machine, "//! x\nuse std::sync::Mutex;"),
        "adapters-do-not-wait" => tree(source, "//! x\nuse tokio::time::sleep;"),
        "one-way-to-the-pool" => tree(source, "//! x\nfn f() { client.execute_with(g) }"),
        "nothing-spawned" => tree(source, "//! x\nfn f() { tokio::spawn(g()); }"),
        "sizes" => tree(source, &format!("//! x\n{}", "\n".repeat(400))),
        "module-docs" => tree(source, "fn f() {}"),
        "front-pages" => Tree { packages: vec![package("api-pool")], ..Tree::default() },
        "links" => tree("docs/x.md", "[x](missing.md)"),
        "history" => tree(source, "//! Rewritten 2026-11-30."),
        "machine-paths" => tree("docs/x.md", &["/ho", "me/me/x"].concat()),
        "real-time" => tree(test, "std::thread::sleep(d);"),
        "certificates" => tree(test, "danger_accept_invalid_hostnames(true)"),
        "stubs" => tree(test, "#[ignore]"),
        other => panic!("plant an offender for the check `{other}`"),
    }
}

#[test]
fn every_check_finds_its_planted_offender_and_nothing_else_does() {
    for check in CHECKS {
        let tree = planted(check.name);
        for other in CHECKS {
            let found = (other.find)(&tree);
            assert_eq!(!found.is_empty(), other.name == check.name, "{}: {found:?}", other.name);
        }
    }
}

#[test]
fn a_finding_says_where() {
    let found = Finding::at("a.rs", 7, "x").to_string();
    assert_eq!(found, "a.rs:7: x");
    assert_eq!(Finding::of_file("a.rs", "x").to_string(), "a.rs: x");
}
