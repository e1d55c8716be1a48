//! Rows arrive whole, and both sides count the same requests, whatever goes
//! wrong in between.

use std::{
    num::NonZeroUsize,
    sync::{Arc, Mutex},
    time::Duration,
};

use demo_api::{Config, DemoServer, ExpiredCursor, FaultPlan};
use futures_util::TryStreamExt;
use vantage_core::Priority;
use vantage_dataset::prelude::ReadableValueSet;
use vantage_rest::{
    Fate, PaginationParams, RestApi, RestApiBuilder, TransportEvent, TransportObserver,
};
use vantage_table::prelude::Table;
use vantage_types::EmptyEntity;

use crate::all_codes;

/// Requests the server must have seen, and those it may have seen.
#[derive(Default)]
struct Sent(Mutex<(u64, u64)>);

impl TransportObserver for Sent {
    fn on_event(&self, _key: &str, event: TransportEvent) {
        let mut sent = self.0.lock().unwrap();
        match event {
            TransportEvent::Started => sent.0 += 1,
            TransportEvent::Cancelled => sent.1 += 1,
            TransportEvent::Failed { error, .. } if error.fate() == Fate::NotSent => sent.0 -= 1,
            _ => (),
        }
    }
}

struct World {
    server: DemoServer,
    sent: Arc<Sent>,
}

impl World {
    fn new(faults: &str) -> Self {
        let faults: FaultPlan = faults.parse().unwrap();
        let server = DemoServer::start(Config::new().faults(faults)).unwrap();
        Self { server, sent: Arc::default() }
    }

    fn api(&self) -> RestApiBuilder {
        RestApi::builder(self.server.url())
            .page_size(NonZeroUsize::new(200).unwrap())
            .request_timeout(Duration::from_millis(400))
            .tune_client(|client| client.circuit_breaker(1000, Duration::from_secs(1)))
            .observer("airports", self.sent.clone())
    }

    fn assert_counts_agree(&self) {
        let (sent, cancelled) = *self.sent.0.lock().unwrap();
        let seen = self.server.stats().requests();
        assert!((sent - cancelled..=sent).contains(&seen), "{sent} sent, {seen} seen");
    }
}

async fn streamed(table: &Table<RestApi, EmptyEntity>) -> Vec<String> {
    let ids = table.stream_values().map_ok(|(id, _)| id).try_collect();
    Priority::Essential.scope(ids).await.unwrap()
}

fn table(api: RestApiBuilder, name: &str) -> Table<RestApi, EmptyEntity> {
    Table::new(name, api.build()).with_id_column("iata")
}

const EVERY_FAULT: &str = "503@#2; reset@#4; close@#6; truncate@#8; hang@#10; reset-after@#12; \
                           429@#14 retry-after=\"nonsense\"; 500@#16";

#[tokio::test]
async fn every_page_arrives_through_every_fault() {
    let world = World::new(EVERY_FAULT);
    let api = world.api().pagination_params(PaginationParams::default()).total_key("total");
    assert_eq!(streamed(&table(api, "airports")).await, all_codes());
    world.assert_counts_agree();
}

#[tokio::test]
async fn pages_requested_ahead_arrive_in_order_through_every_fault() {
    let world = World::new(EVERY_FAULT);
    let api = world.api().pagination_params(PaginationParams::default()).total_key("total");
    assert_eq!(streamed(&table(api.prefetch(3), "airports")).await, all_codes());
    world.assert_counts_agree();
}

#[tokio::test]
async fn a_listing_reads_on_through_every_fault() {
    let world = World::new(EVERY_FAULT);
    let table = table(world.api().total_key("total"), "airports");
    let rows = Priority::Essential.scope(table.list_values()).await.unwrap();
    assert_eq!(rows.into_keys().collect::<Vec<_>>(), all_codes());
    world.assert_counts_agree();
}

#[tokio::test]
async fn a_listing_along_cursors_arrives_through_every_fault() {
    let world = World::new(EVERY_FAULT);
    let cursors = PaginationParams::cursor("cursor", "_limit", "next_cursor");
    let api = world.api().pagination_params(cursors);
    assert_eq!(streamed(&table(api, "cursor/airports")).await, all_codes());
    world.assert_counts_agree();
}

async fn forgets(answer: ExpiredCursor) {
    let world = World::new("");
    let cursors = PaginationParams::cursor("cursor", "_limit", "next_cursor");
    let table = table(world.api().pagination_params(cursors), "cursor/airports");
    let read = async {
        let mut rows = table.stream_values();
        let mut ids = Vec::new();
        while let Some((id, _)) = rows.try_next().await.unwrap() {
            ids.push(id);
            if ids.len() == 500 {
                world.server.expire_cursors(answer);
            }
        }
        ids
    };
    assert_eq!(Priority::Essential.scope(read).await, all_codes());
    // 3 pages, 1 refused, and the 17 pages of a listing: a dead cursor is
    // sent once.
    assert_eq!(world.server.stats().requests(), 3 + 1 + 17);
    world.assert_counts_agree();
}

#[tokio::test]
async fn a_cursor_the_server_refuses_restarts_the_listing_and_gives_no_row_twice() {
    forgets(ExpiredCursor::Gone).await;
}

#[tokio::test]
async fn a_cursor_lost_behind_a_server_error_restarts_the_listing_too() {
    forgets(ExpiredCursor::ServerError).await;
}

#[tokio::test]
async fn a_cursor_refused_for_another_reason_is_not_taken_for_a_lost_one() {
    for status in [401, 403] {
        let world = World::new(&format!("{status}@#2-100"));
        let cursors = PaginationParams::cursor("cursor", "_limit", "next_cursor");
        let table = table(world.api().pagination_params(cursors), "cursor/airports");
        let err = Priority::Essential.scope(table.list_values()).await.unwrap_err();
        assert!(err.to_string().contains(&format!("status: {status}")), "{err}");
        assert_eq!(world.server.stats().requests(), 2, "the listing does not start again");
    }
}

#[tokio::test]
async fn a_dropped_stream_leaves_nothing_in_flight() {
    let world = World::new("hang@#3-9");
    let api = world.api().pagination_params(PaginationParams::default()).total_key("total");
    let api = api.prefetch(3).build();
    let table = Table::<_, EmptyEntity>::new("airports", api.clone()).with_id_column("iata");
    {
        let mut rows = table.stream_values();
        let first = async { rows.try_next().await.unwrap().unwrap().0 };
        assert_eq!(Priority::Essential.scope(first).await, all_codes()[0]);
    }
    assert_eq!(api.client().in_flight(), 0);
    world.assert_counts_agree();
}
