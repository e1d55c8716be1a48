//! Settings of credentials.

use std::sync::Arc;

use http::header::AUTHORIZATION;

use super::ResilientClientBuilder;
#[cfg(feature = "anyhow")]
use crate::auth::AuthRefresher;
use crate::auth::{Credentials, TokenSource};
use crate::transport::Transport;

impl<T: Transport> ResilientClientBuilder<T> {
    /// Sends `Authorization: Bearer <token>` with tokens from `refresher`, in place of any
    /// `Authorization` that the caller put on the request.
    #[cfg(feature = "anyhow")]
    pub fn bearer_auth(self, refresher: AuthRefresher) -> Self {
        self.auth(refresher, AUTHORIZATION.as_str(), "Bearer ")
    }

    /// Sends `header` with the value `scheme` immediately followed by a token from `refresher`, in
    /// place of any field of that name that the caller put on the request.
    ///
    /// The default HTTP client takes it to the request's origin alone. One that is
    /// [given](Self::http_client) follows redirects as its owner set it up, and reqwest
    /// takes a field such as `X-Api-Key` along to other hosts: give one that
    /// [follows none](Self::http_client_without_redirects).
    #[cfg(feature = "anyhow")]
    pub fn auth(
        mut self,
        refresher: AuthRefresher,
        header: impl Into<String>,
        scheme: impl Into<String>,
    ) -> Self {
        let source = crate::auth::from_refresher(refresher);
        self.credentials = Some(Credentials::new(source, header, scheme));
        self
    }

    /// Sends `Authorization: Bearer <token>` with tokens from `source`, which is asked for the
    /// first one by the first call that needs it, and for another before the last one expires or
    /// when the server answers 401: once, however many calls wait for it. It takes the place of
    /// any `Authorization` that the caller put on the request.
    ///
    /// Closures are sources too.
    ///
    /// # Examples
    ///
    /// ```
    /// use api_pool::ResilientClient;
    ///
    /// let client = ResilientClient::builder()
    ///     .bearer_tokens(|| async { Ok::<_, std::io::Error>("a token".to_owned()) })
    ///     .build();
    /// # drop(client);
    /// ```
    pub fn bearer_tokens(self, source: impl TokenSource + 'static) -> Self {
        self.tokens(source, AUTHORIZATION.as_str(), "Bearer ")
    }

    /// Sends `header` with the value `scheme` immediately followed by a token from `source`, in
    /// place of any field of that name that the caller put on the request. A name or value that is
    /// no valid header ends a call with [`ErrorKind::Request`](crate::ErrorKind::Request).
    ///
    /// The default HTTP client takes it to the request's origin alone. One that is
    /// [given](Self::http_client) follows redirects as its owner set it up, and reqwest
    /// takes a field such as `X-Api-Key` along to other hosts: give one that
    /// [follows none](Self::http_client_without_redirects).
    pub fn tokens(
        mut self,
        source: impl TokenSource + 'static,
        header: impl Into<String>,
        scheme: impl Into<String>,
    ) -> Self {
        self.credentials = Some(Credentials::new(Arc::new(source), header, scheme));
        self
    }
}
