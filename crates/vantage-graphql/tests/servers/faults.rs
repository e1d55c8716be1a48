//! Reads through outages, and what they cost on the wire.

use demo_api::{Config, DemoServer, Fault, FaultPlan, Rule};
use vantage_dataset::traits::ReadableValueSet;
use vantage_graphql::{ErrorCodes, GraphqlErrors, Priority};
use vantage_transport::{FailureKind, RequestFailure};

use crate::demo::{airports, flat, relay, server};

fn failing(rules: &str) -> DemoServer {
    let plan: FaultPlan = rules.parse().expect("a plan");
    DemoServer::start(Config::new().faults(plan)).expect("a free port")
}

#[tokio::test]
async fn someone_waiting_gets_the_rows_and_a_poll_gets_the_error() {
    let server = failing("503@#1-2");
    let table = airports(flat(&server).build());

    let error = table.list_values().await.unwrap_err();
    assert_eq!(RequestFailure::of(&error).unwrap().kind(), FailureKind::Status(503));

    let rows = Priority::Essential.scope(async { table.list_values().await }).await.unwrap();
    assert_eq!(rows.len(), 3376);
    assert_eq!(server.stats().requests(), 3);
}

#[tokio::test]
async fn a_body_that_is_cut_off_is_read_again() {
    let server = failing("truncate@#1");
    let table = airports(flat(&server).build());
    let rows = Priority::Essential.scope(async { table.list_values().await }).await.unwrap();
    assert_eq!(rows.len(), 3376);
    assert_eq!(server.stats().requests(), 2);
}

#[tokio::test]
async fn a_fault_between_pages_repeats_that_page_only() {
    let server = server();
    server.set_faults(FaultPlan::new(0).with(Rule::requests(3..=3, Fault::status(503))));
    let mut table = airports(relay(&server).build());
    table.set_table_name("airportsConnection");
    let rows = Priority::Essential.scope(async { table.list_values().await }).await.unwrap();
    assert_eq!(rows.len(), 3376);
    assert_eq!(server.stats().requests(), 8);
}

#[tokio::test]
async fn throttling_in_a_200_is_an_error_by_default() {
    let server = failing("graphql@#1 code=THROTTLED");
    let table = airports(flat(&server).build());
    let error = Priority::Essential.scope(async { table.list_values().await }).await.unwrap_err();
    assert!(GraphqlErrors::of(&error).unwrap().has_code("THROTTLED"), "{error}");
    assert_eq!(server.stats().requests(), 1);
}

#[tokio::test]
async fn throttling_in_a_200_is_waited_out_where_asked_for() {
    let server = failing("graphql@#1 code=THROTTLED");
    let table = airports(flat(&server).error_codes(ErrorCodes::common()).build());
    let rows = Priority::Essential.scope(async { table.list_values().await }).await.unwrap();
    assert_eq!(rows.len(), 3376);
    assert_eq!(server.stats().requests(), 2);
}
