//! A table of one's own is read whole, or what is wrong with it is said.

use std::{net::TcpListener, num::NonZeroUsize};

use demo_api::{Config, DemoServer, FaultPlan};
use vantage_rest::ResponseShape;

use super::*;

fn server(faults: &str) -> DemoServer {
    let faults: FaultPlan = faults.parse().expect("a plan");
    DemoServer::start(Config::new().faults(faults)).expect("a port of this machine")
}

fn airports(url: &str) -> OwnApi {
    OwnApi {
        url: url.to_owned(),
        table: "airports".to_owned(),
        shape: ResponseShape::default(),
        id: "iata".to_owned(),
        page_size: NonZeroUsize::new(500),
    }
}

/// What the program would say, in one line.
async fn refused(own: OwnApi) -> String {
    let error = run(&own).await.expect_err("it cannot be read");
    error.to_string().replace('\n', " ")
}

#[tokio::test]
async fn a_table_is_read_to_its_last_page() {
    let server = server("");
    let rows = demo_api::airports().len();
    assert_eq!(run(&airports(server.url())).await.unwrap(), rows);
    // A slash at the end, and a column that nobody has: rows are told apart by their place.
    let own = OwnApi { id: "nothing".to_owned(), ..airports(&format!("{}/", server.url())) };
    assert_eq!(run(&own).await.unwrap(), rows);
}

#[tokio::test]
async fn an_address_that_is_none_is_refused() {
    for url in ["", "airports", "//", "http://[::1", "gopher://127.0.0.1", "http://h:port"] {
        let said = refused(airports(url)).await;
        assert!(said.contains("request cannot be sent"), "{url}: {said}");
    }
    let said = refused(airports("http://")).await;
    assert_eq!(said, r#"API base URL has no host (base_url: "http:")"#);
}

#[tokio::test]
async fn nobody_at_the_address_is_told_at_once() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let said = refused(airports(&format!("http://127.0.0.1:{port}"))).await;
    assert!(said.contains(r#"attempts: 1, kind: "transport""#), "{said}");
}

#[tokio::test]
async fn a_table_that_is_not_there_is_told_with_the_status() {
    let server = server("");
    let own = OwnApi { table: "airport".to_owned(), ..airports(server.url()) };
    let said = refused(own).await;
    assert!(said.contains("status: 404"), "{said}");
}

#[tokio::test]
async fn a_shape_that_is_not_the_answer_s_is_told_by_its_key() {
    let server = server("");
    let shape = ResponseShape::Wrapped { array_key: "rows".to_owned() };
    let said = refused(OwnApi { shape, ..airports(server.url()) }).await;
    assert!(said.contains(r#"array_key: "rows""#), "{said}");
}

#[tokio::test]
async fn a_server_that_fails_is_told_and_not_tried_for_ever() {
    let server = server("503@100%");
    let said = refused(airports(server.url())).await;
    assert!(said.contains("status: 503, attempts: 1"), "{said}");
    assert_eq!(server.stats().requests(), 1);
}

#[tokio::test]
async fn a_body_that_is_cut_off_is_no_shorter_table() {
    let server = server("truncate@#3");
    let said = refused(airports(server.url())).await;
    assert!(said.contains(r#"kind: "transport""#), "{said}");
}
