//! A set is read whole, however the server pages it.

use std::num::NonZeroUsize;

use demo_api::{Config, DemoServer, Totals};
use futures_util::TryStreamExt;
use vantage_dataset::prelude::ReadableValueSet;
use vantage_rest::{PaginationParams, ResponseShape, RestApi, RestApiBuilder, eq_condition};
use vantage_table::{prelude::Table, traits::table_source::TableSource};
use vantage_types::EmptyEntity;

use crate::{all_codes, codes, server};

const AIRPORTS: usize = 3376;

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

#[tokio::test]
async fn a_listing_that_returns_less_than_the_total_reads_on() {
    let server = server();
    let api = RestApi::builder(server.url()).total_key("total").build();
    let listed = airports(api).list_values().await.unwrap();
    assert_eq!(listed.into_keys().collect::<Vec<_>>(), all_codes());
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
    assert_eq!(streamed(&table).await, all_codes(), "{name}");
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
    let expected = codes(|row| row.get("state").is_some_and(|state| state == "MS"));
    let listed = table.list_values().await.unwrap();
    assert_eq!(listed.into_keys().collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn a_stream_fetches_a_page_when_its_first_row_is_needed() {
    let server = server();
    let api = RestApi::builder(server.url()).page_size(rows(100)).total_key("total").build();
    let table = airports(api);
    let mut stream = table.stream_values();
    assert_eq!(server.stats().requests(), 0, "nothing before the first poll");
    for row in 1..=250_u64 {
        stream.try_next().await.unwrap().unwrap();
        assert_eq!(server.stats().requests(), row.div_ceil(100));
    }
}

#[tokio::test]
async fn a_stream_requests_ahead_no_more_pages_than_it_may_hold() {
    let server = server();
    let api = RestApi::builder(server.url()).page_size(rows(100)).total_key("total").prefetch(2);
    let table = airports(api.build());
    let mut stream = table.stream_values();
    for row in 1..=1000_u64 {
        stream.try_next().await.unwrap().unwrap();
        let page = row.div_ceil(100);
        assert!(server.stats().requests() <= page + 2, "at row {row}");
    }
}

#[tokio::test]
async fn a_stream_of_one_page_is_that_page() {
    let server = server();
    let mut table = airports(RestApi::builder(server.url()).total_key("total").build());
    table.set_pagination(Some(vantage_table::pagination::Pagination::new(2, 10)));
    assert_eq!(streamed(&table).await, all_codes()[10..20]);
    assert_eq!(server.stats().requests(), 1);
}

#[tokio::test]
async fn a_relation_from_several_parents_streams_the_children_of_each() {
    let server = server();
    let api = RestApi::builder(server.url()).page_size(rows(7)).total_key("total").build();
    let flights = |api| Table::<RestApi, EmptyEntity>::new("flights", api).with_id_column("id");
    let vermont = airports(api)
        .with_many("flights", "origin", flights)
        .with_condition(eq_condition("state", "VT"));
    let children: Table<RestApi, EmptyEntity> = vermont.get_ref_as("flights").unwrap();
    let vermont = codes(|row| row.get("state").is_some_and(|state| state == "VT"));
    let from_vermont = demo_api::flights()
        .iter()
        .filter(|row| vermont.iter().any(|code| row["origin"] == code.as_str()))
        .count();
    assert_eq!(streamed(&children).await.len(), from_vermont);
}
