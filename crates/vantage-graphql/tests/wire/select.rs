//! Selects that are put together by hand, executed.

use serde_json::json;
use vantage_expressions::{
    ExprDataSource, Expression, ExpressiveEnum, Selectable, SelectableDataSource,
};
use vantage_graphql::{AnyGraphqlType, FilterDialect, GraphqlApi, GraphqlCondition, GraphqlSelect};
use vantage_table::{table::Table, traits::table_source::TableSource};
use vantage_types::EmptyEntity;

use crate::support::Endpoint;

#[tokio::test]
async fn rows_come_from_a_list_an_object_or_null() {
    for (data, expected) in [
        (json!({"a": [{"id": 1}, {"id": 2}]}), vec![json!({"id": 1}), json!({"id": 2})]),
        (json!({"a": {"id": 1}}), vec![json!({"id": 1})]),
        (json!({"a": null}), vec![]),
    ] {
        let endpoint = Endpoint::with_data(data).await;
        let select = GraphqlSelect::new().with_root_field("a").with_field("id");
        let rows = endpoint.api().execute_select(&select).await.unwrap();
        let values: Vec<_> = rows.iter().map(|row| row.value().clone()).collect();
        assert_eq!(values, expected);
        assert!(rows.iter().all(|row| row.type_variant().is_none()));
    }
    for data in [json!({}), json!({"a": 7}), json!(null)] {
        let endpoint = Endpoint::with_data(data).await;
        let select = GraphqlSelect::new().with_root_field("a").with_field("id");
        let error = endpoint.api().execute_select(&select).await.unwrap_err();
        assert!(error.message().contains("root field"), "{error}");
    }
}

#[tokio::test]
async fn a_response_path_is_selected_but_not_followed() {
    let endpoint = Endpoint::with_data(json!({"a": {"nodes": [{"id": 1}]}})).await;
    let select = GraphqlSelect::new()
        .with_root_field("a")
        .with_field("id")
        .with_response_path(vec!["nodes".to_owned()]);
    let rows = endpoint.api().execute_select(&select).await.unwrap();
    assert_eq!(rows[0].value(), &json!({"nodes": [{"id": 1}]}));
    assert_eq!(endpoint.queries(), ["query { a { nodes { id } } }"]);
}

#[tokio::test]
async fn a_tables_select_is_in_the_apis_dialect() {
    let endpoint = Endpoint::with_data(json!({"a": []})).await;
    let api = GraphqlApi::builder(endpoint.url())
        .dialect(FilterDialect::Hasura)
        .filter_arg_name("filter")
        .build();
    let table = Table::<_, EmptyEntity>::new("a", api.clone())
        .with_id_column("id")
        .with_condition(GraphqlCondition::eq("id", "7"));

    assert!(api.select().root_field().is_none());
    api.execute_select(&table.select()).await.unwrap();

    assert_eq!(endpoint.queries(), ["query { a(filter: {id: {_eq: \"7\"}}) { id } }"]);
}

#[tokio::test]
async fn expressions_are_refused_naming_what_to_use() {
    let api = GraphqlApi::new("http://localhost/graphql");
    let expression = Expression::<AnyGraphqlType>::new("count()", Vec::new());
    let error = api.execute(&expression).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "GraphqlApi does not support Expression-based execution; use GraphqlSelect"
    );
    assert!(api.defer(expression).call().await.is_err());
}

#[test]
fn a_select_column_is_its_alias() {
    let api = GraphqlApi::new("http://localhost/graphql");
    let mut select = api.select();
    let expression = || Expression::<AnyGraphqlType>::new("upper(name)", Vec::new());
    api.add_select_column(&mut select, expression(), Some("loud"));
    api.add_select_column(&mut select, expression(), None);
    assert_eq!(select.fields(), ["loud"]);
    assert!(select.has_fields());
}

#[tokio::test]
async fn columns_values_resolve_to_a_list_when_asked_for() {
    let endpoint = Endpoint::with_data(json!({"a": [{"id": 1}, {"id": 2}]})).await;
    let table = Table::<_, EmptyEntity>::new("a", endpoint.api()).with_id_column("id");
    let column = table.get_column::<String>("id").unwrap();

    let api = endpoint.api();
    let values = api.column_table_values_expr(&table, &column);
    assert!(endpoint.bodies().is_empty(), "nothing is read before");
    let resolved = values.expression().resolve_deferred().await.unwrap();

    let [ExpressiveEnum::Scalar(list)] = resolved.parameters.as_slice() else {
        panic!("one value: {resolved:?}");
    };
    assert_eq!(list.value(), &json!([1, 2]));
}

#[test]
fn the_table_source_makes_conditions_and_reads_them_back() {
    let api = GraphqlApi::new("http://localhost/graphql");
    let text = GraphqlApi::eq_condition("a", "x").unwrap();
    let typed = api.eq_value_condition("a", 7_i64.into()).unwrap();
    let several = api.in_values_condition("a", vec![1_i64.into(), "b".into()]).unwrap();
    for (condition, words) in [(text, "a = \"x\""), (typed, "a = 7"), (several, "a IN [1,\"b\"]")] {
        assert_eq!(api.describe_condition(&condition), words);
        assert_eq!(api.condition_column(&condition).as_deref(), Some("a"));
    }
    let either = GraphqlCondition::Or(vec![GraphqlCondition::eq("a", 1)]);
    assert_eq!(api.condition_column(&either), None);
    assert!(!api.can_confine_writes() && !api.supports_traversal());
    let expression = TableSource::expr(&api, "a", Vec::new());
    assert_eq!(expression.template, "a");
    let column = api.create_column::<i64>("n");
    let any = api.to_any_column(column);
    let back = api.convert_any_column::<i64>(any).unwrap();
    assert_eq!(back.name(), "n");
}
