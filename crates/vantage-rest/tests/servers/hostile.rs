//! Whatever a server answers, a read ends: with rows, or with an error that
//! says what is wrong.

use std::{
    num::NonZeroUsize,
    sync::atomic::{AtomicUsize, Ordering},
};

use futures_util::TryStreamExt;
use mockito::{Matcher, Server, ServerGuard};
use serde_json::{Value, json};
use vantage_dataset::prelude::ReadableValueSet;
use vantage_rest::{FilterStrategy, PaginationParams, RestApi, RestApiBuilder, eq_condition};
use vantage_table::prelude::Table;
use vantage_types::EmptyEntity;

use crate::server;

type Things = Table<RestApi, EmptyEntity>;

fn things(api: RestApiBuilder) -> Things {
    Table::new("things", api.build()).with_id_column("id").with_column_of::<String>("kind")
}

/// Answers the n-th request with `answer(n)`, whatever it asks.
async fn answering(answer: impl Fn(usize) -> Value + Send + Sync + 'static) -> ServerGuard {
    let mut server = Server::new_async().await;
    let asked = AtomicUsize::new(0);
    let mock = server.mock("GET", Matcher::Any).with_body_from_request(move |_| {
        answer(asked.fetch_add(1, Ordering::Relaxed)).to_string().into_bytes()
    });
    mock.create_async().await;
    server
}

fn page(ids: std::ops::Range<usize>, total: Option<usize>) -> Value {
    let rows: Vec<Value> = ids.map(|id| json!({"id": id, "kind": "a"})).collect();
    match total {
        Some(total) => json!({"data": rows, "total": total}),
        None => json!({"data": rows}),
    }
}

fn paged(server: &ServerGuard) -> RestApiBuilder {
    RestApi::builder(server.url())
        .pagination_params(PaginationParams::default())
        .page_size(NonZeroUsize::new(10).unwrap())
        .max_requests(NonZeroUsize::new(50).unwrap())
}

async fn stream(table: &Things) -> Result<usize, String> {
    let rows: Result<Vec<_>, _> = table.stream_values().try_collect().await;
    rows.map(|rows| rows.len()).map_err(|e| e.message().to_owned())
}

#[tokio::test]
async fn a_server_that_ignores_paging_is_read_once() {
    let server = answering(|_| page(0..10, None)).await;
    assert_eq!(stream(&things(paged(&server))).await, Ok(10));
    let filtered = paged(&server).filter_strategy(FilterStrategy::Client);
    let vista = filtered.clone().build().vista_factory();
    let table = things(filtered).with_condition(eq_condition("kind", "nothing"));
    let vista = vista.from_table(table).unwrap();
    assert!(vista.fetch_window(0, 10).await.unwrap().rows.is_empty());
}

#[tokio::test]
async fn a_server_that_repeats_its_first_page_of_many_is_an_error() {
    let server = answering(|_| page(0..10, Some(100))).await;
    let repeated = Err("API repeats a page of rows".to_owned());
    assert_eq!(stream(&things(paged(&server).total_key("total"))).await, repeated);
    let listed = things(paged(&server).total_key("total")).list_values().await;
    assert_eq!(listed.unwrap_err().message(), "API repeats a page of rows");
}

#[tokio::test]
async fn a_total_that_lies_ends_with_the_rows() {
    let server = answering(|n| page(10 * n..10 * n + if n < 3 { 10 } else { 0 }, Some(9999))).await;
    assert_eq!(stream(&things(paged(&server).total_key("total"))).await, Ok(30));
}

#[tokio::test]
async fn a_set_that_never_ends_is_an_error_at_the_cap() {
    let server = answering(|n| page(10 * n..10 * n + 10, Some(10 * n + 100))).await;
    let capped = Err("API read needs more requests than allowed".to_owned());
    assert_eq!(stream(&things(paged(&server).total_key("total"))).await, capped);
}

fn cursors(server: &ServerGuard) -> RestApiBuilder {
    paged(server).pagination_params(PaginationParams::cursor("c", "n", "next"))
}

#[tokio::test]
async fn a_cursor_that_leads_back_is_an_error() {
    let server = answering(|n| {
        let mut page = page(10 * n..10 * n + 10, None);
        page["next"] = json!(format!("c{}", n % 3));
        page
    });
    let looped = Err("API repeats a cursor".to_owned());
    assert_eq!(stream(&things(cursors(&server.await))).await, looped);
}

#[tokio::test]
async fn fresh_cursors_to_empty_pages_end_at_the_cap() {
    let server = answering(|n| json!({"data": [], "next": n}));
    let capped = Err("API read needs more requests than allowed".to_owned());
    assert_eq!(stream(&things(cursors(&server.await))).await, capped);
}

#[tokio::test]
async fn a_link_to_another_origin_is_not_followed() {
    let mut server = Server::new_async().await;
    let link = r#"<http://evil.example/things?page=2>; rel="next""#;
    let mock = server.mock("GET", Matcher::Any).with_header("link", link);
    mock.with_body(page(0..10, None).to_string()).create_async().await;
    let api = paged(&server).pagination_params(PaginationParams::link_header("n"));
    let refused = Err("API links to another origin".to_owned());
    assert_eq!(stream(&things(api)).await, refused);
}

/// What the demo server's broken answers read as.
#[tokio::test]
async fn every_broken_answer_is_an_error_that_names_the_url() {
    let server = server();
    for (kind, message) in [
        ("bad-utf8", "Failed to parse API response as JSON"),
        ("cut-off", "Failed to parse API response as JSON"),
        ("deep", "Failed to parse API response as JSON"),
        ("duplicate-ids", "Two rows in the response share an id"),
        ("empty", "Failed to parse API response as JSON"),
        ("error-html", "API request failed"),
        ("html", "Failed to parse API response as JSON"),
        ("no-content", "Failed to parse API response as JSON"),
        ("not-objects", "API data item is not an object"),
        ("null", "Response missing array under wrapper key"),
        ("redirect-loop", "API request failed"),
        ("scalar", "Response missing array under wrapper key"),
        ("text", "Failed to parse API response as JSON"),
        ("wrong-key", "Response missing array under wrapper key"),
    ] {
        let api = RestApi::new(server.url());
        let table = Table::<_, EmptyEntity>::new(format!("broken/{kind}"), api);
        let err = table.with_id_column("id").list_values().await.unwrap_err();
        assert_eq!(err.message(), message, "{kind}: {err}");
        if kind != "duplicate-ids" {
            assert!(err.context["url"].contains(kind), "{kind}: {err}");
        }
    }
}

#[tokio::test]
async fn odd_but_readable_answers_are_read() {
    let server = server();
    let read = async |kind: &str| {
        let api = RestApi::new(server.url());
        let table = Table::<_, EmptyEntity>::new(format!("broken/{kind}"), api);
        table.with_id_column("id").get_value("1").await.unwrap().unwrap()
    };
    read("bom").await;
    let big = read("big-numbers").await;
    assert_eq!(big["amount"], "12345678901234567890.123456789".into());
    assert_eq!(big["serial"], "123456789012345678901234567890".into());
}

#[tokio::test]
async fn a_base_url_that_is_none_is_a_final_error_that_names_it() {
    let table = things(RestApi::builder("not a url"));
    let read = vantage_core::Priority::Essential.scope(table.list_values());
    let err = read.await.unwrap_err().to_string();
    assert!(
        err.contains(r#"url: "not a url/things""#) && err.contains(r#"kind: "request""#),
        "{err}"
    );
}
