//! The command line: options to a configuration.

use core::{fmt, num::NonZeroUsize, str::FromStr};
use std::{error::Error, time::Duration};

use crate::{
    config::{Config, ExpiredCursor, Lifetime, Totals},
    faults::FaultPlan,
    tokens::{Rotation, TokenRules},
};

/// The help text of the stand-alone server.
pub const USAGE: &str = "\
Serves airports and flights on 127.0.0.1, and fails on demand.

Usage: demo-api [--OPTION VALUE]...

  --port N              port; 0 takes a free one (default 0)
  --seed N              seed of faults, tokens and cursors (default 0)
  --faults TEXT         rules like '503@2s-6s; 429@5% retry-after=\"2\"; reset@2%';
                        may be given several times
  --token-requests N    data needs a token that is good for N requests
  --token-ms N          data needs a token that is good for N milliseconds
  --token-rotation R    overlap or revoke (default overlap)
  --page-param NAME     1-based page (default _page)
  --limit-param NAME    page size (default _limit)
  --skip-param NAME     rows to skip (default _skip)
  --page-size N         page size where none is asked for (default 30)
  --max-page-size N     largest page size (default 500)
  --totals WHERE        everywhere, header or nowhere (default everywhere)
  --cursor-requests N   cursors expire after N requests with a cursor
  --cursor-ms N         cursors expire after N milliseconds
  --expired-cursor N    the answer to them, 410 or 500 (default 410)
";

/// A command line that does not configure a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgsError {
    option: String,
    problem: String,
}

impl ArgsError {
    fn new(option: &str, problem: impl Into<String>) -> Self {
        Self { option: option.to_owned(), problem: problem.into() }
    }
}

impl fmt::Display for ArgsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.option, self.problem)
    }
}

impl Error for ArgsError {}

impl Config {
    /// Reads the options of [`USAGE`].
    ///
    /// # Errors
    ///
    /// [`ArgsError`] names the option that is unknown, or whose value is missing or not readable.
    ///
    /// # Examples
    ///
    /// ```
    /// let options = ["--port", "8080", "--faults", "503@10%"];
    /// let config = demo_api::Config::from_args(options.map(String::from))?;
    /// # Ok::<(), demo_api::ArgsError>(())
    /// ```
    pub fn from_args(args: impl IntoIterator<Item = String>) -> Result<Self, ArgsError> {
        let mut args = args.into_iter();
        let mut config = Self::new();
        let mut faults = String::new();
        let mut token = None;
        let mut rotation = Rotation::Overlap;
        let mut cursors = Lifetime::unlimited();
        while let Some(option) = args.next() {
            let value = args.next().ok_or_else(|| ArgsError::new(&option, "a value is missing"))?;
            config = match option.as_str() {
                "--port" => config.port(number(&option, &value)?),
                "--seed" => config.seed(number(&option, &value)?),
                "--faults" => {
                    faults = format!("{faults};{value}");
                    config
                }
                "--token-requests" => {
                    let lifetime = token.unwrap_or_else(Lifetime::unlimited);
                    token = Some(lifetime.with_requests(number(&option, &value)?));
                    config
                }
                "--token-ms" => {
                    let lifetime = token.unwrap_or_else(Lifetime::unlimited);
                    token = Some(lifetime.with_time(millis(&option, &value)?));
                    config
                }
                "--token-rotation" => {
                    rotation = choice(
                        &option,
                        &value,
                        &[("overlap", Rotation::Overlap), ("revoke", Rotation::Revoke)],
                    )?;
                    config
                }
                "--page-param" => config.page_param(value),
                "--limit-param" => config.limit_param(value),
                "--skip-param" => config.skip_param(value),
                "--page-size" => config.default_page_size(number::<NonZeroUsize>(&option, &value)?),
                "--max-page-size" => config.max_page_size(number::<NonZeroUsize>(&option, &value)?),
                "--totals" => config.totals(choice(
                    &option,
                    &value,
                    &[
                        ("everywhere", Totals::Everywhere),
                        ("header", Totals::Header),
                        ("nowhere", Totals::Nowhere),
                    ],
                )?),
                "--cursor-requests" => {
                    cursors = cursors.with_requests(number(&option, &value)?);
                    config
                }
                "--cursor-ms" => {
                    cursors = cursors.with_time(millis(&option, &value)?);
                    config
                }
                "--expired-cursor" => config.expired_cursor(choice(
                    &option,
                    &value,
                    &[("410", ExpiredCursor::Gone), ("500", ExpiredCursor::ServerError)],
                )?),
                _ => return Err(ArgsError::new(&option, "no such option")),
            };
        }
        let faults: FaultPlan =
            faults.parse().map_err(|error| ArgsError::new("--faults", format!("{error}")))?;
        let seed = config.seed;
        let tokens = token.map_or_else(TokenRules::open, TokenRules::required);
        Ok(config
            .faults(faults.with_seed(seed))
            .tokens(tokens.with_rotation(rotation))
            .cursor_lifetime(cursors))
    }
}

fn number<T: FromStr>(option: &str, value: &str) -> Result<T, ArgsError> {
    value.parse().map_err(|_| ArgsError::new(option, format!("not a number in range: {value}")))
}

fn millis(option: &str, value: &str) -> Result<Duration, ArgsError> {
    Ok(Duration::from_millis(number(option, value)?))
}

fn choice<T: Copy>(option: &str, value: &str, choices: &[(&str, T)]) -> Result<T, ArgsError> {
    let chosen = choices.iter().find(|(name, _)| *name == value);
    chosen.map(|(_, choice)| *choice).ok_or_else(|| {
        let names: Vec<_> = choices.iter().map(|(name, _)| *name).collect();
        ArgsError::new(option, format!("not one of {}: {value}", names.join(", ")))
    })
}
