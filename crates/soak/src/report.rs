//! What a soak found.

use core::fmt;

use crate::options::{Mode, Options};

/// What a soak found: figures, and whatever did not hold.
#[derive(Clone, Debug)]
pub struct Report {
    options: Options,
    figures: Vec<(&'static str, u64)>,
    broken: Vec<String>,
}

impl Report {
    pub(crate) fn new(options: &Options) -> Self {
        Self { options: options.clone(), figures: Vec::new(), broken: Vec::new() }
    }

    pub(crate) fn figure(&mut self, name: &'static str, value: u64) {
        self.figures.push((name, value));
    }

    /// Notes `claim` as broken unless it `holds`.
    pub(crate) fn check(&mut self, holds: bool, claim: impl FnOnce() -> String) {
        if !holds {
            self.broken.push(claim());
        }
    }

    pub(crate) fn check_all(&mut self, broken: impl IntoIterator<Item = String>) {
        self.broken.extend(broken);
    }

    /// The figure of this name; 0 if there is none.
    #[must_use]
    pub fn value(&self, name: &str) -> u64 {
        self.figures.iter().find(|(own, _)| *own == name).map_or(0, |(_, value)| *value)
    }

    /// What did not hold.
    #[must_use]
    pub fn broken(&self) -> &[String] {
        &self.broken
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mode, seed) = (self.options.mode(), self.options.seed());
        let (noun, many) = match mode {
            Mode::Sim => ("worlds", self.options.worlds()),
            _ => ("calls", self.options.calls()),
        };
        writeln!(f, "soak --mode {} --{noun} {many} --seed {seed}", mode.name())?;
        for (name, value) in &self.figures {
            writeln!(f, "  {name:36} {value:>12}")?;
        }
        if self.broken.is_empty() {
            return writeln!(f, "  everything holds");
        }
        self.broken.iter().try_for_each(|broken| writeln!(f, "  BROKEN: {broken}"))
    }
}
