//! A REST server nobody here wrote: `json-server` from npm, over the airports
//! and the flights.
//!
//! Needs Node and npm; without them the test says so and is skipped, unless
//! `REQUIRE_JSON_SERVER` is set.

use std::num::NonZeroUsize;

use futures_util::TryStreamExt;
use serde_json::{Map, Value};
use vantage_core::Priority;
use vantage_dataset::prelude::ReadableValueSet;
use vantage_rest::{
    FilterStrategy, PaginationParams, ResponseShape, RestApi, RestApiBuilder, eq_condition,
};
use vantage_table::{prelude::Table, traits::table_source::TableSource};
use vantage_types::EmptyEntity;
use vantage_vista::{FilterOp, contract};

use server::JsonServer;

mod server;

type Rows = Table<RestApi, EmptyEntity>;

fn airports(api: RestApiBuilder) -> Rows {
    Table::new("airports", api.build())
        .with_id_column("iata")
        .with_column_of::<String>("name")
        .with_column_of::<String>("city")
        .with_column_of::<String>("state")
        .with_many("flights", "origin", flights)
}

fn flights(api: RestApi) -> Rows {
    Table::new("flights", api)
        .with_id_column("id")
        .with_column_of::<String>("origin")
        .with_column_of::<i64>("delay")
}

fn expected(rows: &[Map<String, Value>], id: &str, keep: impl Fn(&Value) -> bool) -> Vec<String> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    rows.iter()
        .map(|row| Value::Object(row.clone()))
        .filter(keep)
        .map(|row| text(&row[id]))
        .collect()
}

async fn listed(table: &Rows) -> Vec<String> {
    table.list_values().await.unwrap().into_keys().collect()
}

async fn streamed(table: &Rows) -> Vec<String> {
    table.stream_values().map_ok(|(id, _)| id).try_collect().await.unwrap()
}

fn bare(server: &JsonServer) -> RestApiBuilder {
    RestApi::builder(server.url()).response_shape(ResponseShape::BareArray)
}

fn paged(server: &JsonServer) -> RestApiBuilder {
    let rows = NonZeroUsize::new(500).unwrap();
    let api = bare(server).pagination_params(PaginationParams::default()).page_size(rows);
    api.total_header("X-Total-Count")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_nobody_here_wrote_is_read_in_every_way() {
    let Some(server) = JsonServer::start() else { return };
    // An essential read waits until the server answers.
    let first = airports(bare(&server));
    Priority::Essential.scope(first.get_some_value()).await.unwrap();

    sets_are_read_whole(&server).await;
    sets_are_filtered(&server).await;
    windows_are_cut(&server).await;
    relations_are_followed(&server).await;
    links_are_followed(&server).await;
    one_row_is_asked_for_by_its_path(&server).await;
    the_driver_contract_is_kept(&server).await;
}

async fn sets_are_read_whole(server: &JsonServer) {
    let all = expected(demo_api::airports(), "iata", |_| true);
    assert_eq!(listed(&airports(bare(server))).await, all);
    assert_eq!(streamed(&airports(paged(server))).await, all);
    let by_offset = PaginationParams::skip_limit("_start", "_limit");
    let ahead = paged(server).pagination_params(by_offset).prefetch(2);
    assert_eq!(streamed(&airports(ahead)).await, all);
    let counted = airports(paged(server));
    assert_eq!(counted.data_source().get_table_count(&counted).await.unwrap(), 3376);
}

async fn sets_are_filtered(server: &JsonServer) {
    let texas = expected(demo_api::airports(), "iata", |row| row["state"] == "TX");
    let condition = || eq_condition("state", "TX");
    assert_eq!(listed(&airports(bare(server)).with_condition(condition())).await, texas);
    let here = bare(server).filter_strategy(FilterStrategy::Client);
    assert_eq!(listed(&airports(here).with_condition(condition())).await, texas);
    let search = bare(server).search_param("q");
    let found = listed(&airports(search).with_search("Burlington")).await;
    assert!(found.contains(&"BTV".to_owned()), "{found:?}");
    let api = bare(server).filter_param("delay", FilterOp::Gte, "delay_gte").build();
    let late = api.vista_factory().from_table(flights(api.clone())).unwrap();
    let late = late.with_condition("delay", FilterOp::Gte, 60).unwrap();
    let late: Vec<_> = late.list_values().await.unwrap().into_keys().collect();
    let is_late = |row: &Value| row["delay"].as_i64().is_some_and(|delay| delay >= 60);
    assert_eq!(late, expected(demo_api::flights(), "id", is_late));
}

async fn windows_are_cut(server: &JsonServer) {
    let all = expected(demo_api::airports(), "iata", |_| true);
    let api = paged(server).build();
    let vista = api.vista_factory().from_table(airports(paged(server))).unwrap();
    for (offset, limit) in [(0, 10), (1005, 10), (3370, 100)] {
        let page = vista.fetch_window(offset, limit).await.unwrap();
        let ids: Vec<_> = page.rows.into_iter().map(|(id, _)| id).collect();
        assert_eq!(ids, all[offset..all.len().min(offset + limit)]);
        assert_eq!(page.total, Some(3376));
    }
}

async fn relations_are_followed(server: &JsonServer) {
    let from_lax = expected(demo_api::flights(), "id", |row| row["origin"] == "LAX");
    let airports = airports(bare(server));
    let lax = airports.get_value("LAX").await.unwrap().unwrap();
    let leaving: Rows = airports.get_ref_from_row("flights", &lax).unwrap();
    assert_eq!(listed(&leaving).await, from_lax);
}

async fn links_are_followed(server: &JsonServer) {
    let api = paged(server).pagination_params(PaginationParams::link_header("_limit"));
    let table = Table::<_, EmptyEntity>::new("flights?_page=1", api.build()).with_id_column("id");
    assert_eq!(streamed(&table).await, expected(demo_api::flights(), "id", |_| true));
}

async fn one_row_is_asked_for_by_its_path(server: &JsonServer) {
    let airports = airports(bare(server).items_by_path());
    let lax = airports.get_value("LAX").await.unwrap().unwrap();
    assert_eq!(lax["city"], "Los Angeles".into());
    assert!(airports.get_value("nowhere").await.unwrap().is_none());
}

async fn the_driver_contract_is_kept(server: &JsonServer) {
    let api = paged(server).build();
    let table = Table::<_, EmptyEntity>::new("airports?state=VT", api.clone())
        .with_id_column("iata")
        .with_column_of::<String>("city");
    let vista = api.vista_factory().from_table(table).unwrap();
    contract::check_advertised(&vista).await;
    contract::check_clone(&vista, "city", "Burlington".into()).await;
}
