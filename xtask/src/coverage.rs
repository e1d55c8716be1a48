//! `coverage`: which lines the tests of a crate run.

use crate::{
    cargo::{cargo, installed},
    error::{Error, Result},
};

pub(crate) const HELP: &str = "lines that a crate's own tests run, at least so many: [PACKAGE]...";

/// A package, and the option that says how many of its lines must be run.
type Ask = (&'static str, [&'static str; 2]);

const ASKS: &[Ask] =
    &[("retry-core", ["--fail-uncovered-lines", "0"]), ("api-pool", ["--fail-under-lines", "95"])];

pub(crate) fn run(args: &[String]) -> Result {
    let asked = asked(args)?;
    installed("llvm-cov")?;
    for (package, least) in asked {
        cargo("llvm-cov test --locked --all-features --lib --tests --show-missing-lines")
            .args(["--package", package])
            .args(least)
            // The tools of LLVM are asked for, not installed.
            .env("CARGO_LLVM_COV_SETUP", "no")
            .run()?;
    }
    Ok(())
}

fn asked(args: &[String]) -> Result<Vec<Ask>> {
    if args.is_empty() {
        return Ok(ASKS.to_vec());
    }
    let find = |arg: &String| ASKS.iter().find(|(package, _)| package == arg).copied();
    args.iter()
        .map(|arg| find(arg).ok_or_else(|| Error::Usage(format!("nothing is asked of `{arg}`"))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cargo::root;

    #[test]
    fn every_package_has_a_folder() {
        for (package, _) in ASKS {
            assert!(root().join("crates").join(package).is_dir(), "{package}");
        }
    }

    #[test]
    fn all_packages_are_asked_for_unless_some_are_named() {
        assert_eq!(asked(&[]).unwrap(), ASKS);
        assert_eq!(asked(&["api-pool".to_owned()]).unwrap(), ASKS[1..]);
        assert!(asked(&["soak".to_owned()]).is_err());
    }
}
