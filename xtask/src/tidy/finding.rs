//! A place where a rule does not hold.

use std::fmt;

/// Something to mend, and where.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) level: Level,
    /// Relative to the workspace root, with forward slashes.
    pub(crate) path: String,
    /// Counted from 1; `None` when the whole file, or its absence, is meant.
    pub(crate) line: Option<usize>,
    pub(crate) message: String,
}

/// Whether a finding stops CI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    Fail,
    Warn,
}

impl Finding {
    /// About a file as a whole.
    pub(crate) fn of_file(path: &str, message: impl Into<String>) -> Self {
        Self { level: Level::Fail, path: path.to_owned(), line: None, message: message.into() }
    }

    /// About one line of a file.
    pub(crate) fn at(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self { line: Some(line), ..Self::of_file(path, message) }
    }

    /// The same, but only said, not enforced.
    pub(crate) fn into_warning(self) -> Self {
        Self { level: Level::Warn, ..self }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, message, .. } = self;
        match self.line {
            Some(line) => write!(f, "{path}:{line}: {message}"),
            None => write!(f, "{path}: {message}"),
        }
    }
}
