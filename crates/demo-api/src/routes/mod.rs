//! The paths of the server.

mod broken;
mod echo;
mod tables;
mod token;

use std::sync::Arc;

use axum::{
    Extension, Json, Router,
    extract::State,
    http::StatusCode,
    middleware,
    response::{IntoResponse, Response},
    routing::{any, get, post},
};
use serde_json::json;

use self::tables::Style;
use crate::{graphql, inject, shape::Shape, shared::Shared};

/// The path of the token endpoint.
pub(crate) const TOKEN_PATH: &str = "/token";

/// All routes. The order of the layers is the order of a request: count and fault, then token.
pub(crate) fn router(shared: Arc<Shared>) -> Router {
    let mut data = tables::routes().layer(Extension(Style::default()));
    let prefixes = [
        ("/bare", Style::of(Shape::Bare)),
        ("/cursor", Style::cursor()),
        ("/nested", Style::of(Shape::Under("result.items".to_owned()))),
        ("/table", Style::of(Shape::TableName)),
    ];
    for (prefix, style) in prefixes {
        data = data.nest(prefix, tables::routes().layer(Extension(style)));
    }
    data.route("/broken/{kind}", get(broken::answer))
        .route("/graphql", post(graphql::flat))
        .route("/hasura/graphql", post(graphql::hasura))
        .route("/echo", any(echo::answer))
        .route("/echo/{*rest}", any(echo::answer))
        .route_layer(middleware::from_fn_with_state(Arc::clone(&shared), token::authorize))
        .route(TOKEN_PATH, post(token::issue))
        .fallback(not_found)
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), inject::inject))
        .route("/stats", get(stats))
        .with_state(shared)
}

async fn stats(State(shared): State<Arc<Shared>>) -> Response {
    Json(shared.counters.snapshot()).into_response()
}

async fn not_found() -> Response {
    problem(StatusCode::NOT_FOUND, "no such path")
}

/// An error answer with a JSON body.
pub(crate) fn problem(status: StatusCode, message: &str) -> Response {
    (status, Json(json!({ "error": message }))).into_response()
}
