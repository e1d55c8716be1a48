//! Sending: the one request site of the crate.

use api_pool::ReadResponse;
use bytes::Bytes;
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use serde::Serialize;
use serde_json::{Map, Value as Json};
use vantage_core::{Result, VantageError, error};
use vantage_transport::{current_policy, log_failure, request_error};

use super::{GraphqlApi, GraphqlErrors};
use crate::select::{GraphqlSelect, RenderedQuery};

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// The body of a request.
#[derive(Serialize)]
struct Body<'a> {
    query: &'a str,
    variables: &'a Map<String, Json>,
    #[serde(rename = "operationName", skip_serializing_if = "Option::is_none")]
    operation_name: Option<&'a str>,
}

impl GraphqlApi {
    /// Posts a document and returns the response's `data`, null if there is
    /// none.
    ///
    /// The body is `{"query": …, "variables": {…}}`. The retry policy is that
    /// of the current [`Priority`](crate::Priority).
    ///
    /// # Errors
    ///
    /// If no 2xx response arrived; if its body is no JSON; if it carries
    /// `errors`, whose details [`GraphqlErrors::of`] gives, with `…` for a token
    /// that was sent and that they repeat.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future drops the request in flight, or the wait before the
    /// next attempt. Whether the server acted on a dropped request is unknown.
    pub async fn post_graphql(&self, query: &str, variables: &Map<String, Json>) -> Result<Json> {
        self.post(&Body { query, variables, operation_name: None }).await
    }

    /// Posts what `select` rendered to.
    pub(crate) async fn post_rendered(
        &self,
        select: &GraphqlSelect,
        rendered: &RenderedQuery,
    ) -> Result<Json> {
        let RenderedQuery { query, variables } = rendered;
        let operation_name = select.operation_name();
        self.post(&Body { query, variables, operation_name }).await
    }

    async fn post(&self, body: &Body<'_>) -> Result<Json> {
        let body = serde_json::to_vec(body).map_err(|failure| {
            error!("Failed to write GraphQL request as JSON", detail = failure.to_string())
        })?;
        let body = Bytes::from(body);
        let authorization = self.auth().authorization()?;
        let endpoint = self.endpoint();
        let build = |http: &reqwest::Client| {
            let request = http.post(endpoint).header(CONTENT_TYPE, JSON).body(body.clone());
            authorization.attach(request)
        };
        let policy = current_policy();
        let sent = match &self.settings().error_codes {
            None => self.client().execute_read(&policy, build).await,
            Some(codes) => {
                let judge = |answer: &ReadResponse| codes.status(answer.body());
                self.client().execute_judged(&policy, build, judge).await
            }
        };
        let response = sent.map_err(|failure| {
            log_failure(self.shown_endpoint(), &failure);
            self.located(request_error("GraphQL request failed", self.shown_endpoint(), &failure))
        })?;
        let json = serde_json::from_slice(response.body()).map_err(|failure| {
            let url = self.shown_endpoint().as_str();
            let status = response.status();
            self.located(error!(
                "Failed to parse GraphQL response as JSON",
                detail = failure.to_string(),
                url = url,
                status = status
            ))
        })?;
        GraphqlErrors::split(json).map_err(|reported| {
            let sent = authorization.attached();
            reported.redacted(|text| self.client().redact(text, &sent)).into_error(self)
        })
    }

    /// `error` with the endpoint in its context.
    fn located(&self, mut error: VantageError) -> VantageError {
        let endpoint = self.shown_endpoint().as_str();
        error.context.insert("endpoint".to_owned(), format!("{endpoint:?}"));
        error
    }
}
