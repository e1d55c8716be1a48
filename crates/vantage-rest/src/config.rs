//! How an API answers, pages, filters and sorts: the settings as values.

/// Where the rows are in a response body.
///
/// # Examples
///
/// ```
/// use vantage_rest::ResponseShape;
///
/// let shape = ResponseShape::Wrapped { array_key: "items".into() };
/// assert!(matches!(shape, ResponseShape::Wrapped { array_key } if array_key == "items"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResponseShape {
    /// The body is the array; a lone object is one row.
    BareArray,
    /// The array is under `array_key`. A key the body does not hold as a whole
    /// is read as a dotted path: `result.items` is `{"result": {"items": […]}}`.
    Wrapped {
        /// The key, or the dotted path, of the array.
        array_key: String,
    },
    /// The array is under the table's name, or, for a table name with
    /// placeholders or several segments, under its last literal segment.
    WrappedByTableName,
}

impl Default for ResponseShape {
    /// An array under `data`.
    fn default() -> Self {
        Self::Wrapped { array_key: "data".to_owned() }
    }
}

/// What the page parameter counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum PaginationMode {
    /// Pages, from 1.
    #[default]
    Page,
    /// Rows to skip, from 0.
    Skip,
    /// Nothing: it carries the cursor the previous response held.
    Cursor,
    /// Nothing: the next page's URL is in the previous response's `Link` header.
    Link,
}

/// The names of the paging parameters and how they are counted.
///
/// # Examples
///
/// ```
/// use vantage_rest::{PaginationMode, PaginationParams};
///
/// let by_page = PaginationParams::default();
/// assert_eq!((by_page.page.as_str(), by_page.limit.as_str()), ("_page", "_limit"));
///
/// let by_offset = PaginationParams::skip_limit("offset", "count");
/// assert_eq!(by_offset.mode, PaginationMode::Skip);
/// assert_eq!(by_offset.page, "offset");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PaginationParams {
    /// The parameter that names the page, the offset or the cursor.
    pub page: String,
    /// The parameter that limits the rows of a page.
    pub limit: String,
    /// What [`page`](Self::page) counts.
    pub mode: PaginationMode,
    /// Where the next cursor is: a key or a dotted path of the body.
    pub cursor_key: String,
}

impl PaginationParams {
    /// 1-based pages of `limit` rows.
    #[must_use]
    pub fn page_limit(page: impl Into<String>, limit: impl Into<String>) -> Self {
        Self::named(page, limit, PaginationMode::Page)
    }

    /// 0-based offsets; `skip` names the parameter and is kept in
    /// [`page`](Self::page).
    #[must_use]
    pub fn skip_limit(skip: impl Into<String>, limit: impl Into<String>) -> Self {
        Self::named(skip, limit, PaginationMode::Skip)
    }

    /// A cursor: each response holds the next one under `cursor_key` (a key or
    /// a dotted path), and `cursor` names the parameter that sends it back. A
    /// listing ends where the key is absent, null or empty.
    ///
    /// # Examples
    ///
    /// ```
    /// use vantage_rest::PaginationParams;
    ///
    /// let params = PaginationParams::cursor("after", "first", "page_info.end_cursor");
    /// assert_eq!(params.cursor_key, "page_info.end_cursor");
    /// ```
    #[must_use]
    pub fn cursor(
        cursor: impl Into<String>,
        limit: impl Into<String>,
        cursor_key: impl Into<String>,
    ) -> Self {
        Self { cursor_key: cursor_key.into(), ..Self::named(cursor, limit, PaginationMode::Cursor) }
    }

    /// RFC 8288 `Link` headers: the URL of `rel="next"` is the next page.
    #[must_use]
    pub fn link_header(limit: impl Into<String>) -> Self {
        Self::named("", limit, PaginationMode::Link)
    }

    fn named(page: impl Into<String>, limit: impl Into<String>, mode: PaginationMode) -> Self {
        Self { page: page.into(), limit: limit.into(), mode, cursor_key: String::new() }
    }

    /// Whether any row range can be asked for directly.
    pub(crate) fn is_random_access(&self) -> bool {
        matches!(self.mode, PaginationMode::Page | PaginationMode::Skip)
    }
}

impl Default for PaginationParams {
    /// `_page` and `_limit`, counted in pages.
    fn default() -> Self {
        Self::page_limit("_page", "_limit")
    }
}

/// Who applies the equality conditions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum FilterStrategy {
    /// The server, from query parameters.
    #[default]
    Query,
    /// This crate, over the rows the server returned.
    Client,
}

/// The parameter that orders a listing.
///
/// # Examples
///
/// ```
/// use vantage_rest::OrderingParams;
///
/// // `sort=name` ascending, `sort=-name` descending.
/// let ordering = OrderingParams::new("sort", "-");
/// assert_eq!((ordering.param.as_str(), ordering.desc_prefix.as_str()), ("sort", "-"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OrderingParams {
    /// The parameter's name.
    pub param: String,
    /// What stands before the column's name for a descending order.
    pub desc_prefix: String,
}

impl OrderingParams {
    /// The parameter `param`, with `desc_prefix` before a descending column.
    #[must_use]
    pub fn new(param: impl Into<String>, desc_prefix: impl Into<String>) -> Self {
        Self { param: param.into(), desc_prefix: desc_prefix.into() }
    }
}

/// Where the size of the whole set is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TotalSource {
    /// Under this key, or dotted path, of the body.
    Key(String),
    /// In this response header.
    Header(String),
}

/// Whether requests may carry paging parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paging {
    /// Nothing said: only a window asked for by a table is sent.
    Undeclared,
    /// The API pages.
    Declared,
    /// Never.
    Off,
}

/// What a listing does when the server returned less than the whole set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Listing {
    /// Reads the pages that are missing.
    Whole,
    /// One request, whatever it returns.
    OneRequest,
}

/// How one row is asked for by its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemLookup {
    /// From the listing.
    Listing,
    /// `GET <table>/<id>`.
    Path,
}

/// A parameter the server filters by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FilterParam {
    pub(crate) column: String,
    pub(crate) op: vantage_vista::FilterOp,
    pub(crate) param: String,
}

/// Everything about one API but its transport.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub(crate) base_url: String,
    pub(crate) shape: ResponseShape,
    pub(crate) params: PaginationParams,
    pub(crate) paging: Paging,
    pub(crate) filters: FilterStrategy,
    pub(crate) total: Option<TotalSource>,
    pub(crate) ordering: Option<OrderingParams>,
    pub(crate) listing: Listing,
    pub(crate) item: ItemLookup,
    pub(crate) search_param: Option<String>,
    pub(crate) filter_params: Vec<FilterParam>,
    /// Rows asked for per request where nobody said how many.
    pub(crate) page_size: usize,
    /// The most rows the server puts on a page.
    pub(crate) max_page_size: Option<usize>,
    /// The most requests of one read.
    pub(crate) max_requests: usize,
    /// Pages of a stream requested ahead.
    pub(crate) prefetch: usize,
    pub(crate) announce: Announce,
}

/// Whether every read announces itself in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Announce {
    Quietly,
    Loudly,
}

impl Config {
    pub(crate) fn new(base_url: String) -> Self {
        Self {
            base_url,
            shape: ResponseShape::default(),
            params: PaginationParams::default(),
            paging: Paging::Undeclared,
            filters: FilterStrategy::default(),
            total: None,
            ordering: None,
            listing: Listing::Whole,
            item: ItemLookup::Listing,
            search_param: None,
            filter_params: Vec::new(),
            page_size: 100,
            max_page_size: None,
            max_requests: 100_000,
            prefetch: 0,
            announce: Announce::Quietly,
        }
    }

    /// Whether any row range of a table can be asked for.
    pub(crate) fn serves_windows(&self) -> bool {
        let declared = self.paging == Paging::Declared || self.total.is_some();
        declared && self.paging != Paging::Off && self.params.is_random_access()
    }

    /// Whether a listing follows cursors or links.
    pub(crate) fn follows_cursors(&self) -> bool {
        self.paging == Paging::Declared && !self.params.is_random_access()
    }

    /// The parameter that asks the server for `column op value`, if one is declared.
    pub(crate) fn filter_param(&self, column: &str, op: vantage_vista::FilterOp) -> Option<&str> {
        self.filter_params
            .iter()
            .find(|declared| declared.column == column && declared.op == op)
            .map(|declared| declared.param.as_str())
    }
}
