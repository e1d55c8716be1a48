//! A set is read whole, however the server pages it.

#![expect(clippy::unwrap_used, reason = "a test's helper fails the test")]

use std::num::NonZeroUsize;

use demo_api::{Config, DemoServer, Totals};
use futures_util::TryStreamExt;
use vantage_dataset::prelude::ReadableValueSet;
use vantage_rest::{PaginationParams, ResponseShape, RestApi, RestApiBuilder, eq_condition};
use vantage_table::{prelude::Table, traits::table_source::TableSource};
use vantage_types::EmptyEntity;

const AIRPORTS: usize = 3376;

fn server() -> DemoServer {
    DemoServer::start(Config::new()).unwrap()
}

fn airports(api: RestApi) -> Table<RestApi, EmptyEntity> {
    Table::new("airports", api)
        .with_id_column("iata")
        .with_column_of::<String>("name")
        .with_column_of::<String>("state")
}

fn rows(count: usize) -> NonZeroUsize {
    NonZeroUsize::new(count).unwrap()
}

async fn streamed(table: &Table<RestApi, EmptyEntity>) -> Vec<String> {
    table.stream_values().map_ok(|(id, _)| id).try_collect().await.unwrap()
}

/// The ids of the set, in the server's order.
fn expected() -> Vec<String> {
    demo_api::airports()
        .iter()
        .map(|row| row.get("iata").unwrap().as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn a_listing_that_returns_less_than_the_total_reads_on() {
    let server = server();
    let api = RestApi::builder(server.url()).total_key("total").build();
    let listed = airports(api).list_values().await.unwrap();
    assert_eq!(listed.into_keys().collect::<Vec<_>>(), expected());
    let requests = u64::try_from(AIRPORTS.div_ceil(30)).unwrap();
    assert_eq!(server.stats().requests(), requests);
}

#[tokio::test]
async fn one_request_listings_are_one_request() {
    let server = server();
    let api = RestApi::builder(server.url()).total_key("total").one_request_listings().build();
    assert_eq!(airports(api).list_values().await.unwrap().len(), 30);
    assert_eq!(server.stats().requests(), 1);
}

#[tokio::test]
async fn a_total_in_a_header_is_a_total() {
    let server = DemoServer::start(Config::new().totals(Totals::Header)).unwrap();
    let api = RestApi::builder(server.url()).total_header("X-Total-Count").build();
    let table = airports(api.clone());
    assert_eq!(table.list_values().await.unwrap().len(), AIRPORTS);
    assert_eq!(api.get_table_count(&table).await.unwrap(), AIRPORTS as i64);
}

async fn assert_streams(builder: RestApiBuilder, name: &str) {
    let table = Table::<_, EmptyEntity>::new(name, builder.build()).with_id_column("iata");
    assert_eq!(streamed(&table).await, expected(), "{name}");
}

#[tokio::test]
async fn every_way_of_paging_streams_the_whole_set() {
    let server = server();
    let api = || RestApi::builder(server.url()).page_size(rows(250));
    assert_streams(api().pagination_params(PaginationParams::default()), "airports").await;
    let by_offset = PaginationParams::skip_limit("_skip", "_limit");
    assert_streams(api().pagination_params(by_offset.clone()), "airports").await;
    let ahead = api().pagination_params(by_offset).total_key("total").prefetch(3);
    assert_streams(ahead, "airports").await;
    let by_cursor = PaginationParams::cursor("cursor", "_limit", "next_cursor");
    assert_streams(api().pagination_params(by_cursor), "cursor/airports").await;
    let by_link = PaginationParams::link_header("_limit");
    assert_streams(api().pagination_params(by_link), "airports").await;
    let nested = ResponseShape::Wrapped { array_key: "result.items".into() };
    let nested = api().response_shape(nested).pagination_params(PaginationParams::default());
    assert_streams(nested, "nested/airports").await;
}

#[tokio::test]
async fn a_stream_reads_past_a_page_size_the_server_caps() {
    let config = Config::new().totals(Totals::Nowhere).max_page_size(rows(40));
    let server = DemoServer::start(config).unwrap();
    let api = RestApi::builder(server.url()).pagination_params(PaginationParams::default());
    assert_streams(api, "airports").await;
}

#[tokio::test]
async fn conditions_narrow_the_set_on_the_server() {
    let server = server();
    let api = RestApi::builder(server.url()).total_key("total").build();
    let table = airports(api).with_condition(eq_condition("state", "MS"));
    let expected = demo_api::airports()
        .iter()
        .filter(|row| row.get("state").and_then(|state| state.as_str()) == Some("MS"))
        .count();
    assert_eq!(table.list_values().await.unwrap().len(), expected);
}
