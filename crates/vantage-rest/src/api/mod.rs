//! [`RestApi`]: one JSON API, as a Vantage data source.

use std::{fmt, sync::Arc};

use api_pool::{BearerSource, BreakerState, ResilientClient};
use vantage_transport::{Auth, Redaction};

use crate::config::{Config, OrderingParams, TotalSource};

mod builder;
mod fetch;
mod http_request;
mod request;

pub use builder::RestApiBuilder;
pub(crate) use fetch::{Answer, Get, Purpose};
pub use request::RestRequest;

/// A JSON API whose collections read as Vantage tables.
///
/// A clone is cheap and shares the client: its breaker, queue, rate limit and
/// token. Build one per API and clone it into every table.
///
/// # Examples
///
/// ```no_run
/// use vantage_dataset::prelude::ReadableValueSet;
/// use vantage_rest::{ResponseShape, RestApi, eq_condition};
/// use vantage_table::prelude::Table;
/// use vantage_types::EmptyEntity;
///
/// # async fn read() -> vantage_core::Result<()> {
/// let api = RestApi::builder("https://api.example.com")
///     .response_shape(ResponseShape::BareArray)
///     .build();
/// let albums = Table::<_, EmptyEntity>::new("albums", api)
///     .with_id_column("id")
///     .with_column_of::<String>("title")
///     .with_condition(eq_condition("userId", 7));
/// for (id, album) in albums.list_values().await? {
///     println!("{id}: {album:?}");
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct RestApi {
    config: Arc<Config>,
    client: ResilientClient,
    auth: Auth,
    redaction: Redaction,
}

impl RestApi {
    /// An API with every default: rows under `data`, no credentials, no paging.
    #[must_use]
    pub fn new(base_url: impl Into<String>) -> Self {
        Self::builder(base_url).build()
    }

    /// Starts the settings of the API at `base_url`.
    pub fn builder(base_url: impl Into<String>) -> RestApiBuilder {
        RestApiBuilder::new(base_url.into())
    }

    /// The key of the grand total in a response, if one is configured.
    #[must_use]
    pub fn total_key(&self) -> Option<&str> {
        match &self.config.total {
            Some(TotalSource::Key(key)) => Some(key),
            _ => None,
        }
    }

    /// The parameter that orders a listing, if one is configured.
    #[must_use]
    pub fn ordering(&self) -> Option<&OrderingParams> {
        self.config.ordering.as_ref()
    }

    /// The state of the client's breaker.
    #[must_use]
    pub fn breaker_state(&self) -> Option<BreakerState> {
        self.client.breaker_state()
    }

    /// The client every request goes through.
    #[must_use]
    pub fn client(&self) -> &ResilientClient {
        &self.client
    }

    /// The base URL, as it was given.
    #[must_use]
    pub fn base_url(&self) -> &str {
        &self.config.base_url
    }

    /// A clone that asks `source` for its bearer token before every attempt.
    ///
    /// `None` from the source sends no `Authorization` header, also where this
    /// API has a fixed one; a 401 is final. The header that a refresher on the
    /// shared client adds stays.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::Arc;
    /// use vantage_rest::RestApi;
    ///
    /// let api = RestApi::builder("https://api.example.com").auth("Bearer service").build();
    /// let for_user = api.with_bearer_source(Arc::new(|| Some("user token".to_owned())));
    /// assert!(!format!("{for_user:?}").contains("user token"));
    /// ```
    #[must_use]
    pub fn with_bearer_source(&self, source: BearerSource) -> Self {
        Self { auth: Auth::Source(source), ..self.clone() }
    }

    pub(crate) fn from_parts(
        config: Config,
        client: ResilientClient,
        auth: Auth,
        redaction: Redaction,
    ) -> Self {
        Self { config: Arc::new(config), client, auth, redaction }
    }

    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    /// This API with other settings, over the same client.
    pub(crate) fn with_config(&self, config: Config) -> Self {
        Self { config: Arc::new(config), ..self.clone() }
    }

    pub(crate) fn credentials(&self) -> &Auth {
        &self.auth
    }

    pub(crate) fn redaction(&self) -> &Redaction {
        &self.redaction
    }
}

impl fmt::Debug for RestApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let config = &self.config;
        f.debug_struct("RestApi")
            .field("base_url", &self.redaction.url(&config.base_url).as_str())
            .field("auth", &self.auth)
            .field("response_shape", &config.shape)
            .field("pagination_params", &config.params)
            .field("filter_strategy", &config.filters)
            .field("total", &config.total)
            .field("ordering", &config.ordering)
            .field("client", &self.client)
            .finish_non_exhaustive()
    }
}
