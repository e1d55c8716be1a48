//! `histories`: the machines beside naive references, with very many random operations.

use crate::{
    cargo::cargo,
    error::{Error, Result},
};

pub(crate) const HELP: &str = "random histories of the machines beside references: [--cases N]";

/// How many histories of each machine, unless asked for others.
const CASES: &str = "1000000";

pub(crate) fn run(args: &[String]) -> Result {
    let cases = cases(args)?;
    for command in [
        "test --release --locked --package api-pool --all-features --lib -- history hostile_clock",
        "test --release --locked --package retry-core --all-features --test budget_history",
    ] {
        cargo(command).env("PROPTEST_CASES", cases).run()?;
    }
    Ok(())
}

fn cases(args: &[String]) -> Result<&str> {
    match args {
        [] => Ok(CASES),
        [option, cases] if option == "--cases" && cases.parse::<u32>().is_ok() => Ok(cases),
        _ => Err(Error::Usage("the only option is `--cases N`".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_histories_unless_another_number_is_asked_for() {
        let args = |args: &[&str]| args.iter().map(|&arg| arg.to_owned()).collect::<Vec<_>>();
        assert_eq!(cases(&[]).unwrap(), "1000000");
        assert_eq!(cases(&args(&["--cases", "7"])).unwrap(), "7");
        assert!(cases(&args(&["--cases", "many"])).is_err());
        assert!(cases(&args(&["--seed", "7"])).is_err());
    }
}
