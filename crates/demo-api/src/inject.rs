//! The outermost layer: counts each request, draws its fault and carries it out.

use std::{io, sync::Arc, time::Duration};

use axum::{
    Json,
    body::{Body, to_bytes},
    extract::{ConnectInfo, MatchedPath, Request, State},
    http::{
        HeaderValue, StatusCode,
        header::{CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER, TRANSFER_ENCODING},
        uri::PathAndQuery,
    },
    middleware::Next,
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use serde_json::json;

use crate::{
    connection::{Connection, Cut},
    faults::{Fault, Refusal},
    shared::Shared,
    stats::Outcome,
};

/// The pieces of a slow body.
const PIECES: usize = 8;

/// A piece of an endless body.
static FILLER: [u8; 16 * 1024] = [b'x'; 16 * 1024];

pub(crate) async fn inject(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(connection): ConnectInfo<Connection>,
    request: Request,
    next: Next,
) -> Response {
    let route = request.extensions().get::<MatchedPath>().map_or("(none)", MatchedPath::as_str);
    // Over HTTP/2 the URI is absolute; the line is the same over both versions.
    let target = request.uri().path_and_query().map_or("/", PathAndQuery::as_str);
    let line = format!("{} {target}", request.method());
    let arrival = shared.counters.arrive(route, line);
    let Some(fault) = shared.draw(request.uri().path()) else {
        let response = next.run(request).await;
        arrival.settle(Outcome::Status(response.status()));
        return response;
    };
    match fault {
        Fault::Close => {
            arrival.settle(Outcome::Closed);
            connection.cut(Cut::Close);
            nobody_reads_this()
        }
        Fault::EndlessBody(status) => {
            arrival.settle(Outcome::Endless);
            endless(status, shared)
        }
        Fault::GraphqlError(code) => {
            arrival.settle(Outcome::Status(StatusCode::OK));
            graphql_error(&code)
        }
        Fault::Hang => {
            arrival.settle(Outcome::Hung);
            shared.closed().await;
            connection.cut(Cut::Close);
            nobody_reads_this()
        }
        Fault::Late(pause) => {
            shared.pause(pause).await;
            let response = next.run(request).await;
            arrival.settle(Outcome::Status(response.status()));
            response
        }
        Fault::Refuse(refusal) => {
            arrival.settle(Outcome::Status(refusal.status()));
            refuse(&refusal)
        }
        Fault::Reset => {
            arrival.settle(Outcome::Reset);
            connection.cut(Cut::Reset);
            nobody_reads_this()
        }
        Fault::ResetAfter => {
            let _ = next.run(request).await;
            arrival.settle(Outcome::ResetAfter);
            connection.cut(Cut::Reset);
            nobody_reads_this()
        }
        Fault::ServerError => {
            // `decide` resolves this one; a plan that does not is answered all the same.
            arrival.settle(Outcome::Status(StatusCode::INTERNAL_SERVER_ERROR));
            refuse(&Refusal::new(500))
        }
        Fault::SlowBody(pause) => {
            let response = next.run(request).await;
            arrival.settle(Outcome::Slow);
            slow(response, pause, shared).await
        }
        Fault::StalledBody => {
            let response = next.run(request).await;
            arrival.settle(Outcome::Stalled);
            half(response, async move { shared.closed().await }, connection).await
        }
        Fault::TruncatedBody => {
            let response = next.run(request).await;
            arrival.settle(Outcome::Truncated);
            // The half must be on the wire before the connection ends.
            half(response, tokio::task::yield_now(), connection).await
        }
    }
}

/// The answer on a connection that is cut before it is written.
fn nobody_reads_this() -> Response {
    StatusCode::INTERNAL_SERVER_ERROR.into_response()
}

fn refuse(refusal: &Refusal) -> Response {
    let body = format!("{{\"error\":\"injected {}\"}}", refusal.status().as_u16());
    let json = [(CONTENT_TYPE, HeaderValue::from_static("application/json"))];
    let mut response = (refusal.status(), json, body).into_response();
    for line in refusal.retry_after() {
        response.headers_mut().append(RETRY_AFTER, line.clone());
    }
    response
}

fn graphql_error(code: &str) -> Response {
    let error = json!({ "message": "injected", "extensions": { "code": code } });
    Json(json!({ "data": null, "errors": [error] })).into_response()
}

fn endless(status: StatusCode, shared: Arc<Shared>) -> Response {
    let pieces = stream::unfold(shared, |shared| async {
        tokio::task::yield_now().await;
        (!shared.is_closing()).then(|| (Ok::<_, io::Error>(Bytes::from_static(&FILLER)), shared))
    });
    (status, Body::from_stream(pieces)).into_response()
}

async fn slow(response: Response, pause: Duration, shared: Arc<Shared>) -> Response {
    let (mut head, body) = whole(response).await;
    head.headers.insert(CONTENT_LENGTH, body.len().into());
    let piece = body.len().div_ceil(PIECES).max(1);
    let pieces = stream::unfold((body, shared), move |(mut rest, shared)| async move {
        if rest.is_empty() {
            return None;
        }
        shared.pause(pause).await;
        let piece = rest.split_to(piece.min(rest.len()));
        Some((Ok::<_, io::Error>(piece), (rest, shared)))
    });
    Response::from_parts(head, Body::from_stream(pieces))
}

/// Announces the whole body, sends half of it, and closes when `end` resolves.
async fn half(
    response: Response,
    end: impl Future<Output = ()> + Send + 'static,
    connection: Connection,
) -> Response {
    let (mut head, mut body) = whole(response).await;
    head.headers.insert(CONTENT_LENGTH, body.len().max(1).into());
    let half = body.split_to(body.len() / 2);
    let cut = async move {
        end.await;
        connection.cut(Cut::Close);
        Err(io::Error::from(io::ErrorKind::ConnectionAborted))
    };
    let pieces = stream::iter([Ok(half)]).chain(stream::once(cut));
    Response::from_parts(head, Body::from_stream(pieces))
}

/// Splits a response whose body is complete in memory already.
async fn whole(response: Response) -> (axum::http::response::Parts, Bytes) {
    let (mut head, body) = response.into_parts();
    head.headers.remove(TRANSFER_ENCODING);
    let body = to_bytes(body, usize::MAX).await.unwrap_or_default();
    (head, body)
}
