//! What is known about a server, beside how it is reached.

use std::num::NonZeroU32;

use serde_json::Value as Json;
use vantage_transport::RedactedUrl;

use super::{ErrorCodes, Supports};
use crate::{
    decode::RowMode,
    dialect::FilterDialect,
    local_filter::LocalComparison,
    select::{ConnectionArgs, OrderStyle},
};

/// What is known about a server. A table's own block overrides it key by key.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) endpoint: String,
    pub(crate) shown_endpoint: RedactedUrl,
    pub(crate) dialect: FilterDialect,
    pub(crate) filter_arg: Option<String>,
    pub(crate) filter_type: FilterType,
    pub(crate) root_args: Option<Json>,
    pub(crate) response_path: Vec<String>,
    pub(crate) supports: Supports,
    pub(crate) count_field: Option<String>,
    pub(crate) error_codes: Option<ErrorCodes>,
    pub(crate) connection: Option<ConnectionPaging>,
    pub(crate) order_style: OrderStyle,
    pub(crate) operations: Operations,
    pub(crate) row_mode: RowMode,
    pub(crate) local_comparison: LocalComparison,
    pub(crate) column_check: ColumnCheck,
    pub(crate) empty_selection: EmptySelection,
}

/// Where a filter goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum FilterType {
    /// Into the document.
    #[default]
    Inline,
    /// Into a variable of the type the dialect gives a root field's filter.
    Derived,
    /// Into a variable of this type.
    Named(String),
}

/// Whether operations are named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Operations {
    #[default]
    Unnamed,
    /// After the root field they read.
    Named,
}

/// Which columns a Vista's conditions may name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ColumnCheck {
    /// Any the server may know.
    #[default]
    Lax,
    /// Declared ones.
    Declared,
}

/// What a table without columns selects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum EmptySelection {
    /// Nothing, which is an error.
    #[default]
    Refused,
    /// The field `id`.
    Id,
}

/// How a connection is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConnectionPaging {
    pub(crate) args: ConnectionArgs,
    pub(crate) page_size: NonZeroU32,
    pub(crate) max_pages: NonZeroU32,
}

/// Rows of a connection that are asked for at a time.
const PAGE_SIZE: NonZeroU32 = NonZeroU32::new(100).unwrap();

/// Pages of a connection that one listing may read.
const MAX_PAGES: NonZeroU32 = NonZeroU32::new(10_000).unwrap();

impl Default for ConnectionPaging {
    fn default() -> Self {
        Self { args: ConnectionArgs::default(), page_size: PAGE_SIZE, max_pages: MAX_PAGES }
    }
}
