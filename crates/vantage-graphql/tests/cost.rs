//! What rendering allocates, and what a stream keeps in memory.

use std::num::NonZeroU32;

use futures_util::TryStreamExt as _;
use mockito::ServerGuard;
use serde_json::{Value as Json, json};
use vantage_dataset::traits::ReadableValueSet;
use vantage_graphql::{
    ConnectionArgs, FieldCondition, FilterDialect, GraphqlApi, GraphqlOp, GraphqlSelect,
};
use vantage_table::table::Table;
use vantage_types::EmptyEntity;

fn select(conditions: usize) -> GraphqlSelect {
    let fields = (0..20).map(|at| format!("field_{at}"));
    let select = GraphqlSelect::new().with_root_field("rows").with_dialect(FilterDialect::Hasura);
    let select = fields.fold(select, GraphqlSelect::with_field);
    (0..conditions).fold(select, |select, at| {
        let value = format!("value {at}");
        select.with_condition(FieldCondition::new(format!("field_{at}"), GraphqlOp::Gt, value))
    })
}

/// Allocations of rendering `select`, which resolves nothing and so never waits.
fn allocations(select: &GraphqlSelect) -> u64 {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    let counted = allocation_counter::measure(|| {
        let mut rendering = std::pin::pin!(select.render());
        assert!(rendering.as_mut().poll(&mut context).is_ready());
    });
    counted.count_total
}

#[test]
fn a_document_costs_one_allocation_and_its_conditions_one_more() {
    assert_eq!(allocations(&select(0)), 1);
    assert!(allocations(&select(10)) <= 2, "the goal is two for each of the ten");
}

const PAGE: u32 = 200;

/// A connection of `total` rows, answered from a thread of its own.
fn server(total: u64) -> ServerGuard {
    let mut server = mockito::Server::new();
    let mock = server.mock("POST", "/").with_body_from_request(move |request| {
        let body: Json = serde_json::from_slice(request.body().expect("a body")).expect("JSON");
        let start = body["variables"]["after"].as_str().map_or(0, |at| at.parse().expect("ours"));
        let end = total.min(start + u64::from(PAGE));
        let edges: Vec<Json> = (start..end)
            .map(|id| json!({"node": {"id": id, "name": format!("row number {id}"), "size": 0.5}}))
            .collect();
        let info = json!({"hasNextPage": end < total, "endCursor": end.to_string()});
        let answer = json!({"data": {"rows": {"edges": edges, "pageInfo": info}}});
        answer.to_string().into_bytes()
    });
    mock.create();
    server
}

fn table(server: &ServerGuard) -> Table<GraphqlApi, EmptyEntity> {
    let api = GraphqlApi::builder(server.url())
        .connection(ConnectionArgs::default())
        .page_size(NonZeroU32::new(PAGE).expect("not zero"))
        .build();
    Table::new("rows", api)
        .with_id_column("id")
        .with_column_of::<String>("name")
        .with_column_of::<f64>("size")
}

/// The most bytes held at one time while all of `server` is streamed, once its
/// connection exists.
fn peak(server: &ServerGuard, total: usize) -> u64 {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let table = table(server);
    runtime.block_on(table.get_value("0")).expect("a row");
    let counted = allocation_counter::measure(|| {
        let count = |count, _| async move { Ok(count + 1) };
        let streamed = runtime.block_on(table.stream_values().try_fold(0, count));
        assert_eq!(streamed.expect("rows"), total);
    });
    counted.bytes_max
}

#[test]
fn a_stream_holds_no_more_however_long_the_set_is() {
    let held = |pages: u64| {
        let total = pages * u64::from(PAGE);
        peak(&server(total), usize::try_from(total).expect("small"))
    };
    let one_page = held(1);
    for pages in [4, 40] {
        let held = held(pages);
        assert!(held < 3 * one_page, "{pages} pages: {held} bytes held, one page {one_page}");
    }
}
