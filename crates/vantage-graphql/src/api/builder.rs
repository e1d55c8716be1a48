//! Setting up an endpoint.

use std::{num::NonZeroU32, sync::Arc, time::Duration};

use api_pool::{AuthRefresher, BearerSource, TransportObserver};
use serde_json::Value as Json;
use vantage_transport::{Redaction, TransportSettings};

use super::{
    ConnectionPaging, ErrorCodes, FilterType, GraphqlApi, Settings, Supports,
    settings::{ColumnCheck, EmptySelection, Operations},
};
use crate::{
    decode::RowMode,
    dialect::FilterDialect,
    local_filter::LocalComparison,
    select::{ConnectionArgs, OrderStyle},
};

/// Sets up a [`GraphqlApi`].
///
/// Every setting has a default, so [`build`](Self::build) cannot fail; what is
/// not a GraphQL name is refused when a document is rendered.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use vantage_graphql::{FilterDialect, GraphqlApi};
///
/// let api = GraphqlApi::builder("https://api.example/graphql")
///     .auth("Bearer s3cret")
///     .max_parallel(2)
///     .request_timeout(Duration::from_secs(10))
///     .dialect(FilterDialect::Hasura)
///     .response_path("edges.node")
///     .build();
/// assert_eq!(api.response_path(), ["edges", "node"]);
/// assert!(!format!("{api:?}").contains("s3cret"));
/// ```
#[derive(Clone, Debug)]
#[must_use = "a builder does nothing until `build`"]
pub struct GraphqlApiBuilder {
    transport: TransportSettings,
    settings: Settings,
}

impl GraphqlApiBuilder {
    pub(super) fn new(endpoint: String) -> Self {
        let transport = TransportSettings::new();
        let settings = Settings {
            shown_endpoint: transport.masked().url(&endpoint),
            endpoint,
            dialect: FilterDialect::default(),
            filter_arg: None,
            filter_type: FilterType::default(),
            root_args: None,
            response_path: Vec::new(),
            supports: Supports::default(),
            count_field: None,
            error_codes: None,
            connection: None,
            order_style: OrderStyle::default(),
            operations: Operations::default(),
            row_mode: RowMode::default(),
            local_comparison: LocalComparison::default(),
            column_check: ColumnCheck::default(),
            empty_selection: EmptySelection::default(),
        };
        Self { transport, settings }
    }

    /// Limits requests in flight; 0 is taken as 1. Default: 4.
    pub fn max_parallel(self, limit: usize) -> Self {
        self.transport(|transport| transport.max_parallel(limit))
    }

    /// Limits requests per second. Default: no limit.
    pub fn rate_limit(self, per_second: f64) -> Self {
        self.transport(|transport| transport.rate_limit(per_second))
    }

    /// Ends an attempt after `timeout`, its body included. Default: 30 s. The
    /// last timeout setting wins; none has an effect on a client given with
    /// [`http_client`](Self::http_client).
    pub fn request_timeout(self, timeout: Duration) -> Self {
        self.transport(|transport| transport.request_timeout(timeout))
    }

    /// Lets an attempt take as long as it takes.
    pub fn no_request_timeout(self) -> Self {
        self.transport(TransportSettings::no_request_timeout)
    }

    /// Reports every attempt to `observer` under `key`. Default: none.
    pub fn observer(self, key: impl Into<Arc<str>>, observer: Arc<dyn TransportObserver>) -> Self {
        self.transport(|transport| transport.observer(key, observer))
    }

    /// Sends through `client`, used as it is. Default: one made on first use.
    pub fn http_client(self, client: reqwest::Client) -> Self {
        self.transport(|transport| transport.http_client(client))
    }

    /// The same as [`http_client`](Self::http_client).
    pub fn client(self, client: reqwest::Client) -> Self {
        self.http_client(client)
    }

    /// Sends `value` as the whole `Authorization` header. Replaces a refresher
    /// and a source. Default: none.
    pub fn auth(self, value: impl Into<String>) -> Self {
        self.transport(|transport| transport.auth(value))
    }

    /// Obtains a bearer token on first use and after a 401. Replaces a fixed
    /// value and a source.
    pub fn auth_refresher(self, refresher: AuthRefresher) -> Self {
        self.transport(|transport| transport.auth_refresher(refresher))
    }

    /// Asks `source` for a bearer token before every attempt; for `None`, none
    /// is sent. Replaces a fixed value and a refresher.
    pub fn bearer_source(self, source: BearerSource) -> Self {
        self.transport(|transport| transport.bearer_source(source))
    }

    /// Decides what is masked in URLs that are shown. Default: user-info and
    /// values of credential-like query keys.
    pub fn redaction(self, redaction: Redaction) -> Self {
        self.transport(|transport| transport.redaction(redaction))
    }

    /// Has the last word on the client's settings: queue bounds, budgets,
    /// another breaker.
    pub fn tune<F>(self, tune: F) -> Self
    where
        F: Fn(api_pool::ResilientClientBuilder) -> api_pool::ResilientClientBuilder
            + Send
            + Sync
            + 'static,
    {
        self.transport(|transport| transport.tune(tune))
    }

    /// How the server spells filters. Default: [`FilterDialect::Generic`].
    pub fn dialect(self, dialect: FilterDialect) -> Self {
        self.setting(|settings| settings.dialect = dialect)
    }

    /// The argument a filter goes into. Default: `where` for
    /// [`FilterDialect::Hasura`], `find` for [`FilterDialect::Generic`].
    pub fn filter_arg_name(self, name: impl Into<String>) -> Self {
        self.setting(|settings| settings.filter_arg = Some(name.into()))
    }

    /// Literal arguments of every root field, in object order. Anything but an
    /// object is ignored. Default: none.
    pub fn root_args(self, args: Json) -> Self {
        self.setting(|settings| settings.root_args = Some(args))
    }

    /// Where the rows are below a root field, as dotted segments; empty ones
    /// are dropped. Default: the root field is the list.
    pub fn response_path(self, path: impl AsRef<str>) -> Self {
        self.setting(|settings| settings.response_path = segments(path.as_ref()))
    }

    /// What the server can do. Default: what its dialect suggests.
    pub fn supports(self, supports: Supports) -> Self {
        self.setting(|settings| settings.supports = supports)
    }

    /// The aggregate field that counts. Default: `<root>_aggregate`.
    pub fn count_field(self, name: impl Into<String>) -> Self {
        self.setting(|settings| settings.count_field = Some(name.into()))
    }

    /// Treats error codes in a 200 as the status they mean. Default: a response
    /// with errors is final, whatever they are.
    pub fn error_codes(self, codes: ErrorCodes) -> Self {
        self.setting(|settings| settings.error_codes = Some(codes))
    }

    /// Reads root fields as connections, page by page: up to
    /// [`page_size`](Self::page_size) rows after the cursor of the last page,
    /// until the server says that none follow. Rows are at `edges.node`
    /// unless [`response_path`](Self::response_path) says otherwise. Default:
    /// off.
    pub fn connection(self, args: ConnectionArgs) -> Self {
        self.paging(|paging| paging.args = args)
    }

    /// The rows a page of a connection asks for. Default: 100.
    pub fn page_size(self, rows: NonZeroU32) -> Self {
        self.paging(|paging| paging.page_size = rows)
    }

    /// The pages one listing of a connection may read before it fails: a
    /// server that never ends must not hang its caller. Default: 10,000.
    pub fn max_pages(self, pages: NonZeroU32) -> Self {
        self.paging(|paging| paging.max_pages = pages)
    }

    /// Sends filters as variables of the dialect's type for them,
    /// `<root>_bool_exp!` for [`FilterDialect::Hasura`], so that a document's
    /// text does not depend on values. A dialect without such a type keeps
    /// filters inline. Default: inline.
    pub fn filter_variables(self) -> Self {
        self.setting(|settings| settings.filter_type = FilterType::Derived)
    }

    /// Sends filters as variables of the input type `name`. Default: inline.
    pub fn filter_type(self, name: impl Into<String>) -> Self {
        self.setting(|settings| settings.filter_type = FilterType::Named(name.into()))
    }

    /// How several orders are spelled. Default: [`OrderStyle::Merged`].
    pub fn order_style(self, style: OrderStyle) -> Self {
        self.setting(|settings| settings.order_style = style)
    }

    /// Names every operation after the root field it reads, and sends the name
    /// as `operationName`. Default: unnamed.
    pub fn named_operations(self) -> Self {
        self.setting(|settings| settings.operations = Operations::Named)
    }

    /// What happens to rows that do not fit. Default: [`RowMode::Strict`].
    pub fn row_mode(self, mode: RowMode) -> Self {
        self.setting(|settings| settings.row_mode = mode)
    }

    /// How values compare where conditions are applied to fetched rows.
    /// Default: [`LocalComparison::Structural`].
    pub fn local_comparison(self, comparison: LocalComparison) -> Self {
        self.setting(|settings| settings.local_comparison = comparison)
    }

    /// Refuses a Vista's conditions on columns it does not declare. Default:
    /// they are sent, for the server to know.
    pub fn strict_columns(self) -> Self {
        self.setting(|settings| settings.column_check = ColumnCheck::Declared)
    }

    /// Selects the field `id` for a table without columns. Default: reading
    /// one is an error, since a selection cannot be empty.
    pub fn select_id_by_default(self) -> Self {
        self.setting(|settings| settings.empty_selection = EmptySelection::Id)
    }

    /// Builds the API. Opens no connection.
    #[must_use]
    pub fn build(self) -> GraphqlApi {
        let Self { transport, mut settings } = self;
        settings.shown_endpoint = transport.masked().url(&settings.endpoint);
        if settings.connection.is_some() && settings.response_path.is_empty() {
            settings.response_path = segments("edges.node");
        }
        GraphqlApi {
            client: transport.client(),
            auth: transport.credentials().clone(),
            settings: Arc::new(settings),
        }
    }

    fn transport(self, set: impl FnOnce(TransportSettings) -> TransportSettings) -> Self {
        Self { transport: set(self.transport), ..self }
    }

    fn setting(mut self, set: impl FnOnce(&mut Settings)) -> Self {
        set(&mut self.settings);
        self
    }

    fn paging(self, set: impl FnOnce(&mut ConnectionPaging)) -> Self {
        self.setting(|settings| {
            set(settings.connection.get_or_insert_default());
        })
    }
}

/// The segments of a dotted path, empty ones left out.
pub(crate) fn segments(path: &str) -> Vec<String> {
    path.split('.').filter(|segment| !segment.is_empty()).map(str::to_owned).collect()
}
