//! What a YAML spec may say about GraphQL.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use vantage_vista::{NoExtras, VistaSpec};

use crate::{api::CountMode, dialect::FilterDialect, select::OrderStyle};

/// A Vista spec with this crate's blocks.
///
/// # Examples
///
/// ```
/// use vantage_graphql::{FilterDialect, GraphqlApi, vista::GraphqlApiVistaSpec};
/// use vantage_vista::VistaFactory;
///
/// let yaml = r#"
/// name: airport
/// graphql:
///   root_field: airports
///   dialect: hasura
/// columns:
///   code: { type: string, flags: [id] }
///   city_code: { type: string, graphql: { field: cityCode } }
/// "#;
/// let factory = GraphqlApi::new("https://api.example/graphql").vista_factory();
/// let airports = factory.from_yaml(yaml).unwrap();
/// assert_eq!(
///     airports.preview().query.unwrap(),
///     "POST https://api.example/graphql\nquery { airports { code city_code: cityCode } }",
/// );
/// ```
pub type GraphqlApiVistaSpec = VistaSpec<GraphqlTableExtras, GraphqlColumnExtras, NoExtras>;

/// The table-level extension of a spec: its `graphql:` block.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct GraphqlTableExtras {
    /// How the table's requests differ from the API's settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graphql: Option<GraphqlBlock>,
}

/// The column-level extension of a spec: its `graphql:` block.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct GraphqlColumnExtras {
    /// How the column differs from a field of its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graphql: Option<GraphqlColumnBlock>,
}

/// How a column differs from a field of its name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct GraphqlColumnBlock {
    /// The server's name for the column. A plain name, without dots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
}

/// How a table's requests differ from the API's settings. What is not set
/// stays as the API has it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct GraphqlBlock {
    /// The field of the query type. Default: the spec's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root_field: Option<String>,
    /// The aggregate field that counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count_field: Option<String>,
    /// How the server spells filters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<FilterDialect>,
    /// The argument a filter goes into.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter_arg: Option<String>,
    /// Literal arguments of the root field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<Json>,
    /// Where the rows are below the root field, as dotted segments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_path: Option<String>,
    /// Whether the server applies conditions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<bool>,
    /// Whether the server takes an order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<bool>,
    /// Whether the server takes a quick search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<bool>,
    /// Whether the server takes `limit` and `offset`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paginate: Option<bool>,
    /// How rows are counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<CountMode>,
    /// The input type of the filter, which is then sent as a variable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter_type: Option<String>,
    /// The rows to ask for at a time; reads the root field as a connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_size: Option<NonZeroU32>,
    /// How several orders are spelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order_style: Option<OrderStyle>,
}

impl GraphqlTableExtras {
    /// Extras with this block.
    #[must_use]
    pub fn new(block: GraphqlBlock) -> Self {
        Self { graphql: Some(block) }
    }
}

impl GraphqlColumnExtras {
    /// Extras with this block.
    #[must_use]
    pub fn new(block: GraphqlColumnBlock) -> Self {
        Self { graphql: Some(block) }
    }
}

impl GraphqlColumnBlock {
    /// Reads the server's `field`.
    #[must_use]
    pub fn with_field(self, field: impl Into<String>) -> Self {
        Self { field: Some(field.into()) }
    }
}

impl GraphqlBlock {
    /// Reads `name` of the query type.
    #[must_use]
    pub fn with_root_field(self, name: impl Into<String>) -> Self {
        Self { root_field: Some(name.into()), ..self }
    }

    /// Counts through the aggregate field `name`.
    #[must_use]
    pub fn with_count_field(self, name: impl Into<String>) -> Self {
        Self { count_field: Some(name.into()), ..self }
    }

    /// Spells filters as `dialect` does.
    #[must_use]
    pub fn with_dialect(self, dialect: FilterDialect) -> Self {
        Self { dialect: Some(dialect), ..self }
    }

    /// Passes filters as argument `name`.
    #[must_use]
    pub fn with_filter_arg(self, name: impl Into<String>) -> Self {
        Self { filter_arg: Some(name.into()), ..self }
    }

    /// Adds literal arguments to the root field.
    #[must_use]
    pub fn with_args(self, args: Json) -> Self {
        Self { args: Some(args), ..self }
    }

    /// Finds the rows below the root field, along dotted segments.
    #[must_use]
    pub fn with_response_path(self, path: impl Into<String>) -> Self {
        Self { response_path: Some(path.into()), ..self }
    }

    /// Says whether the server applies conditions.
    #[must_use]
    pub fn with_filter(self, filter: bool) -> Self {
        Self { filter: Some(filter), ..self }
    }

    /// Says whether the server takes an order.
    #[must_use]
    pub fn with_order(self, order: bool) -> Self {
        Self { order: Some(order), ..self }
    }

    /// Says whether the server takes a quick search.
    #[must_use]
    pub fn with_search(self, search: bool) -> Self {
        Self { search: Some(search), ..self }
    }

    /// Says whether the server takes `limit` and `offset`.
    #[must_use]
    pub fn with_paginate(self, paginate: bool) -> Self {
        Self { paginate: Some(paginate), ..self }
    }

    /// Says how rows are counted.
    #[must_use]
    pub fn with_count(self, count: CountMode) -> Self {
        Self { count: Some(count), ..self }
    }

    /// Sends filters as variables of the input type `name`.
    #[must_use]
    pub fn with_filter_type(self, name: impl Into<String>) -> Self {
        Self { filter_type: Some(name.into()), ..self }
    }

    /// Reads the root field as a connection, `rows` at a time.
    #[must_use]
    pub fn with_page_size(self, rows: NonZeroU32) -> Self {
        Self { page_size: Some(rows), ..self }
    }

    /// Spells several orders as `style` says.
    #[must_use]
    pub fn with_order_style(self, style: OrderStyle) -> Self {
        Self { order_style: Some(style), ..self }
    }
}
