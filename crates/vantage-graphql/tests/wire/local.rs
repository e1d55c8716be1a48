//! Servers that do not filter: conditions apply to the fetched rows.

use serde_json::json;
use vantage_dataset::traits::ReadableValueSet;
use vantage_expressions::DeferredFn;
use vantage_graphql::{
    AnyGraphqlType, GraphqlApi, GraphqlCondition, GraphqlOp, GraphqlOperation, LocalComparison,
    Supports,
};
use vantage_table::{column::core::Column, table::Table};
use vantage_types::EmptyEntity;

use crate::support::Endpoint;

fn api(endpoint: &Endpoint) -> GraphqlApi {
    GraphqlApi::builder(endpoint.url()).supports(Supports::default().with_filter(false)).build()
}

fn runs(api: GraphqlApi) -> Table<GraphqlApi, EmptyEntity> {
    Table::new("runs", api)
        .with_id_column("id")
        .with_column_of::<i64>("length")
        .with_column(Column::<String>::new("kind").with_alias("runKind"))
        .with_column_of::<String>("by.name")
}

async fn endpoint() -> Endpoint {
    Endpoint::with_data(json!({"runs": [
        {"id": "a", "length": 5, "kind": "x", "by": {"name": "Ada"}},
        {"id": null, "length": 10, "kind": "y", "by": null},
        {"id": "c", "length": 10.0, "kind": "x", "by": {"name": "Bob"}},
    ]}))
    .await
}

#[tokio::test]
async fn nothing_of_a_condition_is_sent_and_all_of_it_applies() {
    let endpoint = endpoint().await;
    let table = runs(api(&endpoint));
    for (condition, expected) in [
        (table["length"].gt(5), vec!["~row:1", "c"]),
        (table["kind"].eq("x"), vec!["a", "c"]),
        (table["by.name"].ilike("a%"), vec!["a"]),
        (table["by.name"].is_null(), vec!["~row:1"]),
        (GraphqlCondition::Not(Box::new(table["kind"].eq("x"))), vec!["~row:1"]),
        (table["length"].in_([10]), vec!["~row:1"]),
    ] {
        let narrowed = table.clone().with_condition(condition.clone());
        let rows = narrowed.list_values().await.unwrap();
        assert_eq!(rows.keys().collect::<Vec<_>>(), expected, "{condition:?}");
        assert_eq!(narrowed.get_count().await.unwrap(), expected.len() as i64);
        assert_eq!(
            endpoint.queries().pop().unwrap(),
            "query { runs { id length kind: runKind by { name } } }"
        );
    }
}

#[tokio::test]
async fn one_row_is_picked_from_the_listing() {
    let endpoint = endpoint().await;
    let table = runs(api(&endpoint));
    let long = table.clone().with_condition(table["length"].gt(5));

    assert!(table.get_value("a").await.unwrap().is_some());
    assert!(long.get_value("a").await.unwrap().is_none(), "not in the set");
    assert!(long.get_value("c").await.unwrap().is_some());
    assert!(table.get_value("zzz").await.unwrap().is_none());
    assert!(endpoint.queries().iter().all(|query| !query.contains('(')));
}

#[tokio::test]
async fn numbers_compare_by_structure_unless_asked_otherwise() {
    let endpoint = endpoint().await;
    let count = async |api: GraphqlApi| {
        let table = runs(api);
        let ten = table["length"].eq(10);
        table.with_condition(ten).get_count().await.unwrap()
    };
    assert_eq!(count(api(&endpoint)).await, 1);
    let server_like = GraphqlApi::builder(endpoint.url())
        .supports(Supports::default().with_filter(false))
        .local_comparison(LocalComparison::ServerLike)
        .build();
    assert_eq!(count(server_like).await, 2);
}

#[tokio::test]
async fn deferred_values_are_resolved_and_opaque_ones_refused() {
    let endpoint = endpoint().await;
    let known = |value: serde_json::Value| {
        DeferredFn::from_fn(move || {
            let value = value.clone();
            async move { Ok(AnyGraphqlType::untyped(value)) }
        })
    };
    let table = runs(api(&endpoint));
    let kind = GraphqlCondition::deferred_field("kind", GraphqlOp::Eq, known(json!("y")));
    let rows = table.clone().with_condition(kind).list_values().await.unwrap();
    assert_eq!(rows.len(), 1);

    let opaque = GraphqlCondition::Deferred(known(json!({"kind": {"_eq": "y"}})));
    assert!(table.with_condition(opaque).list_values().await.is_err());
}
