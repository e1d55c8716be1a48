//! Connections are read page by page, and reading them ends.

use std::num::NonZeroU32;

use futures_util::StreamExt as _;
use serde_json::{Value as Json, json};
use vantage_dataset::traits::ReadableValueSet;
use vantage_graphql::{ConnectionArgs, GraphqlApi, GraphqlApiBuilder, GraphqlCondition, Supports};
use vantage_table::table::Table;
use vantage_types::EmptyEntity;
use vantage_vista::{Capability, CborValue};

use crate::support::Endpoint;

fn rows(api: GraphqlApi) -> Table<GraphqlApi, EmptyEntity> {
    Table::new("rows", api).with_id_column("id")
}

fn builder(endpoint: &Endpoint) -> GraphqlApiBuilder {
    GraphqlApi::builder(endpoint.url())
        .connection(ConnectionArgs::default())
        .page_size(NonZeroU32::new(3).expect("not zero"))
}

fn page(ids: impl IntoIterator<Item = u64>, more: bool, cursor: &str) -> Json {
    let edges: Vec<Json> = ids.into_iter().map(|id| json!({"node": {"id": id}})).collect();
    json!({"data": {"rows": {
        "edges": edges,
        "pageInfo": {"hasNextPage": more, "endCursor": cursor},
    }}})
}

/// Eight rows; a cursor is the number of rows before it.
async fn eight() -> Endpoint {
    Endpoint::new(|body| {
        let variables = &body["variables"];
        let start: u64 =
            variables["after"].as_str().map_or(0, |after| after.parse().expect("ours"));
        let end = (start + variables["first"].as_u64().expect("a size")).min(8);
        page(start..end, end < 8, &end.to_string())
    })
    .await
}

#[tokio::test]
async fn a_listing_reads_every_page() {
    let endpoint = eight().await;

    let listed = rows(builder(&endpoint).build()).list_values().await.unwrap();

    assert_eq!(listed.keys().collect::<Vec<_>>(), ["0", "1", "2", "3", "4", "5", "6", "7"]);
    let edges = "{ edges { node { id } } pageInfo { hasNextPage endCursor } } }";
    let first = format!("query ($first: Int) {{ rows(first: $first) {edges}");
    let later = format!(
        "query ($first: Int, $after: String) {{ rows(first: $first, after: $after) {edges}"
    );
    assert_eq!(
        endpoint.bodies(),
        [
            json!({"query": first, "variables": {"first": 3}}),
            json!({"query": later, "variables": {"first": 3, "after": "3"}}),
            json!({"query": later, "variables": {"first": 3, "after": "6"}}),
        ]
    );
}

#[tokio::test]
async fn counts_and_single_rows_see_every_page() {
    let endpoint = eight().await;
    let table = rows(builder(&endpoint).build());
    assert_eq!(table.get_count().await.unwrap(), 8);

    let local = builder(&endpoint).supports(Supports::default().with_filter(false)).build();
    assert!(rows(local.clone()).get_value("7").await.unwrap().is_some());
    let odd = rows(local).with_condition(GraphqlCondition::eq("id", 5));
    assert_eq!(odd.list_values().await.unwrap().keys().collect::<Vec<_>>(), ["5"]);
}

#[tokio::test]
async fn one_row_is_asked_for_with_a_page_of_its_own() {
    let endpoint = eight().await;
    let found = rows(builder(&endpoint).build()).get_value("2").await.unwrap();
    assert!(found.is_some());
    assert_eq!(
        endpoint.queries(),
        ["query ($first: Int) { rows(find: {id: \"2\"}, first: $first) \
          { edges { node { id } } pageInfo { hasNextPage endCursor } } }"]
    );
}

#[tokio::test]
async fn a_stream_reads_a_page_when_it_is_wanted() {
    let endpoint = eight().await;
    let table = rows(builder(&endpoint).build());
    let mut stream = table.stream_values();
    assert!(endpoint.bodies().is_empty());

    for expected in 0..8 {
        let (id, _) = stream.next().await.unwrap().unwrap();
        assert_eq!(id, expected.to_string());
        assert_eq!(endpoint.bodies().len(), expected / 3 + 1);
    }
    assert!(stream.next().await.is_none());
    assert_eq!(endpoint.bodies().len(), 3);
}

#[tokio::test]
async fn a_stream_of_anything_else_is_its_listing() {
    let endpoint = eight().await;
    let local = builder(&endpoint).supports(Supports::default().with_filter(false)).build();
    let odd = rows(local).with_condition(GraphqlCondition::eq("id", 5));
    let ids: Vec<_> = odd.stream_values().map(|row| row.unwrap().0).collect().await;
    assert_eq!(ids, ["5"]);
}

#[tokio::test]
async fn a_vista_follows_cursors() {
    let endpoint = eight().await;
    let api = builder(&endpoint).build();
    let vista = api.vista_factory().from_table(rows(api.clone())).unwrap();
    assert!(vista.capabilities().has(Capability::Cursor));

    let mut token = None;
    let mut seen = Vec::new();
    loop {
        let (page, next) = vista.fetch_cursor(token, 3).await.unwrap();
        seen.push(page.rows.iter().map(|(id, _)| id.clone()).collect::<Vec<_>>());
        token = next;
        if token.is_none() {
            break;
        }
    }
    assert_eq!(seen, [vec!["0", "1", "2"], vec!["3", "4", "5"], vec!["6", "7"]]);
    assert_eq!(endpoint.bodies().len(), 3);

    let error = vista.fetch_cursor(Some(CborValue::Bool(true)), 3).await.unwrap_err();
    assert!(error.is_incorrect_usage());
    let (page, next) = vista.fetch_cursor(Some(CborValue::Text("3".into())), 0).await.unwrap();
    assert!(page.rows.is_empty());
    assert_eq!(next, Some(CborValue::Text("3".into())));
}

#[tokio::test]
async fn a_leading_window_costs_no_more_pages_than_it_needs() {
    let endpoint = eight().await;
    let api = builder(&endpoint).build();
    let vista = api.vista_factory().from_table(rows(api.clone())).unwrap();

    let page = vista.fetch_window(0, 4).await.unwrap();

    assert_eq!(page.rows.len(), 4);
    assert_eq!(endpoint.bodies().len(), 2);
    assert_eq!(endpoint.bodies()[1]["variables"]["first"], 1);
}

#[tokio::test]
async fn the_first_row_costs_one_small_page() {
    let endpoint = eight().await;
    let (id, _) = rows(builder(&endpoint).build()).get_some_value().await.unwrap().unwrap();
    assert_eq!(id, "0");
    assert_eq!(endpoint.bodies().len(), 1);
    assert_eq!(endpoint.bodies()[0]["variables"], json!({"first": 1}));
}

#[tokio::test]
async fn a_large_page_is_read_in_pages_of_the_configured_size() {
    let endpoint = eight().await;
    let api = builder(&endpoint).build();
    let vista = api.vista_factory().from_table(rows(api.clone())).unwrap();
    let (page, next) = vista.fetch_cursor(None, 100).await.unwrap();
    assert_eq!((page.rows.len(), next), (8, None));
    assert!(endpoint.bodies().iter().all(|body| body["variables"]["first"] == 3));
}

#[tokio::test]
async fn arguments_and_path_may_have_other_names() {
    let endpoint = Endpoint::new(
        |_| json!({"data": {"rows": {"nodes": [{"id": 1}], "pageInfo": {"hasNextPage": false}}}}),
    )
    .await;
    let api = GraphqlApi::builder(endpoint.url())
        .connection(ConnectionArgs::new("take", "from"))
        .response_path("nodes")
        .build();
    assert_eq!(rows(api).list_values().await.unwrap().len(), 1);
    assert_eq!(
        endpoint.queries(),
        ["query ($first: Int) { rows(take: $first) \
          { nodes { id } pageInfo { hasNextPage endCursor } } }"]
    );
}

#[tokio::test]
async fn hostile_servers_end_in_an_error_after_few_requests() {
    let same = Endpoint::new(|_| page(0..3, true, "same")).await;
    let error = rows(builder(&same).row_mode(vantage_graphql::RowMode::Lenient).build())
        .list_values()
        .await
        .unwrap_err();
    assert_eq!(error.message(), "GraphQL connection repeats a cursor");
    assert_eq!(same.bodies().len(), 2);

    let circle = Endpoint::new(|body| {
        page([], true, if body["variables"]["after"] == "a" { "b" } else { "a" })
    })
    .await;
    let error = rows(builder(&circle).build()).list_values().await.unwrap_err();
    assert_eq!(error.message(), "GraphQL connection repeats a cursor");
    assert_eq!(circle.bodies().len(), 3);

    let vista = {
        let api = builder(&same).build();
        api.vista_factory().from_table(rows(api.clone())).unwrap()
    };
    let followed = vista.fetch_cursor(Some(CborValue::Text("same".into())), 3).await;
    assert_eq!(followed.unwrap_err().message(), "GraphQL connection repeats a cursor");

    let endless = Endpoint::new(|body| {
        let after = body["variables"]["after"].as_str().unwrap_or("");
        page([], true, &format!("{after}x"))
    })
    .await;
    let api = builder(&endless).max_pages(NonZeroU32::new(5).unwrap()).build();
    let error = rows(api).list_values().await.unwrap_err();
    assert_eq!(error.message(), "GraphQL connection has too many pages");
    assert_eq!(endless.bodies().len(), 5);

    let silent = Endpoint::new(|_| json!({"data": {"rows": {"edges": []}}})).await;
    let error = rows(builder(&silent).build()).list_values().await.unwrap_err();
    assert!(error.message().contains("pageInfo"), "{error}");
}
