//! Spans by the names of OpenTelemetry.

use tracing::Span;
use tracing::field::Empty;

use super::TransportObserver;
use super::attempt::{AttemptInfo, AttemptObserver};
use crate::event::TransportEvent;

/// Opens a `tracing` span for each request that is sent, with the field names that OpenTelemetry
/// has for HTTP clients, and closes it when the attempt ends.
///
/// The span is named `http_client_request`, has the level `INFO` and is a child of the caller's
/// current one. Its fields are:
///
/// | Field | Value |
/// |---|---|
/// | `otel.name` | the method |
/// | `otel.kind` | `client` |
/// | `api_pool.key` | the key of the client |
/// | `http.request.method` | the method, `_OTHER` for one that no standard names |
/// | `url.scheme` | `http` or `https` |
/// | `server.address`, `server.port` | where the request goes |
/// | `http.request.resend_count` | from the second attempt on: how often the call was sent before |
/// | `http.response.status_code` | where there was a response |
/// | `error.type` | on failure: the status, or [`ErrorKind::name`](crate::ErrorKind::name); `cancelled` |
/// | `otel.status_code` | `ERROR` on failure |
///
/// Path, query, header fields and bodies are never recorded. Where no subscriber wants the span,
/// nothing is made.
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
/// use api_pool::{ResilientClient, Spans};
///
/// let client = ResilientClient::builder().observer("airports", Arc::new(Spans)).build();
/// # drop(client);
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "it has no settings, and is written as a value")]
pub struct Spans;

impl TransportObserver for Spans {
    fn on_event(&self, _: &str, _: TransportEvent) {}

    fn on_attempt(&self, key: &str, attempt: &AttemptInfo<'_>) -> Option<Box<dyn AttemptObserver>> {
        let span = tracing::info_span!(
            "http_client_request",
            otel.name = standard(attempt.method()),
            otel.kind = "client",
            api_pool.key = key,
            http.request.method = standard(attempt.method()),
            url.scheme = attempt.address().scheme,
            server.address = attempt.address().host,
            server.port = attempt.address().port,
            http.request.resend_count = Some(attempt.resend_count()).filter(|&before| before > 0),
            http.response.status_code = Empty,
            "error.type" = Empty,
            otel.status_code = Empty,
        );
        if span.is_disabled() { None } else { Some(Box::new(Open { span })) }
    }
}

/// Bounds the number of names: a method is free text.
fn standard(method: &str) -> &'static str {
    const STANDARD: [&str; 10] =
        ["CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE"];
    STANDARD.into_iter().find(|name| *name == method).unwrap_or("_OTHER")
}

/// A span that closes when its attempt ends.
struct Open {
    span: Span,
}

impl AttemptObserver for Open {
    fn ended(self: Box<Self>, event: &TransportEvent) {
        let span = &self.span;
        match event {
            TransportEvent::Succeeded { status, .. } => {
                span.record("http.response.status_code", *status);
            }
            TransportEvent::Failed { error, .. } => {
                match error.status() {
                    Some(status) => {
                        span.record("http.response.status_code", status);
                        span.record("error.type", tracing::field::display(status));
                    }
                    None => {
                        span.record("error.type", error.kind_name());
                    }
                }
                span.record("otel.status_code", "ERROR");
            }
            _ => {
                span.record("error.type", "cancelled");
            }
        }
    }
}
