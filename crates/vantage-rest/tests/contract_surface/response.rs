//! From a response to rows.

use std::sync::Arc;

use serde_json::json;
use vantage_dataset::prelude::ReadableValueSet;
use vantage_rest::{AuthRefresher, FilterStrategy, ResponseShape, RestApi, eq_condition};
use vantage_table::{column::flags::ColumnFlag, prelude::Column, prelude::Table};
use vantage_types::EmptyEntity;

use crate::support::{Api, Events, Users, ids, json_of, user, users};

#[tokio::test]
async fn each_shape_is_read() {
    for (shape, body) in [
        (ResponseShape::BareArray, json!([user(1, "a")])),
        (ResponseShape::BareArray, user(1, "a")),
        (ResponseShape::default(), json!({"data": [user(1, "a")]})),
        (ResponseShape::WrappedByTableName, json!({"users": [user(1, "a")]})),
    ] {
        let mut api = Api::new().await;
        api.answers("/users", body).await;
        let rest = RestApi::builder(api.url()).response_shape(shape).build();
        let rows = users(rest).list_values().await.unwrap();
        assert_eq!(json_of(&rows["1"]), user(1, "a"));
    }
}

#[tokio::test]
async fn a_keyed_shape_works_with_a_template() {
    let mut api = Api::new().await;
    api.answers("/teams/a/users?level=3", json!({"users": [user(1, "a")]})).await;
    let shape = ResponseShape::WrappedByTableName;
    let rest = RestApi::builder(api.url()).response_shape(shape).build();
    let table = Table::<RestApi, EmptyEntity>::new("teams/{team}/users?level={level}", rest)
        .with_id_column("id")
        .with_condition(eq_condition("team", "a"))
        .with_condition(eq_condition("level", 3));
    assert_eq!(ids(table.list_values().await.unwrap().keys()), ["1"]);
}

async fn failure(shape: ResponseShape, body: &str) -> String {
    let mut api = Api::new().await;
    api.answers_with("/users", 200, body, 1).await;
    let rest = RestApi::builder(api.url()).response_shape(shape).build();
    let text = users(rest).list_values().await.unwrap_err().to_string();
    text.replace(&api.url(), "URL")
}

#[tokio::test]
async fn a_body_of_another_shape_names_what_is_missing() {
    let bare = failure(ResponseShape::BareArray, "7").await;
    let text = "Expected response body to be a JSON array or object (BareArray shape) \
                (url: \"URL/users\")";
    assert_eq!(bare, text);
    let wrapped = failure(ResponseShape::default(), "{}").await;
    let text = "Response missing array under wrapper key (array_key: \"data\", url: \"URL/users\")";
    assert_eq!(wrapped, text);
    let named = failure(ResponseShape::WrappedByTableName, "[]").await;
    let text = "Response missing array under table-name key (table_name: \"users\", \
                url: \"URL/users\")";
    assert_eq!(named, text);
    let items = failure(ResponseShape::BareArray, "[{},7]").await;
    assert_eq!(items, "API data item is not an object (index: 1, url: \"URL/users\")");
}

#[tokio::test]
async fn a_body_that_is_no_json_shows_its_start() {
    let html = failure(ResponseShape::BareArray, "<html>down</html>").await;
    assert!(html.starts_with("Failed to parse API response as JSON (detail: \""), "{html}");
    assert!(html.ends_with("url: \"URL/users\", status: 200, snippet: \"<html>down</html>\")"));
    let empty = failure(ResponseShape::BareArray, "").await;
    assert!(empty.contains("detail: \"the response has no body\""), "{empty}");
}

#[tokio::test]
async fn a_snippet_does_not_repeat_the_tokens_that_were_sent() {
    let mut api = Api::new().await;
    let echo = |request: &mockito::Request| {
        let sent = |name| request.header(name).first().and_then(|value| value.to_str().ok());
        let (token, key) = (sent("authorization"), sent("x-api-key"));
        format!("<p>{} and {}</p>", token.unwrap_or("nothing"), key.unwrap_or("nothing"))
    };
    let body = move |request: &mockito::Request| echo(request).into_bytes();
    api.server().mock("GET", "/users").with_body_from_request(body).create_async().await;
    let refresher: AuthRefresher = Arc::new(|| Box::pin(async { Ok("refreshed-canary".into()) }));
    let key = || async { Ok::<_, std::io::Error>("key-canary") };

    for (rest, shown) in [
        (api.builder().auth("Basic fixed-canary"), "<p>Basic … and nothing</p>"),
        (api.builder().auth_refresher(refresher), "<p>Bearer … and nothing</p>"),
        (
            api.builder()
                .bearer_source(Arc::new(|| Some("asked-canary".to_owned())))
                .tune_client(move |client| client.tokens(key, "X-Api-Key", "")),
            "<p>Bearer … and …</p>",
        ),
    ] {
        let error = users(rest.build()).list_values().await.unwrap_err();
        assert_eq!(error.context["snippet"], format!("{shown:?}"));
        assert!(!format!("{error} {error:?}").contains("canary"), "{error:?}");
    }
}

#[tokio::test]
async fn a_token_is_not_shown_in_part_where_a_snippet_ends() {
    let body = format!("{}Bearer fixed-canary", "x".repeat(200 - "Bearer fixed-c".len()));
    let mut api = Api::new().await;
    api.answers_with("/users", 200, &body, 1).await;
    let rest = api.builder().auth("Bearer fixed-canary").build();
    let error = users(rest).list_values().await.unwrap_err();
    assert!(error.context["snippet"].ends_with("xBearer …\""), "{error}");
}

#[tokio::test]
async fn a_failed_request_is_told_with_its_context() {
    let mut api = Api::new().await;
    api.answers_with("/users", 404, "no such table", 1).await;
    let err = users(api.build()).list_values().await.unwrap_err();
    let text = format!(
        "API request failed (url: \"{}/users\", status: 404, attempts: 1, kind: \"status\", \
         body: \"no such table\")",
        api.url()
    );
    assert_eq!(err.to_string(), text);
}

#[tokio::test]
async fn a_row_without_an_id_is_keyed_by_its_position() {
    let mut api = Api::new().await;
    api.answers("/users", json!([{"id": null}, {"id": ""}, {"name": "x"}, {"id": 7.5}])).await;
    let rows = users(api.build()).list_values().await.unwrap();
    assert_eq!(ids(rows.keys()), ["~row:0", "~row:1", "~row:2", "7.5"]);
}

#[tokio::test]
async fn two_rows_with_one_id_are_an_error() {
    let mut api = Api::new().await;
    api.answers("/users", json!([{"id": 7}, {"id": "7"}])).await;
    let err = users(api.build()).list_values().await.unwrap_err();
    assert_eq!(err.to_string(), "Two rows in the response share an id (id: \"7\")");
}

#[tokio::test]
async fn undeclared_fields_are_kept_in_the_servers_order() {
    let mut api = Api::new().await;
    let row = json!({"zeta": [1, {"a": null}], "id": 1, "alpha": true});
    api.answers("/users", json!([row])).await;
    let rows = users(api.build()).list_values().await.unwrap();
    assert_eq!(json_of(&rows["1"]).to_string(), row.to_string());
}

fn filtered(api: &Api) -> Users {
    users(api.builder().filter_strategy(FilterStrategy::Client).build())
}

#[tokio::test]
async fn client_filters_keep_the_matching_rows_and_report_them() {
    let mut api = Api::new().await;
    api.answers("/users", json!([user(1, "a"), user(2, "b"), user(3, "a")])).await;
    let events = Events::new();
    let rest = api.builder().filter_strategy(FilterStrategy::Client).observer("k", events.clone());
    let table = users(rest.build()).with_condition(eq_condition("team", "a"));
    assert_eq!(ids(table.list_values().await.unwrap().keys()), ["1", "3"]);
    assert_eq!(events.take(), ["k started", "k succeeded 200", "k rows 2"]);
}

#[tokio::test]
async fn a_row_that_lacks_a_filtered_row_field_is_dropped() {
    let mut api = Api::new().await;
    api.answers("/users", json!([{"id": 1}, user(2, "a")])).await;
    let table = filtered(&api).with_condition(eq_condition("team", "a"));
    assert_eq!(ids(table.list_values().await.unwrap().keys()), ["2"]);
}

#[tokio::test]
async fn a_hidden_column_is_a_row_field() {
    let mut api = Api::new().await;
    api.answers("/users", json!([{"id": 1}])).await;
    let mut table = filtered(&api).with_condition(eq_condition("tenant", "a"));
    table.add_column(Column::<ciborium::Value>::new("tenant").with_flag(ColumnFlag::Hidden));
    assert!(table.list_values().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_filter_on_what_rows_need_not_carry_passes_them() {
    let mut api = Api::new().await;
    api.answers_times("/users", json!([{"id": 1}]), 2).await;
    let undeclared = filtered(&api).with_condition(eq_condition("tenant", "a"));
    assert_eq!(undeclared.list_values().await.unwrap().len(), 1);
    let mut declared = filtered(&api).with_condition(eq_condition("tenant", "a"));
    let param = Column::<ciborium::Value>::new("tenant").with_flag(ColumnFlag::RequestParam);
    declared.add_column(param);
    assert_eq!(declared.list_values().await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_number_that_does_not_fit_keeps_its_digits() {
    let mut api = Api::new().await;
    let body =
        r#"[{"id": 12345678901234567890123, "amount": 1234567.12345678901234, "rate": 19.99}]"#;
    api.answers_with("/users", 200, body, 1).await;
    let rows = users(api.build()).list_values().await.unwrap();
    let row = json_of(&rows["12345678901234567890123"]);
    assert_eq!(row["amount"], "1234567.12345678901234");
    assert_eq!(row["rate"], 19.99);
}
