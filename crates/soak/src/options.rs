//! What a soak is asked to do.

use core::fmt;
use std::error::Error;

/// The help text of the command.
pub const USAGE: &str = "\
Makes random calls to a server that misbehaves, and checks what must hold.

Usage: soak [--OPTION VALUE]...

  --calls N    how many calls (default 100000)
  --seed N     where all randomness comes from (default 1)
  --mode M     reads, http2, writes or sim (default reads)
  --callers N  how many calls at a time (default 64)
  --worlds N   how many worlds, for sim: one for each seed from the first (default 100)
";

/// Which calls are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mode {
    /// As `Reads`, over HTTP/2.
    Http2,
    /// Reads under every policy, with every fault.
    Reads,
    /// Worlds without sockets, on a clock of their own.
    Sim,
    /// Operations with an effect, cut at every offset.
    Writes,
}

/// What a soak is asked to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    calls: u64,
    seed: u64,
    mode: Mode,
    callers: u64,
    worlds: u64,
}

impl Mode {
    const ALL: [Self; 4] = [Self::Http2, Self::Reads, Self::Sim, Self::Writes];

    /// What it is called on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Http2 => "http2",
            Self::Reads => "reads",
            Self::Sim => "sim",
            Self::Writes => "writes",
        }
    }
}

/// A command line that asks for nothing that can be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionsError(String);

impl fmt::Display for OptionsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for OptionsError {}

impl Options {
    /// So many calls in this mode, 64 at a time.
    #[must_use]
    pub const fn new(mode: Mode, calls: u64, seed: u64) -> Self {
        Self { calls, seed, mode, callers: 64, worlds: 100 }
    }

    /// So many worlds, the first of this seed.
    #[must_use]
    pub const fn worlds_from(seed: u64, worlds: u64) -> Self {
        Self { worlds, ..Self::new(Mode::Sim, 0, seed) }
    }

    /// Reads the options of [`USAGE`].
    ///
    /// # Errors
    ///
    /// For an unknown option, one without a value, and a value that is none.
    ///
    /// # Examples
    ///
    /// ```
    /// use soak::{Mode, Options};
    ///
    /// let options = Options::from_args(["--mode", "writes", "--seed", "7"])?;
    /// assert_eq!((options.mode(), options.seed()), (Mode::Writes, 7));
    /// # Ok::<_, soak::OptionsError>(())
    /// ```
    pub fn from_args<S: AsRef<str>>(
        args: impl IntoIterator<Item = S>,
    ) -> Result<Self, OptionsError> {
        let mut options = Self::new(Mode::Reads, 100_000, 1);
        let mut args = args.into_iter();
        while let Some(option) = args.next() {
            let option = option.as_ref();
            let value = args.next();
            let value = value.as_ref().map(AsRef::as_ref).unwrap_or_default();
            let number = || value.parse().map_err(|_| wrong(option, value));
            match (option, value) {
                ("--calls", _) => options.calls = number()?,
                ("--seed", _) => options.seed = number()?,
                ("--callers", _) => options.callers = number()?.max(1),
                ("--worlds", _) => options.worlds = number()?,
                ("--mode", _) => {
                    let mode = Mode::ALL.into_iter().find(|mode| mode.name() == value);
                    options.mode = mode.ok_or_else(|| wrong(option, value))?;
                }
                _ => return Err(wrong(option, value)),
            }
        }
        Ok(options)
    }

    /// How many calls.
    #[must_use]
    pub const fn calls(&self) -> u64 {
        self.calls
    }

    /// Where all randomness comes from.
    #[must_use]
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// Which calls.
    #[must_use]
    pub const fn mode(&self) -> Mode {
        self.mode
    }

    /// How many calls at a time.
    #[must_use]
    pub const fn callers(&self) -> u64 {
        self.callers
    }

    /// How many worlds.
    #[must_use]
    pub const fn worlds(&self) -> u64 {
        self.worlds
    }
}

fn wrong(option: &str, value: &str) -> OptionsError {
    OptionsError(format!("`{option} {value}` is not understood"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_understood_is_refused() {
        for args in [["--calls", "many"], ["--mode", "x"], ["--seeds", "1"]] {
            assert!(Options::from_args(args).is_err(), "{args:?}");
        }
        assert!(Options::from_args(["--seed"]).is_err());
        assert_eq!(
            Options::from_args(["--calls", "5", "--seed", "2"]).unwrap(),
            Options::new(Mode::Reads, 5, 2)
        );
    }
}
