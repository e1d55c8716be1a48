//! The code of the guide, run against the server it talks about.

use std::{num::NonZeroUsize, sync::Arc};

use demo_api::{Config, DemoServer, Lifetime, TokenRules};
use futures_util::TryStreamExt;
use serde::{Deserialize, Serialize};
use vantage_core::{Priority, Result};
use vantage_dataset::prelude::*;
use vantage_rest::prelude::*;
use vantage_table::prelude::*;
use vantage_types::EmptyEntity;
use vantage_vista::{FilterOp, VistaFactory};

use crate::server;

const GUIDE: &str = include_str!("../../../../docs/guides/rest.md");

fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_line_of_code_in_the_guide_is_run_here() {
    let source = plain(include_str!("guide.rs"));
    let blocks = GUIDE.split("```rust\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let mut count = 0;
    for block in blocks {
        count += 1;
        assert!(source.contains(&plain(block)), "not run:\n{block}");
    }
    assert!(count >= 15, "{count} blocks");
}

#[test]
fn the_guide_names_every_setting() {
    let builder = include_str!("../../src/api/builder.rs");
    let setters = builder.lines().filter_map(|line| line.trim().strip_prefix("pub fn "));
    for setter in setters.map(|rest| rest.split(['(', '<']).next().unwrap()) {
        assert!(GUIDE.contains(&format!("`{setter}")), "the guide does not name `{setter}`");
    }
}

#[tokio::test]
async fn a_table() -> Result<()> {
    let server = server();
    let url = server.url();

    let api = RestApi::new(url);
    let airports = Table::<RestApi, EmptyEntity>::new("airports", api)
        .with_id_column("iata")
        .with_column_of::<String>("name")
        .with_column_of::<String>("state");
    let rows = airports.list_values().await?;
    assert_eq!(rows["00M"]["city"], "Bay Springs".into());

    assert_eq!(rows.len(), 30);
    Ok(())
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Airport {
    iata: String,
    name: String,
    city: Option<String>,
    latitude: f64,
    longitude: f64,
}

impl Airport {
    fn table(api: RestApi) -> Table<RestApi, Self> {
        Table::new("airports", api)
            .with_id_column("iata")
            .with_column_of::<String>("name")
            .with_column_of::<String>("city")
            .with_column_of::<f64>("latitude")
            .with_column_of::<f64>("longitude")
            .with_many("flights", "origin", Flight::table)
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Flight {
    id: u32,
    origin: String,
    destination: String,
    delay: i64,
}

impl Flight {
    fn table(api: RestApi) -> Table<RestApi, Self> {
        Table::new("flights", api)
            .with_id_column("id")
            .with_column_of::<String>("origin")
            .with_column_of::<String>("destination")
            .with_column_of::<i64>("delay")
    }
}

#[tokio::test]
async fn a_typed_table() -> Result<()> {
    let server = server();
    let url = server.url();

    let api = RestApi::builder(url).total_key("total").build();
    let airports = Airport::table(api);
    let all = airports.list().await?;
    assert_eq!(all.len(), 3376);
    assert_eq!(all["BTV"].name, "Burlington International");
    Ok(())
}

#[tokio::test]
async fn shapes() -> Result<()> {
    let server = server();
    let url = server.url();

    let bare = RestApi::builder(format!("{url}/bare")).response_shape(ResponseShape::BareArray);
    let named =
        RestApi::builder(format!("{url}/table")).response_shape(ResponseShape::WrappedByTableName);
    let nested = RestApi::builder(format!("{url}/nested"))
        .response_shape(ResponseShape::Wrapped { array_key: "result.items".into() });

    for api in [bare, named, nested] {
        assert_eq!(Airport::table(api.build()).list().await?.len(), 30);
    }
    Ok(())
}

#[tokio::test]
async fn conditions() -> Result<()> {
    let server = server();
    let api = RestApi::builder(server.url()).total_key("total").build();

    let vermont = Airport::table(api.clone()).with_condition(eq_condition("state", "VT"));
    assert_eq!(vermont.list().await?.len(), 13);

    let from_btv = Table::<RestApi, Flight>::new("airports/{airport}/flights", api)
        .with_id_column("id")
        .with_condition(eq_condition("airport", "BTV"));
    assert_eq!(from_btv.list().await?.len(), 2);

    let url = server.url();
    let filtered_here = RestApi::builder(url).filter_strategy(FilterStrategy::Client);

    drop(filtered_here);
    Ok(())
}

#[tokio::test]
async fn paging() -> Result<()> {
    let server = server();
    let url = server.url();

    let api = RestApi::builder(url)
        .pagination_params(PaginationParams::page_limit("_page", "_limit"))
        .total_key("total")
        .build();
    let airports = api.vista_factory().from_table(Airport::table(api.clone()))?;
    let window = airports.fetch_window(3000, 50).await?;
    assert_eq!((window.rows.len(), window.total), (50, Some(3376)));
    assert_eq!(airports.count().await?, 3376);

    let airports = Airport::table(api);
    let mut rows = airports.stream_values();
    let mut northernmost = f64::MIN;
    while let Some((_id, row)) = rows.try_next().await? {
        let latitude = row["latitude"].as_float().unwrap_or(f64::MIN);
        northernmost = northernmost.max(latitude);
    }
    assert!(northernmost > 71.0);

    let eager = RestApi::builder(url)
        .pagination_params(PaginationParams::skip_limit("_skip", "_limit"))
        .total_header("X-Total-Count")
        .page_size(NonZeroUsize::new(500).unwrap())
        .max_page_size(NonZeroUsize::new(500).unwrap())
        .max_requests(NonZeroUsize::new(100).unwrap())
        .prefetch(2);

    assert_eq!(Airport::table(eager.build()).stream().try_collect::<Vec<_>>().await?.len(), 3376);
    Ok(())
}

#[tokio::test]
async fn cursors() -> Result<()> {
    let server = server();
    let url = server.url();

    let by_cursor = RestApi::builder(format!("{url}/cursor"))
        .pagination_params(PaginationParams::cursor("cursor", "_limit", "next_cursor"))
        .build();
    assert_eq!(Airport::table(by_cursor).list().await?.len(), 3376);

    let by_link =
        RestApi::builder(url).pagination_params(PaginationParams::link_header("_limit")).build();
    assert_eq!(Airport::table(by_link).list().await?.len(), 3376);
    Ok(())
}

#[tokio::test]
async fn order_search_comparisons() -> Result<()> {
    let server = server();
    let url = server.url();

    let api = RestApi::builder(url)
        .ordering(OrderingParams::new("order", "-"))
        .search_param("q")
        .filter_param("delay", FilterOp::Gte, "delay_gte")
        .total_key("total")
        .build();
    let latest_first = api
        .vista_factory()
        .from_table(Flight::table(api.clone()))?
        .with_condition("delay", FilterOp::Gte, 100)?
        .with_order("delay", vantage_vista::SortDirection::Descending)?;
    let (_, worst) = latest_first.get_some_value().await?.unwrap();
    assert_eq!(worst["delay"], 365.into());

    let found = Airport::table(api).with_search("Burlington").list().await?;
    assert!(found.contains_key("BTV"));
    Ok(())
}

#[tokio::test]
async fn one_row() -> Result<()> {
    let server = server();
    let url = server.url();

    let api = RestApi::builder(url).items_by_path().build();
    let burlington = Airport::table(api).get("BTV").await?;
    assert_eq!(burlington.unwrap().city.as_deref(), Some("Burlington"));
    Ok(())
}

#[tokio::test]
async fn relations() -> Result<()> {
    let server = server();
    let api = RestApi::builder(server.url()).total_key("total").build();

    let airports = Airport::table(api);
    let btv = airports.get_value("BTV").await?.unwrap();
    let flights: Table<RestApi, Flight> = airports.get_ref_from_row("flights", &btv)?;
    assert_eq!(flights.list().await?.len(), 2);

    let vermont = airports.with_condition(eq_condition("state", "VT"));
    let flights: Table<RestApi, Flight> = vermont.get_ref_as("flights")?;
    assert_eq!(flights.list().await?.len(), 2);
    Ok(())
}

#[tokio::test]
async fn credentials() -> Result<()> {
    let config = Config::new().tokens(TokenRules::required(Lifetime::requests(5)));
    let server = DemoServer::start(config).unwrap();
    let url = server.url();

    let token_url = format!("{url}/token");
    let refresher: vantage_rest::AuthRefresher = Arc::new(move || {
        let request = reqwest::Client::new().post(&token_url);
        Box::pin(async move {
            let answer: serde_json::Value = request.send().await?.json().await?;
            Ok(answer["access_token"].as_str().unwrap_or_default().to_owned())
        })
    });
    let api = RestApi::builder(url).total_key("total").auth_refresher(refresher).build();

    assert_eq!(Airport::table(api).list().await?.len(), 3376);
    Ok(())
}

#[tokio::test]
async fn failures() -> Result<()> {
    let faults = "503@#1-2".parse().unwrap();
    let server = DemoServer::start(Config::new().faults(faults)).unwrap();
    let airports = Airport::table(RestApi::new(server.url()));

    let poll = airports.list().await;
    let failure = vantage_rest::RequestFailure::of(&poll.unwrap_err()).unwrap();
    assert_eq!(failure.kind(), vantage_rest::FailureKind::Status(503));

    let page = Priority::Essential.scope(airports.list()).await?;
    assert_eq!(page.len(), 30);
    Ok(())
}

#[tokio::test]
async fn other_requests() -> Result<()> {
    let server = server();
    let api = RestApi::new(server.url());

    let order = serde_json::json!({"item": 7});
    let headers = [("Idempotency-Key", "order-1")];
    let response =
        api.http_request(reqwest::Method::POST, "echo/orders", &headers, Some(&order)).await?;
    assert!(response.status().is_success());

    let import = vantage_rest::RestRequest::new(reqwest::Method::PUT, "echo/import")
        .header("X-Tag", "a")
        .header("X-Tag", "b")
        .body("text/csv", "id,name\n1,one\n");
    api.send(&import).await?;

    assert_eq!(server.stats().writes(), 2);
    Ok(())
}

#[tokio::test]
async fn yaml() -> Result<()> {
    let server = server();
    let api = RestApi::new(server.url());
    let block = GUIDE.split("```yaml\n").nth(1).unwrap().split("```").next().unwrap();
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("airports.yaml");
    std::fs::write(&path, block).unwrap();

    let yaml = std::fs::read_to_string(path)?;
    let airports = api.vista_factory().from_yaml(&yaml)?;
    let vermont = airports.with_condition("state", FilterOp::Eq, "VT")?;
    assert_eq!(vermont.count().await?, 13);

    assert_eq!(vermont.list_values().await?.len(), 13);
    assert!(vermont.get_value("BTV").await?.is_some());
    Ok(())
}

#[tokio::test]
async fn previews() -> Result<()> {
    let api = RestApi::builder("https://me:secret@api.example.com?api_key=k").auth("Basic x");
    let api = api.build();

    let airports = api.vista_factory().from_table(Airport::table(api.clone()))?;
    assert_eq!(
        airports.preview().query.as_deref(),
        Some("GET https://…@api.example.com/airports?api_key=…\nAuthorization: <set>")
    );
    Ok(())
}
