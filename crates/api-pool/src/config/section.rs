//! A table of settings, and the settings in it, each with its path.

use std::num::{NonZeroU32, NonZeroUsize};
use std::time::Duration;

use retry_core::duration_text;

use super::error::ConfigError;
use super::node::Node;

/// What switches a part off that a preset or the program has switched on.
pub(super) const OFF: &str = "off";

/// A duration or a number without a limit.
pub(super) const UNLIMITED: &str = "unlimited";

const RATE: &str = "a finite number above 0";

const SHORTEST: Duration = Duration::from_millis(1);

/// A table in which every name is known and occurs once.
#[derive(Debug)]
pub(super) struct Section {
    path: String,
    entries: Vec<(String, Node)>,
}

impl Section {
    /// The table at the root.
    pub(super) fn root(node: Node, known: &'static [&'static str]) -> Result<Self, ConfigError> {
        let entries = match node {
            Node::Absent => Vec::new(),
            Node::Table(entries) => entries,
            other => {
                let error = ConfigError::wrong("settings".into(), &other.to_string(), "a table");
                return Err(error);
            }
        };
        Self::checked(String::new(), entries, known)
    }

    fn checked(
        path: String,
        entries: Vec<(String, Node)>,
        known: &'static [&'static str],
    ) -> Result<Self, ConfigError> {
        for (index, (name, _)) in entries.iter().enumerate() {
            if !known.contains(&name.as_str()) {
                return Err(ConfigError::unknown(join(&path, name), known));
            }
            if entries.iter().take(index).any(|(earlier, _)| earlier == name) {
                return Err(ConfigError::twice(join(&path, name)));
            }
        }
        Ok(Self { path, entries })
    }

    /// The setting of this name.
    pub(super) fn take(&mut self, name: &'static str) -> Setting {
        let found = self.entries.iter().position(|(entry, _)| entry == name);
        let node = found.map_or(Node::Absent, |index| self.entries.swap_remove(index).1);
        Setting { path: join(&self.path, name), node }
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// What stands where a part of the settings may stand.
#[derive(Debug)]
pub(super) enum Part {
    Absent,
    Off,
    Table(Section),
}

/// One setting, or its absence.
#[derive(Debug)]
pub(super) struct Setting {
    path: String,
    node: Node,
}

impl Setting {
    fn wrong(self, expected: &str) -> ConfigError {
        ConfigError::wrong(self.path, &self.node.to_string(), expected)
    }

    /// A part with settings of its own.
    pub(super) fn part(self, known: &'static [&'static str]) -> Result<Part, ConfigError> {
        match self.node {
            Node::Absent => Ok(Part::Absent),
            Node::Table(entries) => Section::checked(self.path, entries, known).map(Part::Table),
            Node::Bool(false) => Ok(Part::Off),
            Node::Text(text) if text == OFF => Ok(Part::Off),
            node => Err(ConfigError::wrong(self.path, &node.to_string(), "a table or `off`")),
        }
    }

    /// A word out of a few.
    pub(super) fn word<T>(
        self,
        expected: &str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, ConfigError> {
        match &self.node {
            Node::Absent => Ok(None),
            Node::Text(text) => match read(text) {
                Some(value) => Ok(Some(value)),
                None => Err(self.wrong(expected)),
            },
            _ => Err(self.wrong(expected)),
        }
    }

    /// A whole number, as such or as text.
    pub(super) fn count<N: TryFrom<u64>>(self, expected: &str) -> Result<Option<N>, ConfigError> {
        let number = match &self.node {
            Node::Absent => return Ok(None),
            Node::Integer(number) => u64::try_from(*number).ok(),
            Node::Text(text) if text.bytes().all(|byte| byte.is_ascii_digit()) => text.parse().ok(),
            _ => None,
        };
        match number.and_then(|number| N::try_from(number).ok()) {
            Some(number) => Ok(Some(number)),
            None => Err(self.wrong(expected)),
        }
    }

    /// A whole number, or `unlimited` for the highest one.
    pub(super) fn limit(self) -> Result<Option<usize>, ConfigError> {
        match &self.node {
            Node::Text(text) if text == UNLIMITED => Ok(Some(usize::MAX)),
            _ => self.count("a whole number from 0, or `unlimited`"),
        }
    }

    /// A whole number from 1.
    pub(super) fn size(self) -> Result<Option<NonZeroUsize>, ConfigError> {
        self.non_zero("a whole number from 1", NonZeroUsize::new)
    }

    /// A whole number from 1 to 4294967295.
    pub(super) fn threshold(self) -> Result<Option<NonZeroU32>, ConfigError> {
        self.non_zero("a whole number from 1 to 4294967295", NonZeroU32::new)
    }

    fn non_zero<N: TryFrom<u64> + Copy, Z>(
        self,
        expected: &str,
        non_zero: impl FnOnce(N) -> Option<Z>,
    ) -> Result<Option<Z>, ConfigError> {
        let (path, value) = (self.path.clone(), self.node.to_string());
        match self.count(expected)? {
            None => Ok(None),
            Some(number) => match non_zero(number) {
                Some(number) => Ok(Some(number)),
                None => Err(ConfigError::wrong(path, &value, expected)),
            },
        }
    }

    /// A finite number above 0, as such or as text; inside, the error of not having one.
    pub(super) fn rate(self) -> Result<Result<f64, ConfigError>, ConfigError> {
        let number = match &self.node {
            Node::Absent => return Ok(Err(ConfigError::missing(self.path, RATE))),
            Node::Float(number) => Some(*number),
            // Exact up to 2⁵³, and nobody sends as many requests per second.
            Node::Integer(number) => Some(*number as f64),
            Node::Text(text) => text.parse().ok(),
            Node::Bool(_) | Node::List | Node::Table(_) => None,
        };
        match number.filter(|number: &f64| number.is_finite() && *number > 0.0) {
            Some(number) => Ok(Ok(number)),
            None => Err(self.wrong(RATE)),
        }
    }

    /// A duration as text.
    pub(super) fn duration(self) -> Result<Option<Duration>, ConfigError> {
        self.word("a duration such as `250ms` or `10s`", |text| duration_text::parse(text).ok())
    }

    /// A duration as text that is not too short to be meant.
    pub(super) fn pause(self) -> Result<Option<Duration>, ConfigError> {
        self.word("a duration from `1ms`, such as `250ms`", |text| {
            duration_text::parse(text).ok().filter(|duration| *duration >= SHORTEST)
        })
    }
}
