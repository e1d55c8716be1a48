//! Columns whose name on the server is another.

use indexmap::IndexMap;

use crate::condition::node::Names;

/// What columns are called on the server, where that differs.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Aliases(pub(super) IndexMap<String, String>);

impl Names for Aliases {
    fn field<'a>(&'a self, column: &'a str) -> &'a str {
        if self.0.is_empty() {
            return column;
        }
        self.0.get(column).map_or(column, String::as_str)
    }
}
