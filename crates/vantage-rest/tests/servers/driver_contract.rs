//! The Vista of a REST table keeps every promise of a Vista driver.

use async_trait::async_trait;
use demo_api::DemoServer;
use vantage_rest::{FilterStrategy, OrderingParams, PaginationParams, RestApi, RestApiBuilder};
use vantage_table::prelude::Table;
use vantage_types::EmptyEntity;
use vantage_vista::{
    FilterOp, Vista,
    contract::{self, TxFixture, TxTables},
};

use crate::server;

/// Airports of one state, so that every probe reads a small set.
const ENDPOINT: &str = "airports?state=VT";

fn airports(api: RestApiBuilder) -> Vista {
    let api = api.build();
    let table = Table::<RestApi, EmptyEntity>::new(ENDPOINT, api.clone())
        .with_id_column("iata")
        .with_column_of::<String>("name")
        .with_column_of::<String>("city")
        .with_many("flights", "origin", |api| {
            Table::<_, EmptyEntity>::new("flights", api)
                .with_id_column("id")
                .with_column_of::<String>("origin")
        });
    api.vista_factory().from_table(table).unwrap()
}

async fn assert_kept(api: RestApiBuilder) {
    let vista = airports(api);
    contract::check_advertised(&vista).await;
    contract::check_clone(&vista, "city", "Burlington".into()).await;
}

#[tokio::test]
async fn an_api_of_whole_listings_keeps_the_contract() {
    let server = server();
    assert_kept(RestApi::builder(server.url())).await;
}

#[tokio::test]
async fn a_paged_and_ordered_api_keeps_the_contract() {
    let server = server();
    let api = RestApi::builder(server.url())
        .pagination_params(PaginationParams::default())
        .total_key("total")
        .ordering(OrderingParams::new("order", "-"));
    assert_kept(api).await;
}

#[tokio::test]
async fn an_api_that_searches_and_compares_keeps_the_contract() {
    let server = server();
    let api = RestApi::builder(server.url())
        .pagination_params(PaginationParams::skip_limit("_skip", "_limit"))
        .search_param("q")
        .filter_param("name", FilterOp::Like, "name_like");
    assert_kept(api).await;
}

#[tokio::test]
async fn an_api_of_links_keeps_the_contract() {
    let server = server();
    let api =
        RestApi::builder(server.url()).pagination_params(PaginationParams::link_header("_limit"));
    assert_kept(api).await;
}

#[tokio::test]
async fn an_api_filtered_here_keeps_the_contract() {
    let server = server();
    let api = RestApi::builder(server.url())
        .pagination_params(PaginationParams::default())
        .filter_strategy(FilterStrategy::Client);
    assert_kept(api).await;
}

/// A REST API has no transactions: its tables are read as ever inside one.
struct ReadOnly(DemoServer);

#[async_trait]
impl TxFixture for ReadOnly {
    async fn fresh(&self) -> TxTables {
        let api = || RestApi::builder(self.0.url());
        TxTables::new(airports(api()).with_name("a"), airports(api()).with_name("b"))
    }

    async fn fresh_pool_of_one(&self) -> TxTables {
        self.fresh().await
    }

    fn detects_deadlocks(&self) -> bool {
        false
    }

    fn supports_transactions(&self) -> bool {
        false
    }
}

#[tokio::test]
async fn reads_pass_through_a_transaction() {
    contract::check_transactions(&ReadOnly(server())).await;
}

#[cfg(feature = "rhai")]
#[tokio::test(flavor = "multi_thread")]
async fn reads_pass_through_an_atomic_block() {
    contract::check_atomic_rhai(&ReadOnly(server())).await;
}

#[cfg(feature = "rhai")]
#[tokio::test]
async fn a_lazy_column_of_a_spec_is_computed() {
    use vantage_dataset::prelude::ReadableValueSet;
    use vantage_vista::VistaFactory;
    let server = server();
    let yaml = "
name: airports
columns:
  iata: { flags: [id] }
  city: {}
  label: { lazy: 'row.iata + \", \" + row.city' }
api: { endpoint: 'airports?iata=BTV' }
";
    let airports = RestApi::new(server.url()).vista_factory().from_yaml(yaml).unwrap();
    let (_, row) = airports.get_some_value().await.unwrap().unwrap();
    assert_eq!(row["label"], "BTV, Burlington".into());
}
