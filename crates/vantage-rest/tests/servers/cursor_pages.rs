//! Paging a Vista along cursors, one page at a time.

use ciborium::Value as Cbor;
use demo_api::{DemoServer, ExpiredCursor};
use vantage_rest::{FilterStrategy, PaginationParams, RestApi, RestApiBuilder};
use vantage_table::prelude::Table;
use vantage_types::EmptyEntity;
use vantage_vista::{Capability, FilterOp, Vista};

use crate::{all_codes, codes, server};

fn airports(api: RestApiBuilder) -> Vista {
    let api =
        api.pagination_params(PaginationParams::cursor("cursor", "_limit", "next_cursor")).build();
    let table = Table::<_, EmptyEntity>::new("cursor/airports", api.clone())
        .with_id_column("iata")
        .with_column_of::<String>("state");
    api.vista_factory().from_table(table).unwrap()
}

fn by_cursor(server: &DemoServer) -> RestApiBuilder {
    RestApi::builder(server.url())
}

/// Every page of at most `limit` rows, to the end.
async fn pages(vista: &Vista, limit: usize) -> Vec<Vec<String>> {
    let (mut pages, mut token) = (Vec::new(), None);
    loop {
        let (page, next) = vista.fetch_cursor(token, limit).await.unwrap();
        pages.push(page.rows.into_iter().map(|(id, _)| id).collect());
        token = next;
        if token.is_none() {
            return pages;
        }
    }
}

#[tokio::test]
async fn pages_follow_each_other_without_a_gap() {
    let server = server();
    let vista = airports(by_cursor(&server));
    assert!(vista.capabilities().has(Capability::Cursor));
    let pages = pages(&vista, 400).await;
    assert_eq!(pages.iter().map(Vec::len).max(), Some(400));
    assert_eq!(pages.concat(), all_codes());
}

#[tokio::test]
async fn rows_a_server_gave_beyond_the_limit_are_not_lost() {
    let server = server();
    // The path itself asks for more rows than the reader: the later parameter
    // of the same name is ignored.
    let api = by_cursor(&server)
        .pagination_params(PaginationParams::cursor("cursor", "ignored", "next_cursor"))
        .build();
    let table = Table::<_, EmptyEntity>::new("cursor/airports?state=VT", api.clone());
    let vista = api.vista_factory().from_table(table.with_id_column("iata")).unwrap();
    let pages = pages(&vista, 5).await;
    assert!(pages.iter().all(|page| page.len() <= 5), "{pages:?}");
    assert_eq!(pages.concat(), codes(|row| row.get("state").is_some_and(|state| state == "VT")));
}

#[tokio::test]
async fn filtered_pages_follow_each_other_too() {
    let server = server();
    let vista = airports(by_cursor(&server).filter_strategy(FilterStrategy::Client))
        .with_condition("state", FilterOp::Eq, "TX")
        .unwrap();
    let pages = pages(&vista, 50).await;
    assert_eq!(pages.concat(), codes(|row| row.get("state").is_some_and(|state| state == "TX")));
}

#[tokio::test]
async fn the_leading_window_reads_no_more_pages_than_it_needs() {
    let server = server();
    let vista = airports(by_cursor(&server));
    assert_eq!(vista.fetch_window(0, 50).await.unwrap().rows.len(), 50);
    assert_eq!(server.stats().requests(), 1);
}

#[tokio::test]
async fn a_token_of_another_kind_is_the_callers_mistake() {
    let server = server();
    let vista = airports(by_cursor(&server));
    for token in [Cbor::from("c1"), Cbor::Array(vec![]), Cbor::Array(vec![1.into(); 3])] {
        let err = vista.fetch_cursor(Some(token), 10).await.unwrap_err();
        assert!(err.is_incorrect_usage(), "{err}");
    }
    assert_eq!(server.stats().requests(), 0);
}

#[tokio::test]
async fn a_token_whose_cursor_expired_is_an_error() {
    let server = server();
    let vista = airports(by_cursor(&server));
    let (_, token) = vista.fetch_cursor(None, 10).await.unwrap();
    server.expire_cursors(ExpiredCursor::Gone);
    let err = vista.fetch_cursor(token, 10).await.unwrap_err();
    assert!(err.to_string().contains("status: 410"), "{err}");
}
