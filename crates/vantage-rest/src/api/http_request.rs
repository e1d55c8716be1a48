//! Requests that are not table reads.

use api_pool::TransportEvent;
use reqwest::{Method, RequestBuilder, Response};
use serde_json::Value as Json;
use vantage_core::Result;
use vantage_transport::{current_policy, log_failure, request_error, request_headers};

use super::{RestApi, RestRequest};
use crate::lower;

/// Whether a success tells the observer that something was written.
#[derive(Clone, Copy)]
enum Effect {
    Reads,
    Writes,
}

impl RestApi {
    /// Sends any request of this API: base URL and `path` joined by one `/`,
    /// the configured credentials, then `headers` (a name replaces what was set
    /// under it), then `body` as JSON.
    ///
    /// The [`Priority`](vantage_core::Priority) of the task decides about
    /// retries, so under `Essential` a write is repeated too: give it an
    /// `Idempotency-Key`, or use [`send`](Self::send). A success of any method
    /// but `GET` is reported as [`TransportEvent::WritePushed`].
    ///
    /// # Errors
    ///
    /// "HTTP header name is not valid", "HTTP header value is not valid" or
    /// "Configured Authorization header value is not valid" before anything is
    /// sent; "API request failed" for a failure or a status that is not 2xx.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future drops the request or the wait before the next
    /// attempt; whether the server acted on a request in flight is unknown.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use reqwest::Method;
    /// use serde_json::json;
    /// use vantage_rest::RestApi;
    ///
    /// # async fn write(api: RestApi) -> vantage_core::Result<()> {
    /// let order = json!({"item": 7});
    /// let headers = [("Idempotency-Key", "order-1")];
    /// let response = api.http_request(Method::POST, "orders", &headers, Some(&order)).await?;
    /// assert!(response.status().is_success());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn http_request(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&Json>,
    ) -> Result<Response> {
        let headers = request_headers(headers)?;
        let effect = if method == Method::GET { Effect::Reads } else { Effect::Writes };
        self.send_raw(method, path, effect, |request| {
            let request = request.headers(headers.clone());
            match body {
                Some(body) => request.json(body),
                None => request,
            }
        })
        .await
    }

    /// Sends `request`, which may repeat a header, carry any body, and say that
    /// an unsafe method must not be repeated blindly.
    ///
    /// Only methods that are not safe (RFC 9110, section 9.2.1) count as
    /// writes. Otherwise as [`http_request`](Self::http_request).
    ///
    /// # Errors
    ///
    /// As [`http_request`](Self::http_request).
    ///
    /// # Cancel safety
    ///
    /// As [`http_request`](Self::http_request).
    pub async fn send(&self, request: &RestRequest) -> Result<Response> {
        let headers = request.checked_headers()?;
        let effect = if request.method().is_safe() { Effect::Reads } else { Effect::Writes };
        self.send_raw(request.method().clone(), request.path(), effect, |builder| {
            request.apply(builder, &headers)
        })
        .await
    }

    async fn send_raw(
        &self,
        method: Method,
        path: &str,
        effect: Effect,
        fill: impl Fn(RequestBuilder) -> RequestBuilder + Send + Sync,
    ) -> Result<Response> {
        let authorization = self.credentials().authorization()?;
        let url = lower::join(self.base_url(), path)?;
        let build = |http: &reqwest::Client| {
            fill(authorization.attach(http.request(method.clone(), url.as_str())))
        };
        let response = self.client().execute_with(&current_policy(), build).await;
        let response = response.map_err(|error| {
            let url = self.redaction().url(&url);
            log_failure(&url, &error);
            request_error("API request failed", &url, &error)
        })?;
        if matches!(effect, Effect::Writes) {
            self.client().report(TransportEvent::WritePushed);
        }
        Ok(response)
    }
}
