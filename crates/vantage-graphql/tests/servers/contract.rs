//! The driver is held to the framework's contract, over servers that really
//! filter, order and search.

use async_trait::async_trait;
use demo_api::DemoServer;
use serde_json::json;
use vantage_graphql::{GraphqlApi, GraphqlApiVistaFactory, GraphqlOperation as _, Supports};
use vantage_vista::{
    CborValue, FilterOp, Vista,
    contract::{TxFixture, TxTables, check_advertised, check_clone, check_transactions},
};

use crate::demo::{airports, flat, flights, hasura, relay, server};

fn vista(api: GraphqlApi, root: &str) -> Vista {
    let mut table = airports(api.clone());
    table.set_table_name(root);
    GraphqlApiVistaFactory::new(api).from_table(table).expect("a Vista")
}

/// A Vista for each kind of server, over the airports of one state.
fn vistas(server: &DemoServer) -> [Vista; 4] {
    let texas = json!({"state": "TX"});
    let local = flat(server).supports(Supports::default().with_filter(false));
    let api = hasura(server).build();
    let table = airports(api.clone());
    let texan = table["state"].eq("TX");
    [
        vista(flat(server).root_args(texas.clone()).build(), "airports"),
        GraphqlApiVistaFactory::new(api).from_table(table.with_condition(texan)).expect("a Vista"),
        vista(relay(server).root_args(texas.clone()).build(), "airportsConnection"),
        vista(local.root_args(texas).build(), "airports"),
    ]
}

#[tokio::test]
async fn every_advertised_capability_works() {
    let server = server();
    for vista in vistas(&server) {
        check_advertised(&vista).await;
    }
}

#[tokio::test]
async fn a_narrowed_vista_keeps_to_the_contract() {
    let server = server();
    for vista in vistas(&server) {
        let narrowed = vista.with_condition("city", FilterOp::Eq, "Houston").unwrap();
        check_advertised(&narrowed).await;
    }
}

#[tokio::test]
async fn clones_narrow_on_their_own() {
    let server = server();
    for vista in vistas(&server) {
        check_clone(&vista, "city", CborValue::Text("Houston".to_owned())).await;
    }
}

/// Tables of a server without transactions.
struct ReadOnly(DemoServer);

#[async_trait]
impl TxFixture for ReadOnly {
    async fn fresh(&self) -> TxTables {
        let api = hasura(&self.0).build();
        let factory = GraphqlApiVistaFactory::new(api.clone());
        TxTables::new(
            factory.from_table(airports(api.clone())).expect("a Vista"),
            factory.from_table(flights(api)).expect("a Vista"),
        )
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
    check_transactions(&ReadOnly(server())).await;
}

#[cfg(feature = "rhai")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reads_pass_through_an_atomic_script() {
    vantage_vista::contract::check_atomic_rhai(&ReadOnly(server())).await;
}

#[cfg(feature = "rhai")]
#[tokio::test]
async fn lazy_columns_are_computed_from_what_was_read() {
    use vantage_dataset::traits::ReadableValueSet;
    use vantage_vista::VistaFactory;
    let server = server();
    let yaml = "
name: flights
columns:
  id: { type: int }
  delay: { type: int }
  late: { type: bool, lazy: 'row.delay > 15' }
";
    let vista = hasura(&server).build().vista_factory().from_yaml(yaml).unwrap();
    let preview = vista.preview().query.unwrap();
    assert!(preview.ends_with("query { flights { id delay } }"), "{preview}");
    let row = vista.get_value("5").await.unwrap().unwrap();
    assert_eq!(row["late"], CborValue::Bool(true));
    assert!(vista.with_order("late", vantage_vista::SortDirection::Ascending).is_err());
}
