//! A read dropped at any point leaves nothing behind.

use std::num::NonZeroUsize;

use api_pool::testing::CancelAt;
use demo_api::{Config, DemoServer};
use futures_util::TryStreamExt;
use vantage_core::Priority;
use vantage_dataset::prelude::ReadableValueSet;
use vantage_rest::{BreakerState, RestApi};
use vantage_table::prelude::Table;
use vantage_types::EmptyEntity;

/// Drops `read` at each of its await points in turn, until one run ends by
/// itself; after every drop nothing is in flight and nothing waits.
async fn assert_leaves_nothing<T>(api: &RestApi, mut read: impl AsyncFnMut() -> T) {
    for point in 0..1000 {
        let dropped = CancelAt::new(point, Priority::Essential.scope(read())).await.is_none();
        assert_eq!(api.client().in_flight(), 0, "dropped at await point {point}");
        assert_eq!(api.client().waiting(), 0, "dropped at await point {point}");
        assert_eq!(api.breaker_state(), Some(BreakerState::Closed));
        if !dropped {
            assert!(point > 3, "the read never waited");
            return;
        }
    }
    panic!("the read never ended");
}

fn table(server: &DemoServer, prefetch: usize) -> (RestApi, Table<RestApi, EmptyEntity>) {
    let api = RestApi::builder(server.url())
        .page_size(NonZeroUsize::new(500).unwrap())
        .total_key("total")
        .prefetch(prefetch)
        .build();
    let table = Table::new("airports", api.clone()).with_id_column("iata");
    (api, table)
}

#[tokio::test]
async fn a_listing_dropped_at_any_point_leaves_nothing_in_flight() {
    let server = DemoServer::start(Config::new()).unwrap();
    let (api, table) = table(&server, 0);
    let table = table.with_condition(vantage_rest::eq_condition("state", "TX"));
    assert_leaves_nothing(&api, async || table.list_values().await.unwrap()).await;
}

#[tokio::test]
async fn a_stream_dropped_at_any_point_leaves_nothing_in_flight() {
    let server = DemoServer::start(Config::new()).unwrap();
    for prefetch in [0, 3] {
        let (api, table) = table(&server, prefetch);
        let read = async || table.stream_values().try_collect::<Vec<_>>().await.unwrap();
        assert_leaves_nothing(&api, read).await;
    }
}
