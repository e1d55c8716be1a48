//! The YAML of a REST table.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};
use vantage_vista::{FilterOp, NoExtras, VistaSpec};

use crate::config::{
    Config, FilterParam, FilterStrategy, ItemLookup, OrderingParams, PaginationMode,
    PaginationParams, Paging, ResponseShape, TotalSource,
};

/// A REST table's spec.
pub type RestApiVistaSpec = VistaSpec<ApiTableExtras, ApiColumnExtras, ApiReferenceExtras>;

/// A REST column has no block of its own.
pub type ApiColumnExtras = NoExtras;

/// A REST reference has no block of its own.
pub type ApiReferenceExtras = NoExtras;

/// The part of a spec that only REST tables have.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ApiTableExtras {
    /// The `api:` block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api: Option<ApiTableBlock>,
}

impl ApiTableExtras {
    /// Extras with this `api:` block.
    #[must_use]
    pub fn new(block: ApiTableBlock) -> Self {
        Self { api: Some(block) }
    }
}

/// The `api:` block: how this one table differs from its API. A key that is
/// absent keeps the API's setting.
///
/// # Examples
///
/// ```
/// use vantage_rest::ApiTableBlock;
///
/// let block = ApiTableBlock::default().with_endpoint("v2/users").with_array_key("result.items");
/// assert_eq!(block.endpoint.as_deref(), Some("v2/users"));
/// ```
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ApiTableBlock {
    /// The path below the base URL, with `{column}` placeholders; the spec's
    /// name by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// Where the rows are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<ShapeName>,
    /// The key, or dotted path, the rows are under.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub array_key: Option<String>,
    /// How the table pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paging: Option<PagingBlock>,
    /// The key, or dotted path, of the grand total.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_key: Option<String>,
    /// The response header of the grand total.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_header: Option<String>,
    /// The parameter that orders a listing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ordering: Option<OrderingBlock>,
    /// Who applies equality conditions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<FilterName>,
    /// Parameters the server filters by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub filters: Vec<FilterBlock>,
    /// The parameter the server searches by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<String>,
    /// How one row is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<ItemsName>,
    /// Rows asked for per request where nobody said how many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_size: Option<NonZeroUsize>,
    /// The most rows the server puts on a page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_page_size: Option<NonZeroUsize>,
}

/// A response shape, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ShapeName {
    /// The body is the array.
    BareArray,
    /// The array is under `array_key`.
    Wrapped,
    /// The array is under the table's name.
    WrappedByTableName,
}

/// Who applies equality conditions, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FilterName {
    /// The server.
    Query,
    /// This crate.
    Client,
}

/// How one row is asked for, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ItemsName {
    /// Picked from the listing.
    FromListing,
    /// `GET <endpoint>/<id>`.
    ByPath,
}

/// How a table pages, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PagingName {
    /// 1-based pages.
    Page,
    /// 0-based offsets.
    Skip,
    /// A cursor in the body.
    Cursor,
    /// A `Link` header.
    Link,
    /// Not at all.
    Off,
}

/// The `paging:` block.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct PagingBlock {
    /// What the page parameter counts.
    pub mode: PagingName,
    /// The page, offset or cursor parameter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
    /// The parameter that limits a page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
    /// Where the next cursor is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor_key: Option<String>,
}

/// The `ordering:` block.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct OrderingBlock {
    /// The parameter's name.
    pub param: String,
    /// What stands before a descending column.
    #[serde(default)]
    pub desc_prefix: String,
}

/// One entry of `filters:`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct FilterBlock {
    /// The column that is compared.
    pub column: String,
    /// The comparison: `gt`, `gte`, `lt`, `lte`, `ne`, `like`, …
    pub op: FilterOp,
    /// The parameter's name.
    pub param: String,
}

impl ApiTableBlock {
    /// Sets the path below the base URL.
    #[must_use]
    pub fn with_endpoint(self, endpoint: impl Into<String>) -> Self {
        Self { endpoint: Some(endpoint.into()), ..self }
    }

    /// Sets the key, or dotted path, the rows are under.
    #[must_use]
    pub fn with_array_key(self, key: impl Into<String>) -> Self {
        Self { array_key: Some(key.into()), ..self }
    }

    /// Sets the key, or dotted path, of the grand total.
    #[must_use]
    pub fn with_total_key(self, key: impl Into<String>) -> Self {
        Self { total_key: Some(key.into()), ..self }
    }

    /// The API's settings with this block's in their place.
    pub(crate) fn apply(&self, api: &Config) -> Config {
        let mut config = api.clone();
        config.shape = match (&self.array_key, self.shape) {
            (Some(key), _) => ResponseShape::Wrapped { array_key: key.clone() },
            (None, Some(ShapeName::BareArray)) => ResponseShape::BareArray,
            (None, Some(ShapeName::WrappedByTableName)) => ResponseShape::WrappedByTableName,
            (None, Some(ShapeName::Wrapped) | None) => config.shape,
        };
        if let Some(paging) = &self.paging {
            paging.apply(&mut config);
        }
        if let Some(name) = &self.total_header {
            config.total = Some(TotalSource::Header(name.clone()));
        }
        if let Some(key) = &self.total_key {
            config.total = Some(TotalSource::Key(key.clone()));
        }
        if let Some(OrderingBlock { param, desc_prefix }) = &self.ordering {
            config.ordering = Some(OrderingParams::new(param, desc_prefix));
        }
        match self.filter {
            Some(FilterName::Query) => config.filters = FilterStrategy::Query,
            Some(FilterName::Client) => config.filters = FilterStrategy::Client,
            None => (),
        }
        config.filter_params.extend(self.filters.iter().map(|filter| FilterParam {
            column: filter.column.clone(),
            op: filter.op,
            param: filter.param.clone(),
        }));
        if let Some(param) = &self.search {
            config.search_param = Some(param.clone());
        }
        match self.items {
            Some(ItemsName::FromListing) => config.item = ItemLookup::Listing,
            Some(ItemsName::ByPath) => config.item = ItemLookup::Path,
            None => (),
        }
        config.page_size = self.page_size.map_or(config.page_size, NonZeroUsize::get);
        config.max_page_size = self.max_page_size.map(NonZeroUsize::get).or(config.max_page_size);
        config
    }
}

impl PagingBlock {
    fn apply(&self, config: &mut Config) {
        let mode = match self.mode {
            PagingName::Page => PaginationMode::Page,
            PagingName::Skip => PaginationMode::Skip,
            PagingName::Cursor => PaginationMode::Cursor,
            PagingName::Link => PaginationMode::Link,
            PagingName::Off => {
                config.paging = Paging::Off;
                return;
            }
        };
        let api = &config.params;
        config.params = PaginationParams {
            page: self.page.clone().unwrap_or_else(|| api.page.clone()),
            limit: self.limit.clone().unwrap_or_else(|| api.limit.clone()),
            cursor_key: self.cursor_key.clone().unwrap_or_else(|| api.cursor_key.clone()),
            mode,
        };
        config.paging = Paging::Declared;
    }
}
