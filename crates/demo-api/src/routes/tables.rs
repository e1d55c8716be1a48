//! Listings and single rows.

use core::hash::{Hash, Hasher};
use std::{hash::DefaultHasher, sync::Arc};

use axum::{
    Extension, Json, Router,
    extract::{OriginalUri, Path, Query as Params},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header::LINK},
    response::{IntoResponse, Response},
    routing::get,
};
use serde_json::{Map, Value};

use super::problem;
use crate::{
    config::{ExpiredCursor, Totals},
    cursor::CursorError,
    data::{Row, Table},
    paging::{Window, with_params},
    query::Query,
    shape::Shape,
    shared::Shared,
};

const TOTAL: HeaderName = HeaderName::from_static("x-total-count");

/// How the listings under one prefix look.
#[derive(Clone, Debug, Default)]
pub(super) struct Style {
    shape: Shape,
    paging: Places,
}

/// How a listing names its parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Places {
    Cursors,
    #[default]
    Numbers,
}

impl Style {
    pub(super) fn of(shape: Shape) -> Self {
        Self { shape, paging: Places::Numbers }
    }

    pub(super) fn cursor() -> Self {
        Self { shape: Shape::default(), paging: Places::Cursors }
    }
}

type Pairs = Vec<(String, String)>;

/// A listing as it was asked for.
struct Listing {
    shared: Arc<Shared>,
    style: Style,
    url: String,
    path: String,
    params: Pairs,
}

pub(super) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/airports", get(airports))
        .route("/airports/{iata}", get(airport))
        .route("/airports/{iata}/flights", get(flights_from))
        .route("/flights", get(flights))
        .route("/flights/{id}", get(flight))
}

async fn airports(listing: Listing) -> Response {
    listing.answer(Table::airports(), &listing.query(Table::airports()))
}

async fn flights(listing: Listing) -> Response {
    listing.answer(Table::flights(), &listing.query(Table::flights()))
}

async fn flights_from(Path(iata): Path<String>, listing: Listing) -> Response {
    if Table::airports().find(&iata).is_none() {
        return problem(StatusCode::NOT_FOUND, "no such airport");
    }
    let query = listing.query(Table::flights()).with_equal("origin", &iata);
    listing.answer(Table::flights(), &query)
}

async fn airport(Path(iata): Path<String>) -> Response {
    single(Table::airports().find(&iata))
}

async fn flight(Path(id): Path<String>) -> Response {
    single(Table::flights().find(&id))
}

fn single(row: Option<&Row>) -> Response {
    match row {
        Some(row) => Json(row).into_response(),
        None => problem(StatusCode::NOT_FOUND, "no such row"),
    }
}

impl axum::extract::FromRequestParts<Arc<Shared>> for Listing {
    type Rejection = Response;

    async fn from_request_parts(
        parts: &mut axum::http::request::Parts,
        shared: &Arc<Shared>,
    ) -> Result<Self, Response> {
        let extracted = (
            Extension::<Style>::from_request_parts(parts, shared).await,
            OriginalUri::from_request_parts(parts, shared).await,
            Params::<Pairs>::from_request_parts(parts, shared).await,
        );
        let (Ok(Extension(mut style)), Ok(OriginalUri(uri)), Ok(Params(params))) = extracted else {
            return Err(problem(StatusCode::BAD_REQUEST, "the query is not readable"));
        };
        if let Some((_, shape)) = params.iter().find(|(name, _)| name == "shape") {
            style.shape = Shape::read(shape);
        }
        if params.iter().any(|(name, _)| name == "cursor") {
            style.paging = Places::Cursors;
        }
        let path = uri.path().to_owned();
        let url = format!("{}{path}", shared.url);
        Ok(Self { shared: Arc::clone(shared), style, url, path, params })
    }
}

impl Listing {
    fn query(&self, table: &Table) -> Query {
        Query::read(table, &self.params)
    }

    fn answer(&self, table: &Table, query: &Query) -> Response {
        let window = match Window::read(&self.shared.config.paging, &self.params) {
            Ok(window) => window,
            Err(message) => return problem(StatusCode::BAD_REQUEST, &message),
        };
        let rows = query.run(table.rows());
        match self.style.paging {
            Places::Numbers => {
                let paging = &self.shared.config.paging;
                let links = window.links(paging, &self.url, &self.params, rows.len());
                self.send(table, &rows, window, Map::new(), links)
            }
            Places::Cursors => self.by_cursor(table, &rows, window),
        }
    }

    fn by_cursor(&self, table: &Table, rows: &[&Row], window: Window) -> Response {
        let scope = self.scope();
        let cursor = self.params.iter().find(|(name, value)| name == "cursor" && !value.is_empty());
        let offset = match cursor {
            None => 0,
            Some((_, text)) => match self.shared.open_cursor(text, scope) {
                Ok(offset) => offset,
                Err(CursorError::Expired(ExpiredCursor::Gone)) => {
                    return problem(StatusCode::GONE, "the cursor has expired");
                }
                Err(CursorError::Expired(ExpiredCursor::ServerError)) => {
                    return problem(StatusCode::INTERNAL_SERVER_ERROR, "internal error");
                }
                Err(CursorError::Unknown) => {
                    return problem(StatusCode::BAD_REQUEST, "the cursor is not known");
                }
            },
        };
        let window = Window { offset, ..window };
        let end = offset.saturating_add(window.limit);
        let next = (end < rows.len()).then(|| self.shared.issue_cursor(end, scope));
        let links = next.clone().map(|cursor| {
            let target = with_params(&self.url, &self.params, &[("cursor", cursor)]);
            format!("<{target}>; rel=\"next\"")
        });
        let extras = Map::from_iter([("next_cursor".to_owned(), Value::from(next))]);
        self.send(table, rows, window, extras, links)
    }

    fn send(
        &self,
        table: &Table,
        rows: &[&Row],
        window: Window,
        mut extras: Map<String, Value>,
        links: Option<String>,
    ) -> Response {
        let total = rows.len();
        let mut headers = HeaderMap::new();
        if self.shared.config.totals != Totals::Nowhere {
            headers.insert(TOTAL, total.into());
        }
        if self.shared.config.totals == Totals::Everywhere {
            extras.insert("total".to_owned(), total.into());
        }
        if let Some(links) = links.and_then(|links| HeaderValue::try_from(links).ok()) {
            headers.insert(LINK, links);
        }
        let part = rows.iter().skip(window.offset).take(window.limit);
        let part = part.map(|row| Value::Object((*row).clone())).collect();
        (headers, Json(self.style.shape.wrap(table.name(), part, &extras))).into_response()
    }

    /// A number for this path and these filters: a cursor is good for no other listing.
    fn scope(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.path.hash(&mut hasher);
        let limit = self.shared.config.paging.limit.as_str();
        for (name, value) in &self.params {
            if name != "cursor" && name != limit {
                (name, value).hash(&mut hasher);
            }
        }
        hasher.finish()
    }
}
