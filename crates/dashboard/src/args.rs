//! The command line.

use std::{str::FromStr, time::Duration};

use demo_api::FaultPlan;

/// What `--help` answers.
pub const USAGE: &str = "\
Shows four APIs of a demo server that misbehaves, live in the terminal.

Usage: dashboard [--OPTION [VALUE]]...

  --once           print one screen as text, and end
  --after SECONDS  when to print it (default 8)
  --size WxH       its size (default 100x34)
  --faults TEXT    faults in place of the story's, like '503@10%; reset@2%'
  --seed N         the seed of the faults (default 0)
  --help           this

q, Esc and Ctrl-C end it. NO_COLOR is respected.
";

/// What to do.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Args {
    /// Print [`USAGE`].
    Help,
    /// Run.
    Run(Options),
}

/// How to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Whether to print one screen after a while, instead of showing it live.
    pub once: Option<Once>,
    /// Faults in place of the story's.
    pub faults: Option<FaultPlan>,
    /// The seed of the faults.
    pub seed: u64,
}

/// One screen as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Once {
    /// When it is taken.
    pub after: Duration,
    /// Columns and rows.
    pub size: (u16, u16),
}

impl Default for Once {
    fn default() -> Self {
        Self { after: Duration::from_secs(8), size: (100, 34) }
    }
}

impl Args {
    /// Reads the options of [`USAGE`].
    ///
    /// # Errors
    ///
    /// A text that names the option which is unknown, or whose value is missing or not readable.
    pub fn parse(args: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let mut args = args.into_iter();
        let (mut once, mut wanted) = (Once::default(), false);
        let mut options = Options { once: None, faults: None, seed: 0 };
        while let Some(option) = args.next() {
            let mut value = || args.next().ok_or_else(|| format!("{option} needs a value"));
            match option.as_str() {
                "--help" | "-h" => return Ok(Self::Help),
                "--once" => wanted = true,
                "--after" => {
                    let seconds = read::<u64>(&option, &value()?)?;
                    once.after = Duration::from_secs(seconds);
                }
                "--size" => once.size = size(&option, &value()?)?,
                "--faults" => {
                    let faults = value()?.parse::<FaultPlan>();
                    options.faults = Some(faults.map_err(|error| format!("{option}: {error}"))?);
                }
                "--seed" => options.seed = read(&option, &value()?)?,
                _ => return Err(format!("no such option: {option}")),
            }
        }
        options.once = wanted.then_some(once);
        options.faults = options.faults.map(|faults| faults.with_seed(options.seed));
        Ok(Self::Run(options))
    }
}

fn read<T: FromStr>(option: &str, value: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("{option}: not a number in range: {value}"))
}

fn size(option: &str, value: &str) -> Result<(u16, u16), String> {
    let (width, height) =
        value.split_once('x').ok_or_else(|| format!("{option}: not like 100x34: {value}"))?;
    Ok((read(option, width)?, read(option, height)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Args, String> {
        Args::parse(line.split_whitespace().map(str::to_owned))
    }

    fn run(line: &str) -> Options {
        match parse(line) {
            Ok(Args::Run(options)) => options,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn without_options_it_runs_live() {
        assert_eq!(run(""), Options { once: None, faults: None, seed: 0 });
    }

    #[test]
    fn one_screen_has_a_time_and_a_size() {
        let once = run("--size 80x24 --once --after 2").once;
        assert_eq!(once, Some(Once { after: Duration::from_secs(2), size: (80, 24) }));
    }

    #[test]
    fn the_seed_is_the_faults_own_whatever_the_order() {
        let faults = "503@10%".parse::<FaultPlan>().unwrap().with_seed(7);
        assert_eq!(run("--faults 503@10% --seed 7").faults, Some(faults.clone()));
        assert_eq!(run("--seed 7 --faults 503@10%").faults, Some(faults));
    }

    #[test]
    fn a_mistake_names_its_option() {
        assert_eq!(parse("--seed"), Err("--seed needs a value".to_owned()));
        assert_eq!(parse("--seed x"), Err("--seed: not a number in range: x".to_owned()));
        assert_eq!(parse("--size 80"), Err("--size: not like 100x34: 80".to_owned()));
        assert_eq!(parse("--all"), Err("no such option: --all".to_owned()));
        assert!(parse("--faults 999@x").is_err_and(|error| error.starts_with("--faults: ")));
    }
}
