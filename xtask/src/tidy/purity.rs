//! Machines decide without a clock, a lock, randomness or I/O; adapters do not wait.

use crate::tidy::{
    finding::Finding,
    masks::lines_with,
    tree::{File, Tree},
};

/// Files and folders that hold decisions only. A trailing part may follow: `machine` stands for
/// `machine.rs` and for everything in `machine/`.
const PURE: &[&str] = &[
    "crates/retry-core/src/",
    "crates/api-pool/src/auth/party",
    "crates/api-pool/src/auth/slot",
    "crates/api-pool/src/breaker/countdown",
    "crates/api-pool/src/breaker/gate",
    "crates/api-pool/src/breaker/grant",
    "crates/api-pool/src/breaker/line",
    "crates/api-pool/src/breaker/machine",
    "crates/api-pool/src/breaker/pacing",
    "crates/api-pool/src/config/",
    "crates/api-pool/src/fate",
    "crates/api-pool/src/health/histogram",
    "crates/api-pool/src/health/readiness",
    "crates/api-pool/src/health/snapshot",
    "crates/api-pool/src/health/track",
    "crates/api-pool/src/health/window",
    "crates/api-pool/src/policy",
    "crates/api-pool/src/queue/machine",
    "crates/api-pool/src/queue/slab",
    "crates/api-pool/src/rate/elapsed",
    "crates/api-pool/src/rate/meter",
    "crates/api-pool/src/rate/quota",
];

/// The crates that other people's programs link.
const LIBRARIES: &[&str] = &["crates/api-pool/", "crates/retry-core/", "crates/vantage-"];

/// Modules of the adapters that turn values into values.
const PURE_IN_ADAPTERS: &[&str] = &["decode", "lower", "paging"];

/// Words by which a clock, a lock, a thread, a task or a random number gets in.
const IMPURE: &[&str] = &[
    "async",
    "await",
    "fastrand",
    "getrandom",
    "Instant::now",
    "Mutex",
    "rand",
    "RwLock",
    "SystemTime",
    "thread",
    "tokio",
];

pub(crate) fn clock_free(tree: &Tree) -> Vec<Finding> {
    let pure = tree.sources().filter(|file| is_pure(&file.path));
    words(pure, IMPURE, "has no place in a module that only decides: take it as an argument")
}

/// All waiting is the pool's: an adapter that sleeps is a second retry loop in the making.
pub(crate) fn no_waits_in_adapters(tree: &Tree) -> Vec<Finding> {
    let adapters = tree.sources().filter(|file| in_adapter(&file.path).is_some());
    words(
        adapters,
        &["sleep", "interval", "timeout_at"],
        "is the pool's business, not an adapter's",
    )
}

/// An adapter sends from its `api` module alone: nothing above or below repeats a call.
pub(crate) fn one_way_to_the_pool(tree: &Tree) -> Vec<Finding> {
    let others = tree.sources().filter(|file| {
        in_adapter(&file.path).is_some_and(|inner| inner != "api.rs" && !inner.starts_with("api/"))
    });
    // Plain `execute` is also a method of Vantage's own traits.
    words(others, &["execute_read", "execute_with"], "is for the `api` module to call")
}

/// Whoever waits does the work: a task of ours would outlive its caller and need a runtime.
pub(crate) fn nothing_spawned(tree: &Tree) -> Vec<Finding> {
    let library =
        tree.sources().filter(|file| LIBRARIES.iter().any(|dir| file.path.starts_with(dir)));
    words(library, &["spawn", "spawn_local"], "would outlive its caller: let whoever waits do it")
}

fn words<'a>(files: impl Iterator<Item = &'a File>, words: &[&str], why: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files {
        let code = file.masks().production();
        for word in words {
            let lines = lines_with(&code, word);
            findings
                .extend(lines.map(|line| Finding::at(&file.path, line, format!("`{word}` {why}"))));
        }
    }
    findings
}

fn is_pure(path: &str) -> bool {
    let pure_in_adapter = in_adapter(path).is_some_and(|inner| {
        inner.split('/').any(|part| PURE_IN_ADAPTERS.iter().any(|pure| part.starts_with(pure)))
    });
    pure_in_adapter || PURE.iter().any(|pure| path.starts_with(pure))
}

/// The path below the `src` of an adapter.
fn in_adapter(path: &str) -> Option<&str> {
    let (_, inner) = path.strip_prefix("crates/vantage-")?.split_once("/src/")?;
    Some(inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tests::tree;

    #[test]
    fn the_clock_is_found_in_a_machine_and_left_alone_in_a_shell() {
        let text = "fn f() { tokio::time::Instant::now() }";
        let machine = tree("crates/api-pool/src/breaker/machine.rs", text);
        assert_eq!(clock_free(&machine).len(), 2);
        assert_eq!(clock_free(&tree("crates/api-pool/src/breaker/circuit.rs", text)), []);
    }

    #[test]
    fn every_place_that_must_be_pure_is_there() {
        let tree = Tree::load().unwrap();
        for place in PURE {
            assert!(tree.sources().any(|file| file.path.starts_with(place)), "{place} is gone");
        }
    }

    #[test]
    fn a_comment_may_speak_of_what_the_code_must_not_use() {
        let text = "//! No `tokio`, no Mutex.\nfn f() {}";
        assert_eq!(clock_free(&tree("crates/retry-core/src/run.rs", text)), []);
    }

    #[test]
    fn pure_parts_of_adapters_are_known_by_name() {
        assert!(is_pure("crates/vantage-rest/src/lower.rs"));
        assert!(is_pure("crates/vantage-graphql/src/decode/rows.rs"));
        assert!(is_pure("crates/vantage-rest/src/paging_state.rs"));
        assert!(!is_pure("crates/vantage-rest/src/source.rs"));
    }

    #[test]
    fn a_task_is_found_in_a_library_and_left_alone_in_the_demo_server() {
        let text = "fn f() { tokio::spawn(g()); spawn_blocking(h); }";
        assert_eq!(nothing_spawned(&tree("crates/api-pool/src/queue/slot.rs", text)).len(), 1);
        assert_eq!(nothing_spawned(&tree("crates/demo-api/src/server.rs", text)), []);
        assert_eq!(nothing_spawned(&tree("crates/api-pool/src/queue/tests.rs", text)), []);
    }

    #[test]
    fn only_the_api_module_of_an_adapter_sends() {
        let text = "async fn f() { client.execute_read(policy, build).await }";
        let found = |path: &str| one_way_to_the_pool(&tree(path, text)).len();
        assert_eq!(found("crates/vantage-rest/src/source.rs"), 1);
        assert_eq!(found("crates/vantage-rest/src/api/fetch.rs"), 0);
        assert_eq!(found("crates/api-pool/src/client/mod.rs"), 0);
    }

    #[test]
    fn an_adapter_does_not_sleep() {
        let text = "async fn f() { clock::sleep(d).await; }";
        assert_eq!(no_waits_in_adapters(&tree("crates/vantage-rest/src/source.rs", text)).len(), 1);
        assert_eq!(no_waits_in_adapters(&tree("crates/api-pool/src/clock.rs", text)), []);
    }
}
