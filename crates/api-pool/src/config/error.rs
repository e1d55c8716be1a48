//! Why a configuration is refused.

use core::fmt;

/// A setting that is refused. The text names the setting's path and value.
///
/// The value of a setting that is not known is not told: nobody knows what it holds.
///
/// # Examples
///
/// ```
/// use api_pool::config::PoolConfig;
///
/// let error = PoolConfig::from_vars("API_", [("API_RETRY__BASE_BACKOFF", "10x")]).unwrap_err();
/// assert_eq!(error.path(), "retry.base_backoff");
/// assert_eq!(
///     error.to_string(),
///     "`retry.base_backoff` is `10x`, but must be a duration from `1ms`, such as `250ms`"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    path: String,
    problem: Problem,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Problem {
    Missing { expected: &'static str },
    Twice,
    Unknown { known: &'static [&'static str] },
    Wrong { value: String, expected: String },
}

/// The longest value that is quoted, in characters.
const QUOTED: usize = 60;

impl ConfigError {
    pub(super) fn missing(path: String, expected: &'static str) -> Self {
        Self { path, problem: Problem::Missing { expected } }
    }

    pub(super) fn twice(path: String) -> Self {
        Self { path, problem: Problem::Twice }
    }

    pub(super) fn unknown(path: String, known: &'static [&'static str]) -> Self {
        Self { path, problem: Problem::Unknown { known } }
    }

    pub(super) fn wrong(path: String, value: &str, expected: impl Into<String>) -> Self {
        let value = match value.char_indices().nth(QUOTED) {
            Some((end, _)) => format!("{}…", value.get(..end).unwrap_or_default()),
            None => value.to_owned(),
        };
        Self { path, problem: Problem::Wrong { value, expected: expected.into() } }
    }

    /// The path of the setting, such as `retry.base_backoff`.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.path;
        match &self.problem {
            Problem::Missing { expected } => {
                write!(f, "`{path}` is missing: it must be {expected}")
            }
            Problem::Twice => write!(f, "`{path}` is set twice"),
            Problem::Unknown { known } => {
                write!(f, "`{path}` is not a setting; there are ")?;
                for (index, name) in known.iter().enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    write!(f, "{comma}`{name}`")?;
                }
                Ok(())
            }
            Problem::Wrong { value, expected } => {
                write!(f, "`{path}` is `{value}`, but must be {expected}")
            }
        }
    }
}

impl std::error::Error for ConfigError {}
