//! From a table to a URL.

use ciborium::Value as Cbor;
use serde_json::json;
use vantage_dataset::prelude::ReadableValueSet;
use vantage_rest::{FilterStrategy, OrderingParams, PaginationParams, RestApi, eq_condition};
use vantage_table::{
    pagination::Pagination, prelude::Table, sorting::OrderBy, traits::table_source::TableSource,
};
use vantage_types::EmptyEntity;

use crate::support::{Api, Users, users};

async fn asks(api: &mut Api, table: Users, path: &str) {
    api.answers(path, json!([])).await;
    table.list_values().await.unwrap();
    api.assert().await;
}

#[tokio::test]
async fn params_come_in_a_fixed_order() {
    let mut api = Api::new().await;
    let rest = api.builder().ordering(OrderingParams::new("sort", "-")).build();
    let name = rest.expr("name", vec![]);
    let mut table = users(rest)
        .with_condition(eq_condition("team", "a b"))
        .with_condition(eq_condition("level", 3))
        .with_order(OrderBy::descending(name));
    table.set_pagination(Some(Pagination::new(2, 10)));
    asks(&mut api, table, "/users?_page=2&_limit=10&sort=-name&team=a%20b&level=3").await;
}

#[tokio::test]
async fn skip_mode_sends_the_offset() {
    let mut api = Api::new().await;
    let skip = PaginationParams::skip_limit("skip", "take");
    let mut table = users(api.builder().pagination_params(skip).build());
    table.set_pagination(Some(Pagination::window(7, 5)));
    asks(&mut api, table, "/users?skip=7&take=5").await;
}

#[tokio::test]
async fn a_listing_sends_no_paging_params() {
    let mut api = Api::new().await;
    let table = users(api.builder().pagination_params(PaginationParams::default()).build());
    asks(&mut api, table, "/users").await;
}

#[tokio::test]
async fn placeholders_use_conditions_up_and_the_rest_are_params() {
    let mut api = Api::new().await;
    let table = Table::<RestApi, EmptyEntity>::new("teams/{team}/users?active=1", api.build())
        .with_condition(eq_condition("level", 3))
        .with_condition(eq_condition("team", "a/b"));
    asks(&mut api, table, "/teams/a%2Fb/users?active=1&level=3").await;
}

#[tokio::test]
async fn values_are_spelled_as_text() {
    let mut api = Api::new().await;
    let table = users(api.build())
        .with_condition(eq_condition("a", true))
        .with_condition(eq_condition("b", -1))
        .with_condition(eq_condition("c", 1.5))
        .with_condition(eq_condition("d", "x"));
    asks(&mut api, table, "/users?a=true&b=-1&c=1.5&d=x").await;
}

#[tokio::test]
async fn client_filters_are_not_sent() {
    let mut api = Api::new().await;
    let table = users(api.builder().filter_strategy(FilterStrategy::Client).build())
        .with_condition(eq_condition("team", "a"));
    asks(&mut api, table, "/users").await;
}

#[tokio::test]
async fn a_condition_without_a_parameter_form_is_not_sent() {
    let mut api = Api::new().await;
    let table = users(api.build())
        .with_condition(eq_condition("team", Cbor::Null))
        .with_condition(eq_condition("name", Cbor::Bytes(vec![1])));
    asks(&mut api, table, "/users").await;
}

#[tokio::test]
async fn an_unfilled_placeholder_sends_nothing() {
    let api = Api::new().await;
    let table = Table::<RestApi, EmptyEntity>::new("teams/{team}/users", api.build());
    let err = table.list_values().await.unwrap_err();
    let text = "No eq-condition provided for URI placeholder (placeholder: \"team\", \
                table_name: \"teams/{team}/users\")";
    assert_eq!(err.to_string(), text);
}

#[tokio::test]
async fn an_unclosed_placeholder_sends_nothing() {
    let api = Api::new().await;
    let table = Table::<RestApi, EmptyEntity>::new("teams/{team", api.build());
    let err = table.list_values().await.unwrap_err();
    let text = "Unclosed `{` in table name URI template (table_name: \"teams/{team\")";
    assert_eq!(err.to_string(), text);
}

#[tokio::test]
async fn a_placeholder_value_cannot_change_the_path() {
    let api = Api::new().await;
    for value in ["..", ".", ""] {
        let table = Table::<RestApi, EmptyEntity>::new("teams/{team}/users", api.build())
            .with_condition(eq_condition("team", value));
        let err = table.list_values().await.unwrap_err();
        assert_eq!(err.message(), "URI placeholder value would change the path", "{value:?}");
    }
}

#[tokio::test]
async fn a_base_with_a_trailing_slash_makes_no_double_slash() {
    let mut api = Api::new().await;
    api.answers("/users", json!({"data": []})).await;
    let rest = RestApi::new(format!("{}/", api.url()));
    users(rest).list_values().await.unwrap();
    api.assert().await;
}
