//! The transport half of an adapter's builder.

use std::{fmt, sync::Arc, time::Duration};

use api_pool::{
    AuthRefresher, BearerSource, ResilientClient, ResilientClientBuilder, TransportObserver,
};

use crate::{auth::Auth, redact::Redaction};

/// How an adapter talks to its API: the settings both adapters' builders take.
///
/// # Examples
///
/// ```
/// use vantage_transport::TransportSettings;
///
/// let settings = TransportSettings::new().max_parallel(2).auth("Bearer s3cret");
/// assert!(!format!("{settings:?}").contains("s3cret"));
/// let client = settings.client();
/// assert_eq!(client.in_flight(), 0);
/// ```
#[derive(Clone)]
pub struct TransportSettings {
    max_parallel: usize,
    rate_limit: Option<f64>,
    timeout: Timeout,
    observer: Option<(Arc<str>, Arc<dyn TransportObserver>)>,
    http_client: Option<reqwest::Client>,
    auth: Auth,
    redaction: Redaction,
    tune: Option<Tune>,
}

type Tune = Arc<dyn Fn(ResilientClientBuilder) -> ResilientClientBuilder + Send + Sync>;

#[derive(Clone, Copy, Debug)]
enum Timeout {
    ClientDefault,
    After(Duration),
    Never,
}

impl TransportSettings {
    /// Four requests at a time, no credentials, the client's own timeout.
    #[must_use]
    pub fn new() -> Self {
        Self {
            max_parallel: 4,
            rate_limit: None,
            timeout: Timeout::ClientDefault,
            observer: None,
            http_client: None,
            auth: Auth::None,
            redaction: Redaction::new(),
            tune: None,
        }
    }

    /// Limits requests in flight; 0 is taken as 1. Default: 4.
    #[must_use]
    pub fn max_parallel(self, limit: usize) -> Self {
        Self { max_parallel: limit, ..self }
    }

    /// Limits requests per second. Default: no limit.
    #[must_use]
    pub fn rate_limit(self, per_second: f64) -> Self {
        Self { rate_limit: Some(per_second), ..self }
    }

    /// Ends an attempt after `timeout`, its body included. Default: 30 s. The
    /// last timeout setting wins; none has an effect on a client given with
    /// [`http_client`](Self::http_client).
    #[must_use]
    pub fn request_timeout(self, timeout: Duration) -> Self {
        Self { timeout: Timeout::After(timeout), ..self }
    }

    /// Lets an attempt take as long as it takes.
    #[must_use]
    pub fn no_request_timeout(self) -> Self {
        Self { timeout: Timeout::Never, ..self }
    }

    /// Reports every attempt to `observer` under `key`.
    #[must_use]
    pub fn observer(self, key: impl Into<Arc<str>>, observer: Arc<dyn TransportObserver>) -> Self {
        Self { observer: Some((key.into(), observer)), ..self }
    }

    /// Sends through `client`, used as it is. Default: one made on first use.
    #[must_use]
    pub fn http_client(self, client: reqwest::Client) -> Self {
        Self { http_client: Some(client), ..self }
    }

    /// Sends `value` as the whole `Authorization` header. Replaces a refresher
    /// and a source.
    #[must_use]
    pub fn auth(self, value: impl Into<String>) -> Self {
        Self { auth: Auth::Fixed(value.into()), ..self }
    }

    /// Obtains a bearer token on first use and after a 401. Replaces a fixed
    /// value and a source.
    #[must_use]
    pub fn auth_refresher(self, refresher: AuthRefresher) -> Self {
        Self { auth: Auth::Refresher(refresher), ..self }
    }

    /// Asks `source` for a bearer token before every attempt. Replaces a fixed
    /// value and a refresher.
    #[must_use]
    pub fn bearer_source(self, source: BearerSource) -> Self {
        Self { auth: Auth::Source(source), ..self }
    }

    /// Decides what is masked in URLs that are shown.
    #[must_use]
    pub fn redaction(self, redaction: Redaction) -> Self {
        Self { redaction, ..self }
    }

    /// Has the last word on the client's settings: queue bounds, budgets,
    /// another breaker.
    #[must_use]
    pub fn tune<F>(self, tune: F) -> Self
    where
        F: Fn(ResilientClientBuilder) -> ResilientClientBuilder + Send + Sync + 'static,
    {
        Self { tune: Some(Arc::new(tune)), ..self }
    }

    /// The credentials' source.
    #[must_use]
    pub fn credentials(&self) -> &Auth {
        &self.auth
    }

    /// What is masked in URLs that are shown.
    #[must_use]
    pub fn masked(&self) -> &Redaction {
        &self.redaction
    }

    /// A client with these settings and the default breaker. Opens no
    /// connection.
    #[must_use]
    pub fn client(&self) -> ResilientClient {
        let mut builder =
            ResilientClient::builder().max_parallel(self.max_parallel).default_breaker();
        if let Some(per_second) = self.rate_limit {
            builder = builder.rate_limit(per_second);
        }
        builder = match self.timeout {
            Timeout::ClientDefault => builder,
            Timeout::After(timeout) => builder.request_timeout(timeout),
            Timeout::Never => builder.no_request_timeout(),
        };
        if let Some((key, observer)) = &self.observer {
            builder = builder.observer(key.clone(), observer.clone());
        }
        if let Some(client) = &self.http_client {
            builder = builder.http_client(client.clone());
        }
        if let Auth::Refresher(refresher) = &self.auth {
            builder = builder.bearer_auth(refresher.clone());
        }
        if let Some(tune) = &self.tune {
            builder = tune(builder);
        }
        builder.build()
    }
}

impl Default for TransportSettings {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for TransportSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TransportSettings")
            .field("max_parallel", &self.max_parallel)
            .field("rate_limit", &self.rate_limit)
            .field("timeout", &self.timeout)
            .field("observer", &self.observer.as_ref().map(|(key, _)| key))
            .field("auth", &self.auth)
            .finish_non_exhaustive()
    }
}
