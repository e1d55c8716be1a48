//! Counts, and reads of one row.

use serde_json::json;
use vantage_core::VantageError;
use vantage_dataset::prelude::ReadableValueSet;
use vantage_rest::{FilterStrategy, RestApi, eq_condition};
use vantage_table::{pagination::Pagination, traits::table_source::TableSource};

use crate::support::{Api, ids, user, users};

#[tokio::test]
async fn one_row_is_picked_from_the_listing() {
    let mut api = Api::new().await;
    api.answers_times("/users", json!([user(1, "a"), user(2, "b")]), 3).await;
    let table = users(api.build());
    assert!(table.get_value("2").await.unwrap().is_some());
    assert!(table.get_value("3").await.unwrap().is_none());
    let (id, _) = table.get_some_value().await.unwrap().unwrap();
    assert_eq!(id, "1");
    api.assert().await;
}

#[tokio::test]
async fn a_count_lists_where_no_total_is_told() {
    let mut api = Api::new().await;
    api.answers_times("/users", json!([user(1, "a"), user(2, "b")]), 2).await;
    let table = users(api.build());
    assert_eq!(api.build().get_table_count(&table).await.unwrap(), 2);
    let vista = api.build().vista_factory().from_table(table).unwrap();
    assert_eq!(vista.count().await.unwrap(), 2);
    api.assert().await;
}

#[tokio::test]
async fn a_typed_count_is_of_the_set_whatever_page_the_table_asks_for() {
    let mut api = Api::new().await;
    api.answers("/users", json!([user(1, "a"), user(2, "b"), user(3, "c")])).await;
    let mut table = users(api.build());
    table.set_pagination(Some(Pagination::new(1, 2)));
    assert_eq!(api.build().get_table_count(&table).await.unwrap(), 3);
    api.assert().await;
}

#[tokio::test]
async fn a_count_with_a_total_is_one_request_that_reads_only_the_total() {
    let mut api = Api::new().await;
    api.answers_times("/users?_page=1&_limit=1", json!({"total": 42}), 2).await;
    let rest = RestApi::builder(api.url()).total_key("total").build();
    let mut table = users(rest.clone());
    table.set_pagination(Some(Pagination::new(1, 10)));
    assert_eq!(rest.get_table_count(&table).await.unwrap(), 42, "of the set, not of the page");
    let vista = rest.vista_factory().from_table(table).unwrap();
    assert_eq!(vista.count().await.unwrap(), 42);
    api.assert().await;
}

#[tokio::test]
async fn a_total_that_is_no_integer_is_an_error() {
    let mut api = Api::new().await;
    api.answers("/users?_page=1&_limit=1", json!({"data": [], "total": "42"})).await;
    let rest = RestApi::builder(api.url()).total_key("total").build();
    let vista = rest.vista_factory().from_table(users(rest.clone())).unwrap();
    let err = vista.count().await.unwrap_err();
    let text = "total_key missing or not an integer in API response (total_key: \"total\")";
    assert_eq!(err.to_string(), text);
}

#[tokio::test]
async fn a_count_under_client_filters_counts_the_rows_that_pass() {
    let mut api = Api::new().await;
    let body = json!({"data": [user(1, "a"), user(2, "b")], "total": 2});
    api.answers_times("/users", body, 2).await;
    let rest = RestApi::builder(api.url()).total_key("total");
    let rest = rest.filter_strategy(FilterStrategy::Client).build();
    let table = users(rest.clone()).with_condition(eq_condition("team", "a"));
    assert_eq!(rest.get_table_count(&table).await.unwrap(), 1);
    let vista = rest.vista_factory().from_table(table).unwrap();
    assert_eq!(vista.count().await.unwrap(), 1);
    api.assert().await;
}

#[tokio::test]
async fn a_column_resolves_to_the_values_of_the_rows_that_have_one() {
    let mut api = Api::new().await;
    api.answers("/users", json!([user(1, "a"), {"id": 2}, user(3, "b")])).await;
    let rest = api.build();
    let table = users(rest.clone());
    let team = rest.create_column::<ciborium::Value>("team");
    let values = rest.column_table_values_expr(&table, &team);
    let resolved = vantage_expressions::ExprDataSource::execute(&rest, values.expression()).await;
    assert_eq!(resolved.unwrap(), ciborium::Value::Array(vec!["a".into(), "b".into()]));
}

#[tokio::test]
async fn an_expression_that_needs_no_engine_has_a_value() {
    use ciborium::Value as Cbor;
    use vantage_expressions::{ExprDataSource, ExpressiveEnum};
    let api = Api::new().await;
    let rest = api.build();
    let text = rest.expr("now", vec![]);
    assert_eq!(rest.execute(&text).await.unwrap(), Cbor::from("now"));
    let scalar = rest.expr("{}", vec![ExpressiveEnum::Scalar(Cbor::from(7))]);
    assert_eq!(rest.execute(&scalar).await.unwrap(), Cbor::from(7));
    let deferred = rest.defer(scalar.clone());
    let lone = rest.expr("{}", vec![deferred.into()]);
    assert_eq!(rest.execute(&lone).await.unwrap(), Cbor::from(7));
    let other = rest.expr("{} + {}", [scalar.parameters.clone(), scalar.parameters].concat());
    assert_eq!(rest.execute(&other).await.unwrap(), Cbor::Null);
}

fn refused<T: std::fmt::Debug>(method: &str, result: Result<T, VantageError>) {
    let err = result.unwrap_err();
    assert!(err.is_unsupported());
    let text = format!("REST data source supports reads only (method: \"{method}\")");
    assert_eq!(err.to_string(), text);
}

#[tokio::test]
async fn every_write_and_aggregate_is_refused_and_nothing_is_sent() {
    let api = Api::new().await;
    let rest = api.build();
    let (table, id) = (users(rest.clone()), "1".to_owned());
    let record = vantage_types::Record::new();
    let column = rest.create_column::<ciborium::Value>("id");
    refused("get_table_sum", rest.get_table_sum(&table, &column).await);
    refused("get_table_max", rest.get_table_max(&table, &column).await);
    refused("get_table_min", rest.get_table_min(&table, &column).await);
    refused("insert_table_value", rest.insert_table_value(&table, &id, &record).await);
    refused("replace_table_value", rest.replace_table_value(&table, &id, &record).await);
    refused("patch_table_value", rest.patch_table_value(&table, &id, &record).await);
    refused("delete_table_value", rest.delete_table_value(&table, &id).await);
    refused("delete_table_all_values", rest.delete_table_all_values(&table).await);
    refused(
        "insert_table_return_id_value",
        rest.insert_table_return_id_value(&table, &record).await,
    );
}

#[tokio::test]
async fn an_item_asked_for_by_path_is_one_request() {
    let mut api = Api::new().await;
    api.answers("/users/a%2Fb", json!({"id": "a/b", "team": "x"})).await;
    api.answers_with("/users/none", 404, "", 1).await;
    api.answers("/users/2", json!({"id": 2, "team": "other"})).await;
    api.answers("/users/X", json!({"id": "x", "team": "x"})).await;
    let rest = api.builder().items_by_path().build();
    let table = users(rest);
    assert!(table.get_value("a/b").await.unwrap().is_some());
    assert!(table.get_value("none").await.unwrap().is_none());
    assert!(table.get_value("X").await.unwrap().is_none(), "another row than asked for");
    let narrowed = table.with_condition(eq_condition("team", "x"));
    assert!(narrowed.get_value("2").await.unwrap().is_none(), "it is outside the set");
    api.assert().await;
}

#[tokio::test]
async fn typed_listings_are_one_request() {
    let mut api = Api::new().await;
    api.answers("/users", json!([user(2, "a"), user(1, "b")])).await;
    let rows = users(api.build()).list_values().await.unwrap();
    assert_eq!(ids(rows.keys()), ["2", "1"]);
    api.assert().await;
}
