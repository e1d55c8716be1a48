//! The settings of a [`RestApi`].

use std::{fmt, num::NonZeroUsize, sync::Arc, time::Duration};

use api_pool::{AuthRefresher, BearerSource, ResilientClientBuilder, TransportObserver};
use vantage_transport::{Redaction, TransportSettings};
use vantage_vista::FilterOp;

use super::RestApi;
use crate::config::{
    Announce, Config, FilterParam, FilterStrategy, ItemLookup, Listing, OrderingParams,
    PaginationParams, Paging, ResponseShape, TotalSource,
};

/// Builds a [`RestApi`].
///
/// # Examples
///
/// ```
/// use vantage_rest::{PaginationParams, RestApi};
///
/// let api = RestApi::builder("https://api.example.com/v1")
///     .pagination_params(PaginationParams::skip_limit("offset", "limit"))
///     .total_key("total")
///     .rate_limit(10.0)
///     .build();
/// assert_eq!(api.total_key(), Some("total"));
/// ```
#[derive(Clone)]
#[must_use = "a builder does nothing until it is built"]
pub struct RestApiBuilder {
    config: Config,
    transport: TransportSettings,
}

impl RestApiBuilder {
    pub(super) fn new(base_url: String) -> Self {
        Self { config: Config::new(base_url), transport: TransportSettings::new() }
    }

    fn configure(mut self, set: impl FnOnce(&mut Config)) -> Self {
        set(&mut self.config);
        self
    }

    fn transport(self, set: impl FnOnce(TransportSettings) -> TransportSettings) -> Self {
        Self { transport: set(self.transport), ..self }
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
    /// last timeout setting wins; with [`http_client`](Self::http_client) none
    /// has an effect.
    pub fn request_timeout(self, timeout: Duration) -> Self {
        self.transport(|transport| transport.request_timeout(timeout))
    }

    /// Lets an attempt take as long as it takes.
    pub fn no_request_timeout(self) -> Self {
        self.transport(TransportSettings::no_request_timeout)
    }

    /// Reports every attempt to `observer` under `key`.
    pub fn observer(self, key: impl Into<Arc<str>>, observer: Arc<dyn TransportObserver>) -> Self {
        self.transport(|transport| transport.observer(key, observer))
    }

    /// Sends through `client`, used as it is. Default: one made on first use.
    pub fn http_client(self, client: reqwest::Client) -> Self {
        self.transport(|transport| transport.http_client(client))
    }

    /// Sends `value` as the whole `Authorization` header. Replaces a refresher
    /// and a source.
    pub fn auth(self, value: impl Into<String>) -> Self {
        self.transport(|transport| transport.auth(value))
    }

    /// Obtains a bearer token on first use and after a 401. Replaces a fixed
    /// value and a source.
    pub fn auth_refresher(self, refresher: AuthRefresher) -> Self {
        self.transport(|transport| transport.auth_refresher(refresher))
    }

    /// Asks `source` for a bearer token before every attempt; `None` sends no
    /// `Authorization` header. Replaces a fixed value and a refresher.
    pub fn bearer_source(self, source: BearerSource) -> Self {
        self.transport(|transport| transport.bearer_source(source))
    }

    /// Decides what is masked where a URL is shown. Default: user-info and the
    /// values of credential-like query keys.
    pub fn redaction(self, redaction: Redaction) -> Self {
        self.transport(|transport| transport.redaction(redaction))
    }

    /// Has the last word on the client: queue bounds, another breaker.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use vantage_rest::RestApi;
    ///
    /// let api = RestApi::builder("https://api.example.com")
    ///     .tune_client(|client| client.circuit_breaker(3, Duration::from_secs(1)))
    ///     .build();
    /// ```
    pub fn tune_client<F>(self, tune: F) -> Self
    where
        F: Fn(ResilientClientBuilder) -> ResilientClientBuilder + Send + Sync + 'static,
    {
        self.transport(|transport| transport.tune(tune))
    }

    /// Says where the rows are in a body. Default: under `data`.
    pub fn response_shape(self, shape: ResponseShape) -> Self {
        self.configure(|config| config.shape = shape)
    }

    /// Names the paging parameters, and says that the API pages. Default:
    /// `_page` and `_limit`, sent only for a window a table asks for.
    pub fn pagination_params(self, params: PaginationParams) -> Self {
        self.configure(|config| {
            config.params = params;
            if config.paging == Paging::Undeclared {
                config.paging = Paging::Declared;
            }
        })
    }

    /// Never sends paging parameters: the first window is whatever one request
    /// returns, and every other window is empty.
    pub fn no_pagination(self) -> Self {
        self.configure(|config| config.paging = Paging::Off)
    }

    /// Says who applies equality conditions. Default: the server.
    pub fn filter_strategy(self, strategy: FilterStrategy) -> Self {
        self.configure(|config| config.filters = strategy)
    }

    /// Says under which key, or dotted path, a body holds the size of the whole
    /// set. Counts then cost one request, and a listing that returned less
    /// reads on.
    pub fn total_key(self, key: impl Into<String>) -> Self {
        self.configure(|config| config.total = Some(TotalSource::Key(key.into())))
    }

    /// Says which response header holds the size of the whole set, such as
    /// `X-Total-Count`. Replaces [`total_key`](Self::total_key).
    pub fn total_header(self, name: impl Into<String>) -> Self {
        self.configure(|config| config.total = Some(TotalSource::Header(name.into())))
    }

    /// Names the parameter that orders a listing; every column is then
    /// orderable.
    pub fn ordering(self, ordering: OrderingParams) -> Self {
        self.configure(|config| config.ordering = Some(ordering))
    }

    /// Lists with one request, also where the total says that there is more.
    pub fn one_request_listings(self) -> Self {
        self.configure(|config| config.listing = Listing::OneRequest)
    }

    /// Asks for one row as `GET <table>/<id>` instead of picking it from the
    /// listing. A 404 is "no such row".
    pub fn items_by_path(self) -> Self {
        self.configure(|config| config.item = ItemLookup::Path)
    }

    /// Names the parameter the server searches by; tables then take searches.
    pub fn search_param(self, param: impl Into<String>) -> Self {
        self.configure(|config| config.search_param = Some(param.into()))
    }

    /// Names the parameter by which the server keeps rows with `column op
    /// value`. Comparisons without one are applied to the rows it returned;
    /// equality without one is sent under the column's own name.
    ///
    /// # Examples
    ///
    /// ```
    /// use vantage_rest::RestApi;
    /// use vantage_vista::FilterOp;
    ///
    /// let api = RestApi::builder("https://api.example.com")
    ///     .filter_param("delay", FilterOp::Gte, "delay_gte")
    ///     .filter_param("delay", FilterOp::Lte, "delay_lte")
    ///     .build();
    /// ```
    pub fn filter_param(
        self,
        column: impl Into<String>,
        op: FilterOp,
        param: impl Into<String>,
    ) -> Self {
        let declared = FilterParam { column: column.into(), op, param: param.into() };
        self.configure(|config| config.filter_params.push(declared))
    }

    /// Rows asked for per request where nobody said how many: by streams, and
    /// by walks over filtered sets. Default: 100.
    pub fn page_size(self, rows: NonZeroUsize) -> Self {
        self.configure(|config| config.page_size = rows.get())
    }

    /// The most rows the server puts on a page, whatever it is asked for: a
    /// larger window then takes several requests. Default: unknown; learnt
    /// from a short page where a total is told.
    pub fn max_page_size(self, rows: NonZeroUsize) -> Self {
        self.configure(|config| config.max_page_size = Some(rows.get()))
    }

    /// The most requests of one read. Default: 100,000.
    pub fn max_requests(self, requests: NonZeroUsize) -> Self {
        self.configure(|config| config.max_requests = requests.get())
    }

    /// Pages a stream requests ahead, once the total is known. Each takes the
    /// memory of a page. Default: 0.
    pub fn prefetch(self, pages: usize) -> Self {
        self.configure(|config| config.prefetch = pages)
    }

    /// Logs every URL before it is sent. Default: false.
    pub fn debug(self, loudly: bool) -> Self {
        let announce = if loudly { Announce::Loudly } else { Announce::Quietly };
        self.configure(|config| config.announce = announce)
    }

    /// Builds the API, with the default breaker. Opens no connection.
    #[must_use]
    pub fn build(self) -> RestApi {
        let client = self.transport.client();
        let auth = self.transport.credentials().clone();
        let redaction = self.transport.masked().clone();
        RestApi::from_parts(self.config, client, auth, redaction)
    }
}

impl fmt::Debug for RestApiBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let base_url = self.transport.masked().url(&self.config.base_url);
        f.debug_struct("RestApiBuilder")
            .field("base_url", &base_url.as_str())
            .field("transport", &self.transport)
            .field("response_shape", &self.config.shape)
            .finish_non_exhaustive()
    }
}
