//! The one place a read is sent from.

use api_pool::{CallPolicy, ReadResponse};
use ciborium::Value as Cbor;
use reqwest::header::HeaderMap;
use vantage_core::{Result, VantageError, error};
use vantage_transport::{Authorization, RedactedUrl, log_failure, request_error, snippet};

use super::RestApi;
use crate::{
    clock,
    config::{Announce, TotalSource},
    decode, json,
};

/// A read slower than this is logged where everybody sees it.
const SLOW_MS: u128 = 1000;

/// Characters of a body that go into the context of an error about it.
const SNIPPET_CHARS: usize = 200;

/// One GET.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Get<'a> {
    pub(crate) url: &'a str,
    pub(crate) table: &'a str,
    pub(crate) purpose: Purpose,
}

/// What a GET is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Rows,
    Count,
}

/// A 2xx answer, its body read as JSON.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) body: Cbor,
    pub(crate) headers: HeaderMap,
    url: RedactedUrl,
}

impl Answer {
    /// The size of the whole set, where this answer tells it.
    pub(crate) fn total(&self, source: Option<&TotalSource>) -> Option<u64> {
        match source? {
            TotalSource::Key(key) => decode::total(&self.body, key),
            TotalSource::Header(name) => self.headers.get(name)?.to_str().ok()?.trim().parse().ok(),
        }
    }

    /// `error`, naming the URL this answer came from.
    pub(crate) fn blame(url: &RedactedUrl, mut error: VantageError) -> VantageError {
        error.context.insert("url".to_owned(), format!("{:?}", url.as_str()));
        error
    }

    /// Takes the body out, with the URL it came from.
    pub(crate) fn into_body(self) -> (Cbor, RedactedUrl) {
        (self.body, self.url)
    }
}

impl RestApi {
    /// Sends `get` with `authorization` and reads its body: this adapter's only call for a read.
    ///
    /// # Errors
    ///
    /// "API request failed".
    async fn fetch_raw_body(
        &self,
        get: Get<'_>,
        authorization: &Authorization,
        policy: &CallPolicy,
    ) -> Result<ReadResponse> {
        let url = self.redaction().url(get.url);
        let count_probe = get.purpose == Purpose::Count;
        match (self.config().announce, get.purpose) {
            (Announce::Loudly, Purpose::Rows) => {
                tracing::info!(table = get.table, %url, count_probe, "REST GET");
            }
            _ => tracing::debug!(table = get.table, %url, count_probe, "REST GET"),
        }
        let started = clock::now();
        let sent = self
            .client()
            .execute_read(policy, |http| authorization.attach(http.get(get.url)))
            .await;
        let ms = started.elapsed().as_millis();
        if ms >= SLOW_MS {
            tracing::info!(table = get.table, %url, ms, count_probe, "slow REST GET");
        } else {
            tracing::debug!(table = get.table, %url, ms, count_probe, "REST GET done");
        }
        sent.map_err(|error| {
            log_failure(&url, &error);
            request_error("API request failed", &url, &error)
        })
    }

    /// Sends `get` and parses its body.
    ///
    /// # Errors
    ///
    /// "API request failed", or "Failed to parse API response as JSON" with
    /// the parser's words, the status and the start of the body, in which the
    /// tokens that were sent are not shown.
    pub(crate) async fn fetch_json(&self, get: Get<'_>, policy: &CallPolicy) -> Result<Answer> {
        let authorization = self.credentials().authorization()?;
        let response = self.fetch_raw_body(get, &authorization, policy).await?;
        let url = self.redaction().url(get.url);
        let body = json::parse(response.body()).map_err(|parse| {
            let detail = if response.body().is_empty() {
                "the response has no body".to_owned()
            } else {
                parse.to_string()
            };
            let start = snippet(response.body(), SNIPPET_CHARS);
            error!(
                "Failed to parse API response as JSON",
                detail = detail,
                url = url.as_str(),
                status = response.status(),
                snippet = self.client().redact(start, &authorization.attached())
            )
        })?;
        Ok(Answer { body, headers: response.headers().clone(), url })
    }
}
