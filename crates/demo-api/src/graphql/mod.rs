//! The same tables over GraphQL, in two spellings.

mod fields;
mod flat;
mod hasura;
mod like;
mod predicate;
mod relay;

use std::sync::{Arc, LazyLock};

use async_graphql::{Request, dynamic::Schema};
use axum::{
    Json,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use bytes::Bytes;

use crate::{routes::problem, shared::Shared};

static FLAT: LazyLock<Schema> = LazyLock::new(|| flat::schema().expect("a sound schema"));
static HASURA: LazyLock<Schema> = LazyLock::new(|| hasura::schema().expect("a sound schema"));

/// Answers in the spelling of plain servers: equality as arguments, Relay connections.
pub(crate) async fn flat(State(shared): State<Arc<Shared>>, body: Bytes) -> Response {
    answer(&FLAT, shared, &body).await
}

/// Answers in Hasura's spelling: `where`, `order_by` and aggregates.
pub(crate) async fn hasura(State(shared): State<Arc<Shared>>, body: Bytes) -> Response {
    answer(&HASURA, shared, &body).await
}

/// Errors of the document are part of a 200; only a body that is no request is a 400.
async fn answer(schema: &Schema, shared: Arc<Shared>, body: &[u8]) -> Response {
    match serde_json::from_slice::<Request>(body) {
        Ok(request) => Json(schema.execute(request.data(shared)).await).into_response(),
        Err(_) => problem(StatusCode::BAD_REQUEST, "the body is not a GraphQL request"),
    }
}
