//! What a task can end in, worded for the person at the terminal.

use std::{fmt, io, path::PathBuf};

pub(crate) type Result<T = (), E = Error> = std::result::Result<T, E>;

/// Why a task did not succeed.
#[derive(Debug)]
pub(crate) enum Error {
    /// The rules of a task do not hold. The details were printed as they were found.
    Broken(String),
    /// A command ran and failed, or ran and should have failed.
    Command { line: String, outcome: String },
    /// A file could not be read or written.
    File { path: PathBuf, source: io::Error },
    /// A command's output, or a file, is not what it should be.
    Malformed { what: String, why: String },
    /// A program could not be started.
    Start { program: String, source: io::Error },
    /// The command line asks for something that does not exist.
    Usage(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Broken(what) | Self::Usage(what) => f.write_str(what),
            Self::Command { line, outcome } => write!(f, "`{line}` {outcome}"),
            Self::File { path, source } => write!(f, "{}: {source}", path.display()),
            Self::Malformed { what, why } => write!(f, "{what}: {why}"),
            Self::Start { program, source } => write!(f, "cannot start `{program}`: {source}"),
        }
    }
}

impl std::error::Error for Error {}

/// For tasks without options: an option is refused rather than ignored.
///
/// # Errors
///
/// [`Error::Usage`] if anything is on the command line.
pub(crate) fn no_options(args: &[String]) -> Result {
    match args {
        [] => Ok(()),
        [first, ..] => Err(Error::Usage(format!("this task has no options, not even `{first}`"))),
    }
}

/// For tasks with one option: whether it was given.
///
/// # Errors
///
/// [`Error::Usage`] for anything else on the command line.
pub(crate) fn one_option(args: &[String], known: &str) -> Result<bool> {
    match args {
        [] => Ok(false),
        [only] if only == known => Ok(true),
        [..] => Err(Error::Usage(format!("the only option of this task is `{known}`"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_option_is_refused() {
        let args = ["--depp".to_owned()];
        assert!(one_option(&args, "--deep").is_err());
        assert!(no_options(&args).is_err());
        assert!(one_option(&["--deep".to_owned()], "--deep").unwrap());
        assert!(!one_option(&[], "--deep").unwrap());
    }
}
