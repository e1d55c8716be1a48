//! Settings of a select beyond the plain document.

use serde::{Deserialize, Serialize};

/// How several orders are spelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum OrderStyle {
    /// One object with a key per column: `order_by: [{a: asc, b: desc}]`.
    /// GraphQL does not promise that a server keeps the order of keys.
    #[default]
    Merged,
    /// One object per column, `order_by: [{a: asc}, {b: desc}]`, which keeps
    /// their order; where nulls go is sent too, as in `asc_nulls_last`.
    Separate,
}

/// The arguments of a connection that is read page by page.
///
/// # Examples
///
/// ```
/// use vantage_graphql::ConnectionArgs;
///
/// let args = ConnectionArgs::default();
/// assert_eq!((args.first(), args.after()), ("first", "after"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectionArgs {
    first: String,
    after: String,
}

impl ConnectionArgs {
    /// A connection that takes the page size as `first` and the cursor as
    /// `after`.
    #[must_use]
    pub fn new(first: impl Into<String>, after: impl Into<String>) -> Self {
        Self { first: first.into(), after: after.into() }
    }

    /// The argument that takes the page size.
    #[must_use]
    pub fn first(&self) -> &str {
        &self.first
    }

    /// The argument that takes the cursor.
    #[must_use]
    pub fn after(&self) -> &str {
        &self.after
    }
}

/// `first` and `after`, as Relay has them.
impl Default for ConnectionArgs {
    fn default() -> Self {
        Self::new("first", "after")
    }
}

/// One page of a connection.
#[derive(Clone, Debug)]
pub(super) struct ConnectionPage {
    pub(super) args: ConnectionArgs,
    pub(super) first: i64,
    pub(super) after: Option<String>,
}
