//! `RestApi` and its builder.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::json;
use vantage_core::Priority;
use vantage_dataset::prelude::ReadableValueSet;
use vantage_rest::{
    AuthFuture, AuthRefresher, BearerSource, BreakerState, FilterStrategy, OrderingParams,
    PaginationParams, ResilientClient, ResponseShape, RestApi, RestApiBuilder,
};

use crate::support::{Api, Events, users};

const CANARY: &str = "s3cret-canary";

#[test]
fn every_setter_takes_and_returns_the_builder() {
    let source: BearerSource = Arc::new(|| None);
    let refresh = || -> AuthFuture { Box::pin(async { Ok("token".to_owned()) }) };
    let refresher: AuthRefresher = Arc::new(refresh);
    let builder: RestApiBuilder = RestApi::builder("http://h")
        .max_parallel(0)
        .rate_limit(10.0)
        .request_timeout(Duration::from_secs(1))
        .no_request_timeout()
        .observer("key", Events::new())
        .http_client(reqwest::Client::new())
        .auth("Basic x")
        .auth_refresher(refresher)
        .bearer_source(source)
        .response_shape(ResponseShape::WrappedByTableName)
        .pagination_params(PaginationParams::default())
        .no_pagination()
        .filter_strategy(FilterStrategy::Client)
        .total_key("total")
        .ordering(OrderingParams::new("sort", "-"))
        .debug(true);
    let api: RestApi = builder.clone().build();
    assert_eq!(api.total_key(), Some("total"));
    assert_eq!(api.ordering(), Some(&OrderingParams::new("sort", "-")));
    assert_eq!(api.base_url(), "http://h");
    assert_eq!(api.breaker_state(), Some(BreakerState::Closed));
    let client: &ResilientClient = api.client();
    assert_eq!(client.key(), Some("key"));
}

#[test]
fn new_is_the_builder_with_every_default() {
    let api = RestApi::new("http://h");
    assert_eq!((api.total_key(), api.ordering()), (None, None));
    assert_eq!(api.breaker_state(), Some(BreakerState::Closed), "the breaker is always there");
}

#[test]
fn no_debug_form_shows_a_token() {
    let fixed = RestApi::builder("http://me:s3cret-canary@h?api_key=s3cret-canary").auth(CANARY);
    let shown = format!("{fixed:?} {:?}", fixed.clone().build());
    assert!(!shown.contains(CANARY), "{shown}");
    assert!(shown.contains("<set>"), "{shown}");
    let source = RestApi::new("http://h").with_bearer_source(Arc::new(|| Some(CANARY.to_owned())));
    let shown = format!("{source:?}");
    assert!(!shown.contains(CANARY), "{shown}");
    assert!(shown.contains("<per request>"), "{shown}");
}

#[tokio::test]
async fn credentials_that_a_refusal_repeats_are_not_shown() {
    let source: BearerSource = Arc::new(|| Some(CANARY.to_owned()));
    let fixed = |api: &Api| api.builder().auth(format!("Bearer {CANARY}")).build();
    let asked = |api: &Api| api.builder().bearer_source(source.clone()).build();
    for set_up in [&fixed as &dyn Fn(&Api) -> RestApi, &asked] {
        let mut api = Api::new().await;
        let echo = format!("you sent: Bearer {CANARY}, for what?");
        api.server().mock("GET", "/users").with_status(403).with_body(echo).create_async().await;

        let error = users(set_up(&api)).list_values().await.unwrap_err();

        let shown = format!("{error} {error:?} {error:#?}");
        assert!(!shown.contains(CANARY), "{shown}");
        assert!(shown.contains("you sent: Bearer …, for what?"), "{shown}");
    }
}

#[tokio::test]
async fn a_fixed_value_is_sent_whole() {
    let mut api = Api::new().await;
    let mock = api.server().mock("GET", "/users").match_header("authorization", "Basic abc");
    let mock = mock.with_body("[]").create_async().await;
    users(api.builder().auth("Basic abc").build()).list_values().await.unwrap();
    mock.assert_async().await;
}

#[tokio::test]
async fn a_source_is_asked_for_each_request_and_sent_as_a_bearer() {
    let mut api = Api::new().await;
    let mock = api.server().mock("GET", "/users").match_header("authorization", "Bearer t1");
    let first = mock.with_body("[]").create_async().await;
    let mock = api.server().mock("GET", "/users").match_header("authorization", "Bearer t2");
    let second = mock.with_body("[]").create_async().await;
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = asked.clone();
    let source: BearerSource =
        Arc::new(move || Some(format!("t{}", counter.fetch_add(1, Ordering::Relaxed) + 1)));
    let table = users(api.builder().bearer_source(source).build());
    table.list_values().await.unwrap();
    table.list_values().await.unwrap();
    assert_eq!(asked.load(Ordering::Relaxed), 2);
    first.assert_async().await;
    second.assert_async().await;
}

#[tokio::test]
async fn a_source_that_yields_nothing_sends_no_header_even_over_a_fixed_value() {
    let mut api = Api::new().await;
    let mock = api.server().mock("GET", "/users");
    let mock = mock.match_header("authorization", mockito::Matcher::Missing).with_body("[]");
    let mock = mock.create_async().await;
    let fixed = api.builder().auth("Basic abc").build();
    users(fixed.with_bearer_source(Arc::new(|| None))).list_values().await.unwrap();
    mock.assert_async().await;
}

#[tokio::test]
async fn a_refused_token_of_a_source_is_final() {
    let mut api = Api::new().await;
    api.answers_with("/users", 401, "no", 1).await;
    let source: BearerSource = Arc::new(|| Some("stale".to_owned()));
    let table = users(api.builder().bearer_source(source).build());
    let read = Priority::Essential.scope(table.list_values());
    let err = read.await.unwrap_err();
    assert!(err.to_string().contains(r#"status: 401, attempts: 1, kind: "status""#), "{err}");
    api.assert().await;
}

#[tokio::test]
async fn the_priority_of_the_task_decides_about_retries() {
    let mut api = Api::new().await;
    api.answers_with("/users", 503, "down", 1).await;
    let events = Events::new();
    let table = users(api.builder().observer("api", events.clone()).build());
    let err = table.list_values().await.unwrap_err();
    assert!(err.to_string().contains("status: 503, attempts: 1"), "{err}");
    assert_eq!(events.take(), ["api started", "api failed status"]);

    let recovered = api.server().mock("GET", "/users").with_body("[]").create_async().await;
    Priority::Essential.scope(table.list_values()).await.unwrap();
    recovered.assert_async().await;
}

#[tokio::test]
async fn clones_share_the_client() {
    let mut api = Api::new().await;
    api.answers_times("/users", json!([]), 2).await;
    let events = Events::new();
    let rest = api.builder().observer("api", events.clone()).build();
    users(rest.clone()).list_values().await.unwrap();
    users(rest.with_bearer_source(Arc::new(|| None))).list_values().await.unwrap();
    assert_eq!(events.take().iter().filter(|line| *line == "api succeeded 200").count(), 2);
}
