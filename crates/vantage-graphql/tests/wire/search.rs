//! Quick search over a table's text.

use serde_json::json;
use vantage_dataset::traits::ReadableValueSet;
use vantage_graphql::GraphqlApi;
use vantage_table::{
    column::{core::Column, flags::ColumnFlag},
    table::Table,
};
use vantage_types::EmptyEntity;

use crate::support::Endpoint;

fn airports(api: GraphqlApi) -> Table<GraphqlApi, EmptyEntity> {
    Table::new("airports", api).with_id_column("code")
}

fn searchable(name: &str) -> Column<i64> {
    Column::new(name).with_flag(ColumnFlag::Searchable)
}

#[tokio::test]
async fn searches_flagged_columns_else_text_columns_else_nothing() {
    let endpoint = Endpoint::with_data(json!({"airports": []})).await;
    let api = endpoint.hasura();
    for (table, filter) in [
        (
            airports(api.clone())
                .with_column_of::<String>("name")
                .with_column_of::<i64>("elevation"),
            r#"{name: {_ilike: "%x%"}}"#,
        ),
        (
            airports(api.clone()).with_column_of::<String>("name").with_column_of::<String>("city"),
            r#"{_or: [{name: {_ilike: "%x%"}}, {city: {_ilike: "%x%"}}]}"#,
        ),
        (
            airports(api.clone())
                .with_column_of::<String>("name")
                .with_column(searchable("elevation")),
            r#"{elevation: {_ilike: "%x%"}}"#,
        ),
        (
            airports(api.clone())
                .with_column(searchable("city.name"))
                .with_column_of::<String>("name"),
            "{_not: {}}",
        ),
        (airports(api.clone()).with_column_of::<i64>("elevation"), "{_not: {}}"),
    ] {
        table.with_search("x").list_values().await.unwrap();
        let query = endpoint.queries().pop().unwrap();
        assert!(query.contains(&format!("(where: {filter})")), "{query}");
    }
}

#[tokio::test]
async fn text_is_searched_for_as_it_is() {
    let endpoint = Endpoint::with_data(json!({"airports": []})).await;
    let table = airports(endpoint.hasura()).with_column_of::<String>("name");
    table.with_search(r"50%_\").list_values().await.unwrap();
    let query = endpoint.queries().pop().unwrap();
    assert!(query.contains(r#"{_ilike: "%50\\%\\_\\\\%"}"#), "{query}");
}

#[tokio::test]
async fn a_flat_server_refuses_a_search_and_never_answers_with_everything() {
    let endpoint = Endpoint::with_data(json!({"airports": []})).await;
    let table = airports(endpoint.api()).with_column_of::<String>("name");
    let error = table.with_search("x").list_values().await.unwrap_err();
    assert!(error.message().contains("Generic"), "{error}");
    assert!(endpoint.bodies().is_empty());
}
