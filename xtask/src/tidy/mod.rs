//! `tidy`: the rules of the workspace that no compiler checks.

mod docs;
mod edges;
mod finding;
mod forbidden;
mod links;
mod masks;
mod purity;
mod real_time;
mod sizes;
#[cfg(test)]
mod tests;
mod tree;
mod wording;

use crate::{
    error::{self, Error, Result},
    tidy::{
        finding::{Finding, Level},
        tree::Tree,
    },
};

pub(crate) const HELP: &str =
    "crate edges, purity, file sizes, docs and changelogs, wording, real time in tests";

/// A rule and the code that looks for what breaks it.
struct Check {
    name: &'static str,
    find: fn(&Tree) -> Vec<Finding>,
}

/// All rules. `tests.rs` plants an offender for each, so none can be without effect.
const CHECKS: &[Check] = &[
    Check { name: "edges", find: edges::find },
    Check { name: "purity", find: purity::clock_free },
    Check { name: "adapters-do-not-wait", find: purity::no_waits_in_adapters },
    Check { name: "one-way-to-the-pool", find: purity::one_way_to_the_pool },
    Check { name: "nothing-spawned", find: purity::nothing_spawned },
    Check { name: "sizes", find: sizes::find },
    Check { name: "module-docs", find: docs::modules },
    Check { name: "front-pages", find: docs::front_pages },
    Check { name: "links", find: links::find },
    Check { name: "history", find: wording::history },
    Check { name: "machine-paths", find: wording::machine_paths },
    Check { name: "real-time", find: real_time::find },
    Check { name: "certificates", find: forbidden::certificates },
    Check { name: "stubs", find: forbidden::stubs },
];

pub(crate) fn run(args: &[String]) -> Result {
    error::no_options(args)?;
    let tree = Tree::load()?;
    let mut failures = 0_usize;
    for check in CHECKS {
        for finding in (check.find)(&tree) {
            let word = match finding.level {
                Level::Warn => "warning",
                Level::Fail => "error",
            };
            failures += usize::from(finding.level == Level::Fail);
            println!("{word}[{}] {finding}", check.name);
        }
    }
    if failures > 0 {
        return Err(Error::Broken(format!("tidy found {failures} error(s)")));
    }
    println!("tidy: {} rules hold in {} files", CHECKS.len(), tree.files.len());
    Ok(())
}
