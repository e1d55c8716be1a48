//! The data source: one GraphQL endpoint.

use std::{fmt, sync::Arc};

use api_pool::{BearerSource, BreakerState, ResilientClient};
use serde_json::Value as Json;
use vantage_transport::{Auth, RedactedUrl};

use crate::{dialect::FilterDialect, select::GraphqlSelect};

mod builder;
mod codes;
mod errors;
mod post;
mod settings;
mod supports;

pub use builder::GraphqlApiBuilder;
pub use codes::ErrorCodes;
pub use errors::{GraphqlErrors, ResponseError};
pub use supports::{CountMode, Supports};

pub(crate) use builder::segments;
pub(crate) use settings::{ColumnCheck, ConnectionPaging, FilterType, Settings};

/// A GraphQL endpoint whose root fields are tables.
///
/// Cheap to clone. All clones share one client: its queue, breaker, rate
/// limit and token. Requests are sent with the retry policy that the current
/// [`Priority`](crate::Priority) asks for.
///
/// # Examples
///
/// ```
/// use vantage_graphql::{FilterDialect, GraphqlApi};
/// use vantage_table::table::Table;
/// use vantage_types::EmptyEntity;
///
/// let api = GraphqlApi::builder("https://api.example/graphql")
///     .dialect(FilterDialect::Hasura)
///     .build();
/// let airports = Table::<_, EmptyEntity>::new("airports", api)
///     .with_id_column("code")
///     .with_column_of::<String>("name");
/// assert_eq!(airports.table_name(), "airports");
/// ```
#[derive(Clone)]
pub struct GraphqlApi {
    client: ResilientClient,
    auth: Auth,
    settings: Arc<Settings>,
}

impl GraphqlApi {
    /// The endpoint at `url`, with every setting at its default.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self::builder(url).build()
    }

    /// Sets up the endpoint at `url`.
    pub fn builder(url: impl Into<String>) -> GraphqlApiBuilder {
        GraphqlApiBuilder::new(url.into())
    }

    /// The endpoint's URL, as it was given.
    #[must_use]
    pub fn endpoint(&self) -> &str {
        &self.settings.endpoint
    }

    /// How the server spells filters.
    #[must_use]
    pub fn dialect(&self) -> FilterDialect {
        self.settings.dialect
    }

    /// Where the rows are below a root field.
    #[must_use]
    pub fn response_path(&self) -> &[String] {
        &self.settings.response_path
    }

    /// The arguments every root field gets.
    #[must_use]
    pub fn root_args(&self) -> Option<&Json> {
        self.settings.root_args.as_ref()
    }

    /// The breaker's state.
    #[must_use]
    pub fn breaker_state(&self) -> Option<BreakerState> {
        self.client.breaker_state()
    }

    /// The client all clones share.
    #[must_use]
    pub fn client(&self) -> &ResilientClient {
        &self.client
    }

    /// This API with `source` asked for a bearer token before every attempt,
    /// in place of the configured credentials.
    ///
    /// It shares the client, and so cannot take away the header that an
    /// `auth_refresher` of that client adds.
    #[must_use]
    pub fn with_bearer_source(&self, source: BearerSource) -> Self {
        Self { auth: Auth::Source(source), ..self.clone() }
    }

    /// A factory of Vistas over this API.
    #[must_use]
    pub fn vista_factory(&self) -> crate::vista::GraphqlApiVistaFactory {
        crate::vista::GraphqlApiVistaFactory::new(self.clone())
    }

    /// Whether conditions are sent; otherwise they are applied to the fetched
    /// rows.
    #[must_use]
    pub fn can_filter(&self) -> bool {
        self.settings.supports.filter.unwrap_or(true)
    }

    /// Whether an order is sent.
    #[must_use]
    pub fn can_order(&self) -> bool {
        self.settings.supports.order.unwrap_or_else(|| self.is_hasura())
    }

    /// Whether a quick search is sent.
    #[must_use]
    pub fn can_search(&self) -> bool {
        self.can_filter() && self.settings.supports.search.unwrap_or_else(|| self.is_hasura())
    }

    /// Whether conditions other than equality are sent.
    #[must_use]
    pub fn can_filter_operators(&self) -> bool {
        self.can_filter() && self.is_hasura()
    }

    /// Whether the server takes `limit` and `offset`.
    #[must_use]
    pub fn can_paginate(&self) -> bool {
        self.settings.supports.paginate.unwrap_or(false)
    }

    /// Whether `limit` and `offset` are sent: they are not beside conditions
    /// that the server does not apply.
    #[must_use]
    pub fn can_page(&self) -> bool {
        self.can_paginate() && self.can_filter()
    }

    /// Whether the server counts.
    pub(crate) fn counts_on_server(&self) -> bool {
        self.settings.supports.count == CountMode::Aggregate && self.can_filter_operators()
    }

    pub(crate) fn selects_id_by_default(&self) -> bool {
        self.settings.empty_selection == settings::EmptySelection::Id
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    pub(crate) fn auth(&self) -> &Auth {
        &self.auth
    }

    /// The endpoint as it may be shown.
    pub(crate) fn shown_endpoint(&self) -> &RedactedUrl {
        &self.settings.shown_endpoint
    }

    /// This API with other settings, over the same client.
    pub(crate) fn with_settings(&self, settings: Settings) -> Self {
        Self { settings: Arc::new(settings), ..self.clone() }
    }

    /// The aggregate field that counts the rows of `root`.
    pub(crate) fn count_field(&self, root: &str) -> String {
        self.settings.count_field.clone().unwrap_or_else(|| format!("{root}_aggregate"))
    }

    /// A select over `root`, spelled as this API's settings say, of nothing yet.
    pub(crate) fn bare_select(&self, root: &str) -> GraphqlSelect {
        let settings = &*self.settings;
        let mut select = self
            .spelled(GraphqlSelect::new())
            .with_root_field(root)
            .with_response_path(settings.response_path.clone());
        if let Some(args) = &settings.root_args {
            select = select.with_root_args(args.clone());
        }
        select = match &settings.filter_type {
            FilterType::Inline => select,
            FilterType::Named(name) => select.with_filter_variable(name.clone()),
            FilterType::Derived => match settings.dialect {
                FilterDialect::Hasura => select.with_filter_variable(format!("{root}_bool_exp!")),
                FilterDialect::Generic => select,
            },
        };
        match settings.operations {
            settings::Operations::Unnamed => select,
            settings::Operations::Named => select.with_operation_name(root),
        }
    }

    /// `select` for the first page, where root fields are connections.
    pub(crate) fn first_page(&self, select: GraphqlSelect) -> GraphqlSelect {
        match &self.settings.connection {
            Some(ConnectionPaging { args, page_size, .. }) => {
                select.with_connection_page(args.clone(), page_size.get().into(), None)
            }
            None => select,
        }
    }

    /// `select` in this API's dialect.
    pub(crate) fn spelled(&self, select: GraphqlSelect) -> GraphqlSelect {
        let select =
            select.with_dialect(self.settings.dialect).with_order_style(self.settings.order_style);
        match &self.settings.filter_arg {
            Some(name) => select.with_filter_arg_name(name.clone()),
            None => select,
        }
    }

    fn is_hasura(&self) -> bool {
        self.settings.dialect == FilterDialect::Hasura
    }
}

impl fmt::Debug for GraphqlApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GraphqlApi")
            .field("endpoint", &self.shown_endpoint().as_str())
            .field("dialect", &self.settings.dialect)
            .field("supports", &self.settings.supports)
            .field("auth", &self.auth)
            .field("client", &self.client)
            .finish_non_exhaustive()
    }
}
