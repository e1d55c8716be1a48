//! Answers that no table can be made of, one kind per path.

use axum::{
    extract::Path,
    http::{
        StatusCode,
        header::{CONTENT_TYPE, LOCATION},
    },
    response::{IntoResponse, Response},
};

use super::problem;

/// Depth of the deeply nested answer.
const DEPTH: usize = 100_000;

const HTML: &str = "<!doctype html><title>Sign in</title><p>Please sign in.";

/// The kinds are listed in the README.
pub(super) async fn answer(Path(kind): Path<String>) -> Response {
    match kind.as_str() {
        "bad-utf8" => json(b"{\"data\":[{\"id\":1,\"name\":\"\xff\xfe\"}]}".to_vec()),
        "big-numbers" => json(
            r#"{"data":[{"id":1,"amount":12345678901234567890.123456789,"serial":123456789012345678901234567890}],"total":1}"#,
        ),
        "bom" => json("\u{feff}{\"data\":[{\"id\":1}],\"total\":1}"),
        "cut-off" => json(r#"{"data":[{"id":1},{"id":"#),
        "deep" => json("[".repeat(DEPTH)),
        "duplicate-ids" => json(r#"{"data":[{"id":7},{"id":"7"}],"total":2}"#),
        "empty" => (StatusCode::OK, "").into_response(),
        "error-html" => html(StatusCode::BAD_GATEWAY),
        "html" => html(StatusCode::OK),
        "no-content" => StatusCode::NO_CONTENT.into_response(),
        "no-total" => json(r#"{"data":[{"id":1}],"total":"many"}"#),
        "not-objects" => json(r#"{"data":[1,2],"total":2}"#),
        "null" => json("null"),
        "redirect-loop" => {
            (StatusCode::FOUND, [(LOCATION, "/broken/redirect-loop")]).into_response()
        }
        "scalar" => json("42"),
        "text" => json("this is not JSON"),
        "wrong-key" => json(r#"{"rows":[{"id":1}],"total":1}"#),
        _ => problem(StatusCode::NOT_FOUND, "no such kind of broken answer"),
    }
}

fn json(body: impl IntoResponse) -> Response {
    ([(CONTENT_TYPE, "application/json")], body).into_response()
}

fn html(status: StatusCode) -> Response {
    (status, [(CONTENT_TYPE, "text/html; charset=utf-8")], HTML).into_response()
}
