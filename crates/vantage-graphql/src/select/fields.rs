//! The selected columns, and what is known of them before they are rendered.

use vantage_core::Result;

use crate::{distinct::Distinct, name::NameKind};

/// Selected columns, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Fields {
    names: Vec<String>,
    seen: Distinct,
    shape: Shape,
    /// A column that is no path of names, if there is one.
    refused: Option<usize>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Shape {
    /// Plain fields, no two alike.
    #[default]
    Flat,
    /// Paths, or fields that may be alike.
    Grouped,
}

impl Fields {
    pub(super) fn push(&mut self, name: String) {
        if !self.seen.admits(&name) || name.contains('.') {
            self.shape = Shape::Grouped;
        }
        if self.refused.is_none() && NameKind::Field.check_path(&name).is_err() {
            self.refused = Some(self.names.len());
        }
        self.names.push(name);
    }

    /// Refuses columns that are no paths of names.
    pub(super) fn check(&self) -> Result<()> {
        match self.refused.and_then(|at| self.names.get(at)) {
            Some(name) => NameKind::Field.check_path(name),
            None => Ok(()),
        }
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(super) fn as_slice(&self) -> &[String] {
        &self.names
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Whether the columns can be written as they come.
    pub(super) fn is_flat(&self) -> bool {
        self.shape == Shape::Flat
    }
}
