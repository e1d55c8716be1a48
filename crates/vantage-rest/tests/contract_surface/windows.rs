//! Ranges of rows.

use serde_json::{Value, json};
use vantage_dataset::prelude::ReadableValueSet;
use vantage_rest::{FilterStrategy, PaginationParams, RestApi, eq_condition};
use vantage_table::pagination::Pagination;
use vantage_vista::{Capability, Page, Vista};

use crate::support::{Api, user, users};

fn vista(api: RestApi) -> Vista {
    api.vista_factory().from_table(users(api.clone())).unwrap()
}

fn people(range: std::ops::Range<u32>) -> Value {
    range.map(|id| user(id, if id % 2 == 0 { "even" } else { "odd" })).collect()
}

fn keys(page: &Page) -> Vec<&str> {
    page.rows.iter().map(|(id, _)| id.as_str()).collect()
}

#[tokio::test]
async fn an_aligned_window_is_one_request() {
    let mut api = Api::new().await;
    api.answers("/users?_page=2&_limit=3", people(3..6)).await;
    let vista = vista(api.builder().pagination_params(PaginationParams::default()).build());
    assert!(vista.capabilities().has(Capability::Window));
    let page = vista.fetch_window(3, 3).await.unwrap();
    assert_eq!((keys(&page), page.total), (vec!["3", "4", "5"], None));
    api.assert().await;
}

#[tokio::test]
async fn a_misaligned_page_window_reads_the_two_pages_that_cover_it() {
    let mut api = Api::new().await;
    api.answers("/users?_page=2&_limit=3", people(3..6)).await;
    api.answers("/users?_page=3&_limit=3", people(6..9)).await;
    let vista = vista(api.builder().pagination_params(PaginationParams::default()).build());
    let page = vista.fetch_window(4, 3).await.unwrap();
    assert_eq!(keys(&page), ["4", "5", "6"]);
    api.assert().await;
}

#[tokio::test]
async fn a_skip_window_is_one_request_at_any_offset() {
    let mut api = Api::new().await;
    api.answers("/users?skip=4&take=3", people(4..7)).await;
    let params = PaginationParams::skip_limit("skip", "take");
    let vista = vista(api.builder().pagination_params(params).build());
    assert_eq!(keys(&vista.fetch_window(4, 3).await.unwrap()), ["4", "5", "6"]);
    api.assert().await;
}

#[tokio::test]
async fn the_total_comes_from_the_same_response() {
    let mut api = Api::new().await;
    let body = json!({"data": people(0..2), "total": 9});
    api.answers("/users?_page=1&_limit=2", body).await;
    let rest = RestApi::builder(api.url()).total_key("total").build();
    let page = vista(rest).fetch_window(0, 2).await.unwrap();
    assert_eq!((keys(&page), page.total), (vec!["0", "1"], Some(9)));
    api.assert().await;
}

#[tokio::test]
async fn a_short_page_without_a_total_is_the_end() {
    let mut api = Api::new().await;
    api.answers("/users?_page=1&_limit=10", people(0..4)).await;
    let vista = vista(api.builder().pagination_params(PaginationParams::default()).build());
    assert_eq!(vista.fetch_window(0, 10).await.unwrap().rows.len(), 4);
    api.assert().await;
}

#[tokio::test]
async fn a_short_page_with_more_rows_told_is_read_on() {
    let mut api = Api::new().await;
    let body = |rows| json!({"data": rows, "total": 7});
    api.answers("/users?_page=1&_limit=6", body(people(0..3))).await;
    api.answers("/users?_page=2&_limit=3", body(people(3..6))).await;
    let rest = RestApi::builder(api.url()).total_key("total").build();
    let page = vista(rest).fetch_window(0, 6).await.unwrap();
    assert_eq!(keys(&page), ["0", "1", "2", "3", "4", "5"]);
    api.assert().await;
}

#[tokio::test]
async fn an_id_seen_again_on_a_later_page_keeps_the_later_row() {
    let mut api = Api::new().await;
    api.answers("/users?_page=1&_limit=2", json!([user(1, "a"), user(2, "old")])).await;
    api.answers("/users?_page=2&_limit=2", json!([user(2, "new"), user(3, "a")])).await;
    let vista = vista(api.builder().pagination_params(PaginationParams::default()).build());
    let page = vista.fetch_window(1, 2).await.unwrap();
    assert_eq!(keys(&page), ["2"]);
    assert_eq!(page.rows[0].1["team"], ciborium::Value::from("new"));
}

#[tokio::test]
async fn a_filtered_window_is_assembled_from_the_servers_pages() {
    let mut api = Api::new().await;
    api.answers("/users?_page=1&_limit=2", people(0..2)).await;
    api.answers("/users?_page=2&_limit=2", people(2..4)).await;
    let rest = api.builder().pagination_params(PaginationParams::default());
    let rest = rest.filter_strategy(FilterStrategy::Client).build();
    let table = users(rest.clone()).with_condition(eq_condition("team", "even"));
    let vista = rest.vista_factory().from_table(table).unwrap();
    let page = vista.fetch_window(0, 2).await.unwrap();
    assert_eq!((keys(&page), page.total), (vec!["0", "2"], None));
    api.assert().await;
}

#[tokio::test]
async fn without_paging_only_the_first_window_has_rows() {
    let mut api = Api::new().await;
    api.answers("/users", people(0..5)).await;
    let mut table = users(api.builder().no_pagination().build());
    table.set_pagination(Some(Pagination::window(10, 10)));
    assert!(table.list_values().await.unwrap().is_empty(), "and nothing is sent for others");
    table.set_pagination(Some(Pagination::new(1, 10)));
    assert_eq!(table.list_values().await.unwrap().len(), 5);
    api.assert().await;
}

#[tokio::test]
async fn a_vista_without_windows_cuts_the_leading_one_from_its_listing() {
    let mut api = Api::new().await;
    api.answers("/users", people(0..5)).await;
    let vista = vista(api.build());
    assert!(!vista.capabilities().has(Capability::Window));
    let page = vista.fetch_window(0, 2).await.unwrap();
    assert_eq!((keys(&page), page.total), (vec!["0", "1"], Some(5)));
    assert!(vista.fetch_window(1, 2).await.unwrap_err().is_unsupported());
    api.assert().await;
}

#[tokio::test]
async fn a_window_of_no_rows_sends_nothing() {
    let api = Api::new().await;
    let vista = vista(api.builder().pagination_params(PaginationParams::default()).build());
    assert!(vista.fetch_window(0, 0).await.unwrap().rows.is_empty());
}

#[tokio::test]
async fn a_window_without_end_is_the_rest_of_the_set() {
    let mut api = Api::new().await;
    api.answers("/users?_page=1&_limit=100", people(0..7)).await;
    let vista = vista(api.builder().pagination_params(PaginationParams::default()).build());
    assert_eq!(vista.fetch_window(0, usize::MAX).await.unwrap().rows.len(), 7);
    api.assert().await;
}
