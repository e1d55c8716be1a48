//! A window costs what it shows, not where it is.

use std::num::NonZeroUsize;

use demo_api::DemoServer;
use vantage_rest::{FilterStrategy, PaginationParams, RestApi, RestApiBuilder};
use vantage_table::prelude::Table;
use vantage_types::EmptyEntity;
use vantage_vista::{FilterOp, Page, Vista};

use crate::{all_codes, codes, server};

fn airports(api: RestApiBuilder) -> Vista {
    let api = api.build();
    let table = Table::<RestApi, EmptyEntity>::new("airports", api.clone())
        .with_id_column("iata")
        .with_column_of::<String>("city")
        .with_column_of::<String>("state");
    api.vista_factory().from_table(table).unwrap()
}

fn ids(page: &Page) -> Vec<String> {
    page.rows.iter().map(|(id, _)| id.clone()).collect()
}

fn paged(server: &DemoServer) -> RestApiBuilder {
    RestApi::builder(server.url()).pagination_params(PaginationParams::default()).total_key("total")
}

#[tokio::test]
async fn a_window_anywhere_in_a_set_is_one_request() {
    let server = server();
    let vista = airports(paged(&server));
    for offset in [0, 1000, 3300] {
        let page = vista.fetch_window(offset, 50).await.unwrap();
        assert_eq!(ids(&page), all_codes()[offset..offset + 50]);
        assert_eq!(page.total, Some(3376));
    }
    assert_eq!(server.stats().requests(), 3);
}

#[tokio::test]
async fn a_window_over_the_end_is_short_and_one_behind_it_empty() {
    let server = server();
    let vista = airports(paged(&server));
    assert_eq!(ids(&vista.fetch_window(3350, 50).await.unwrap()), all_codes()[3350..]);
    assert!(vista.fetch_window(5000, 50).await.unwrap().rows.is_empty());
}

#[tokio::test]
async fn a_window_larger_than_the_servers_pages_is_assembled() {
    let server = server();
    let vista = airports(paged(&server));
    let page = vista.fetch_window(100, 1200).await.unwrap();
    assert_eq!(ids(&page), all_codes()[100..1300]);
}

#[tokio::test]
async fn a_window_without_end_is_the_rest_of_the_set() {
    let server = server();
    let vista = airports(paged(&server).page_size(NonZeroUsize::new(500).unwrap()));
    assert_eq!(ids(&vista.fetch_window(0, usize::MAX).await.unwrap()), all_codes());
    assert_eq!(ids(&vista.fetch_window(3000, usize::MAX).await.unwrap()), all_codes()[3000..]);
}

#[tokio::test]
async fn scrolling_a_filtered_set_reads_each_page_once() {
    let server = server();
    let vista = airports(paged(&server).filter_strategy(FilterStrategy::Client))
        .with_condition("state", FilterOp::Eq, "TX")
        .unwrap();
    let all = codes(|row| row.get("state").is_some_and(|state| state == "TX"));
    let mut costs = Vec::new();
    for offset in (0..all.len()).step_by(20) {
        let before = server.stats().requests();
        let page = vista.fetch_window(offset, 20).await.unwrap();
        assert_eq!(ids(&page), all[offset..all.len().min(offset + 20)], "at {offset}");
        assert_eq!(page.total, None, "the server's total is not the filtered set's");
        costs.push(server.stats().requests() - before);
    }
    let (early, late) = costs.split_at(costs.len() / 2);
    let (early, late) = (early.iter().sum::<u64>(), late.iter().sum::<u64>());
    assert!(late <= early + 20, "deep windows cost more than early ones: {costs:?}");
}

#[tokio::test]
async fn a_filter_that_matches_nothing_ends() {
    let server = server();
    let vista = airports(paged(&server).filter_strategy(FilterStrategy::Client))
        .with_condition("state", FilterOp::Eq, "nowhere")
        .unwrap();
    assert!(vista.fetch_window(0, 50).await.unwrap().rows.is_empty());
    assert!(server.stats().requests() <= 60);
}

#[tokio::test]
async fn what_was_learnt_of_a_set_is_not_taken_for_a_narrower_one() {
    let server = server();
    let texas = airports(paged(&server).filter_strategy(FilterStrategy::Client))
        .with_condition("state", FilterOp::Eq, "TX")
        .unwrap();
    for offset in [0, 20, 40, 60] {
        texas.fetch_window(offset, 20).await.unwrap();
    }
    let is = |row: &demo_api::Row, field: &str, text: &str| row[field] == text;
    let houston = codes(|row| is(row, "state", "TX") && is(row, "city", "Houston"));
    let narrowed = texas.with_condition("city", FilterOp::Eq, "Houston").unwrap();
    for offset in 0..houston.len() {
        let page = narrowed.clone().fetch_window(offset, 20).await.unwrap();
        assert_eq!(ids(&page), houston[offset..], "at {offset}");
    }
}
