//! Answers with what it was sent, so that a test can see the request as the server saw it.

use std::sync::Arc;

use axum::{
    Json,
    extract::{OriginalUri, State},
    http::{HeaderMap, HeaderValue, Method},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use serde_json::{Map, Value, json};

use crate::shared::Shared;

/// Processes the request, which counts as a write unless its method only reads.
pub(super) async fn answer(
    State(shared): State<Arc<Shared>>,
    method: Method,
    OriginalUri(uri): OriginalUri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if ![Method::GET, Method::HEAD, Method::OPTIONS].contains(&method) {
        shared.counters.wrote(headers.get("idempotency-key").map(HeaderValue::as_bytes));
    }
    let mut lines = Map::new();
    for (name, value) in &headers {
        let line = String::from_utf8_lossy(value.as_bytes()).into_owned();
        let values = lines.entry(name.as_str()).or_insert_with(|| json!([]));
        if let Value::Array(values) = values {
            values.push(line.into());
        }
    }
    let json: Option<Value> = serde_json::from_slice(&body).ok();
    Json(json!({
        "method": method.as_str(),
        "path": uri.path(),
        "query": uri.query(),
        "headers": lines,
        "body": String::from_utf8_lossy(&body),
        "json": json,
    }))
    .into_response()
}
