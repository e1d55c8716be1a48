//! The selected columns, and whether they need grouping.

use crate::distinct::Distinct;

/// Selected columns, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Fields {
    names: Vec<String>,
    seen: Distinct,
    shape: Shape,
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
        self.names.push(name);
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
