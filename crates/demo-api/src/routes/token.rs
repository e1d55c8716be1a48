//! The token endpoint, and the check of tokens on all data.

use std::sync::Arc;

use axum::{
    Json,
    extract::{Request, State},
    http::{
        HeaderMap, HeaderValue, StatusCode,
        header::{AUTHORIZATION, WWW_AUTHENTICATE},
    },
    middleware::Next,
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use serde_json::{Value, json};

use super::problem;
use crate::{shared::Shared, tokens::Denied};

/// Issues a token: without a body to anyone, with `{"refresh_token": …}` for that token.
pub(super) async fn issue(State(shared): State<Arc<Shared>>, body: Bytes) -> Response {
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let refresh = body.get("refresh_token").and_then(Value::as_str);
    let Ok(issued) = shared.issue_token(refresh) else {
        return problem(StatusCode::UNAUTHORIZED, "the refresh token is not valid");
    };
    Json(json!({
        "access_token": issued.access,
        "token_type": "Bearer",
        "expires_in_ms": issued.lifetime.and_then(|time| u64::try_from(time.as_millis()).ok()),
        "refresh_token": issued.refresh,
    }))
    .into_response()
}

/// Lets a request through if tokens are not required or it carries a good one.
pub(super) async fn authorize(
    State(shared): State<Arc<Shared>>,
    request: Request,
    next: Next,
) -> Response {
    match shared.accept_token(bearer(request.headers())) {
        Ok(()) => next.run(request).await,
        Err(Denied::Missing) => unauthorized("Bearer", "a token is needed"),
        Err(Denied::Invalid) => {
            unauthorized("Bearer error=\"invalid_token\"", "the token is not valid")
        }
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token)
}

fn unauthorized(challenge: &'static str, message: &str) -> Response {
    let mut response = problem(StatusCode::UNAUTHORIZED, message);
    response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
    response
}
