//! What a server can do beyond listing.

use serde::{Deserialize, Serialize};

/// What a server can do, where that differs from what its dialect suggests.
///
/// | Setting | Unset means |
/// |---|---|
/// | `filter` | yes: conditions are sent. `Some(false)` applies them to the fetched rows |
/// | `order` | what the dialect says: Hasura yes, Generic no |
/// | `search` | what the dialect says: Hasura yes, Generic no; never without `filter` |
/// | `paginate` | no: `limit` and `offset` are not sent |
/// | `count` | [`CountMode::List`] |
///
/// # Examples
///
/// ```
/// use vantage_graphql::{CountMode, FilterDialect, GraphqlApi, Supports};
///
/// let api = GraphqlApi::builder("https://api.example/graphql")
///     .dialect(FilterDialect::Hasura)
///     .supports(Supports::default().with_paginate(true).with_count(CountMode::Aggregate))
///     .build();
/// assert!(api.can_page() && api.can_order());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Supports {
    /// Whether the server applies conditions.
    pub filter: Option<bool>,
    /// Whether the server takes an order.
    pub order: Option<bool>,
    /// Whether the server takes a quick search.
    pub search: Option<bool>,
    /// Whether the server takes `limit` and `offset`.
    pub paginate: Option<bool>,
    /// How rows are counted.
    pub count: CountMode,
}

/// How rows are counted.
///
/// In configuration the names are lower-case: `list`, `aggregate`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum CountMode {
    /// The rows are listed and counted here.
    #[default]
    List,
    /// The server counts, where its dialect has an aggregate field and it
    /// applies conditions; otherwise as [`List`](Self::List).
    Aggregate,
}

impl Supports {
    /// Whether the server applies conditions.
    #[must_use]
    pub fn with_filter(self, filter: bool) -> Self {
        Self { filter: Some(filter), ..self }
    }

    /// Whether the server takes an order.
    #[must_use]
    pub fn with_order(self, order: bool) -> Self {
        Self { order: Some(order), ..self }
    }

    /// Whether the server takes a quick search.
    #[must_use]
    pub fn with_search(self, search: bool) -> Self {
        Self { search: Some(search), ..self }
    }

    /// Whether the server takes `limit` and `offset`.
    #[must_use]
    pub fn with_paginate(self, paginate: bool) -> Self {
        Self { paginate: Some(paginate), ..self }
    }

    /// How rows are counted.
    #[must_use]
    pub fn with_count(self, count: CountMode) -> Self {
        Self { count, ..self }
    }
}
