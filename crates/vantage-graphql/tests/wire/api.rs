//! The endpoint and its builder: what is configured is what is sent.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::{Map, json};
use vantage_graphql::{
    AuthRefresher, BearerSource, BreakerState, CountMode, FilterDialect, GraphqlApi,
    GraphqlApiBuilder, Priority, Supports, TransportEvent, TransportObserver,
};

use crate::support::Endpoint;

/// Counts events.
#[derive(Default)]
struct Log(Mutex<Vec<(String, TransportEvent)>>);

impl TransportObserver for Log {
    fn on_event(&self, key: &str, event: TransportEvent) {
        self.0.lock().expect("not poisoned").push((key.to_owned(), event));
    }
}

#[test]
fn a_new_api_has_the_documented_defaults() {
    let api = GraphqlApi::new("http://localhost/graphql");
    assert_eq!(api.endpoint(), "http://localhost/graphql");
    assert_eq!(api.dialect(), FilterDialect::Generic);
    assert!(api.response_path().is_empty());
    assert_eq!(api.root_args(), None);
    assert_eq!(api.breaker_state(), Some(BreakerState::Closed));
    assert_eq!(api.client().in_flight(), 0);
    assert_eq!(api.vista_factory().api().endpoint(), api.endpoint());
}

#[test]
fn a_built_api_shows_its_settings() {
    let api = GraphqlApi::builder("http://localhost/graphql")
        .dialect(FilterDialect::Hasura)
        .root_args(json!({"live": true}))
        .response_path("a.b")
        .build();
    assert_eq!(api.dialect(), FilterDialect::Hasura);
    assert_eq!(api.root_args(), Some(&json!({"live": true})));
    assert_eq!(api.response_path(), ["a", "b"]);
    let builder: GraphqlApiBuilder = GraphqlApi::builder("http://localhost/graphql");
    let _copy = builder.clone();
}

#[test]
fn every_predicate_follows_its_table() {
    use FilterDialect::{Generic, Hasura};
    let none = Supports::default();
    // filter, order, search, operators, paginate, page
    for (dialect, supports, expected) in [
        (Generic, none, [true, false, false, false, false, false]),
        (Hasura, none, [true, true, true, true, false, false]),
        (Hasura, none.with_filter(false), [false, true, false, false, false, false]),
        (Hasura, none.with_order(false), [true, false, true, true, false, false]),
        (Hasura, none.with_search(false), [true, true, false, true, false, false]),
        (Generic, none.with_order(true), [true, true, false, false, false, false]),
        (Generic, none.with_search(true), [true, false, true, false, false, false]),
        (
            Generic,
            none.with_search(true).with_filter(false),
            [false, false, false, false, false, false],
        ),
        (Generic, none.with_paginate(true), [true, false, false, false, true, true]),
        (
            Generic,
            none.with_paginate(true).with_filter(false),
            [false, false, false, false, true, false],
        ),
    ] {
        let api =
            GraphqlApi::builder("http://localhost").dialect(dialect).supports(supports).build();
        let got = [
            api.can_filter(),
            api.can_order(),
            api.can_search(),
            api.can_filter_operators(),
            api.can_paginate(),
            api.can_page(),
        ];
        assert_eq!(got, expected, "{dialect:?} {supports:?}");
    }
    assert_eq!(none.count, CountMode::List);
    assert_eq!(none.with_count(CountMode::Aggregate).count, CountMode::Aggregate);
}

#[tokio::test]
async fn posts_exactly_query_and_variables() {
    let endpoint = Endpoint::with_data(json!({"me": {"name": "Ada"}})).await;
    let api = endpoint.api();

    let data = api.post_graphql("query { me { name } }", &Map::new()).await.unwrap();
    assert_eq!(data, json!({"me": {"name": "Ada"}}));

    let mut variables = Map::new();
    variables.insert("id".to_owned(), json!(7));
    api.post_graphql("query ($id: Int) { me { name } }", &variables).await.unwrap();

    assert_eq!(
        endpoint.bodies(),
        [
            json!({"query": "query { me { name } }", "variables": {}}),
            json!({"query": "query ($id: Int) { me { name } }", "variables": {"id": 7}}),
        ]
    );
}

#[tokio::test]
async fn data_that_is_absent_is_null_and_empty_errors_are_none() {
    for answer in [json!({}), json!({"data": null}), json!({"data": null, "errors": []})] {
        let endpoint = Endpoint::new(move |_| answer.clone()).await;
        let data = endpoint.api().post_graphql("query { a }", &Map::new()).await.unwrap();
        assert_eq!(data, json!(null));
    }
}

#[tokio::test]
async fn credentials_are_sent_and_never_shown() {
    let mut server = mockito::Server::new_async().await;
    let url = format!("{}/graphql", server.url());
    let post = async |api: &GraphqlApi| api.post_graphql("query { a }", &Map::new()).await.is_ok();
    let fixed = GraphqlApi::builder(&url).auth("Basic s3cret").build();
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let source: BearerSource = Arc::new(move || {
        count.fetch_add(1, Ordering::SeqCst);
        Some("t0ken".to_owned())
    });
    let refresher: AuthRefresher = Arc::new(|| Box::pin(async { Ok("fre5h".to_owned()) }));
    for (api, header) in [
        (fixed.clone(), "Basic s3cret"),
        (fixed.with_bearer_source(source.clone()), "Bearer t0ken"),
        (GraphqlApi::builder(&url).bearer_source(source).build(), "Bearer t0ken"),
        (GraphqlApi::builder(&url).auth_refresher(refresher).build(), "Bearer fre5h"),
    ] {
        server.reset();
        let mock = server
            .mock("POST", "/graphql")
            .match_header("authorization", header)
            .with_body("{}")
            .create_async()
            .await;
        assert!(post(&api).await);
        mock.assert_async().await;
        let shown = format!("{api:?}");
        for secret in ["s3cret", "t0ken", "fre5h"] {
            assert!(!shown.contains(secret), "{shown}");
        }
    }
    assert_eq!(asked.load(Ordering::SeqCst), 2);

    server.reset();
    let silent = server
        .mock("POST", "/graphql")
        .match_header("authorization", mockito::Matcher::Missing)
        .with_body("{}")
        .create_async()
        .await;
    assert!(post(&fixed.with_bearer_source(Arc::new(|| None))).await);
    silent.assert_async().await;

    let builder = format!("{:?}", GraphqlApi::builder(&url).auth("Basic s3cret"));
    assert!(!builder.contains("s3cret"), "{builder}");
}

#[tokio::test]
async fn an_authorization_that_is_no_header_is_refused_unsent() {
    let endpoint = Endpoint::with_data(json!({})).await;
    let api = GraphqlApi::builder(endpoint.url()).auth("s3cret\n").build();
    let error = api.post_graphql("query { a }", &Map::new()).await.unwrap_err();
    assert_eq!(error.to_string(), "Configured Authorization header value is not valid");
    assert!(endpoint.bodies().is_empty());
}

#[tokio::test]
async fn priority_decides_whether_a_failure_is_tried_again() {
    let mut server = mockito::Server::new_async().await;
    let api = GraphqlApi::builder(format!("{}/graphql", server.url()))
        .tune(|client| client.circuit_breaker(100, Duration::from_secs(1)))
        .build();
    let failing = server.mock("POST", "/graphql").with_status(503).expect(1).create_async().await;
    let error = api.post_graphql("query { a }", &Map::new()).await.unwrap_err();
    assert_eq!(error.context["attempts"], "1");
    failing.assert_async().await;

    server.reset();
    let failing = server.mock("POST", "/graphql").with_status(503).expect(1).create_async().await;
    let ok = server.mock("POST", "/graphql").with_body(r#"{"data":{"a":1}}"#).create_async().await;
    let data = Priority::Essential
        .scope(async { api.post_graphql("query { a }", &Map::new()).await })
        .await
        .unwrap();
    assert_eq!(data, json!({"a": 1}));
    failing.assert_async().await;
    ok.assert_async().await;
}

#[tokio::test]
async fn the_observer_sees_attempts_and_rows() {
    use vantage_dataset::traits::ReadableValueSet;
    let endpoint = Endpoint::with_data(json!({"a": [{"id": 1}, {"id": 2}]})).await;
    let log = Arc::new(Log::default());
    let api = GraphqlApi::builder(endpoint.url()).observer("flights", log.clone()).build();
    let table = vantage_table::table::Table::<_, vantage_types::EmptyEntity>::new("a", api)
        .with_id_column("id");

    table.list_values().await.unwrap();

    let events = log.0.lock().unwrap();
    assert!(events.iter().all(|(key, _)| key == "flights"));
    let names: Vec<String> = events.iter().map(|(_, event)| format!("{event:?}")).collect();
    assert!(names[0].starts_with("Started"), "{names:?}");
    assert!(names[1].starts_with("Succeeded"), "{names:?}");
    assert!(matches!(events[2].1, TransportEvent::RowsPulled { n: 2, .. }), "{names:?}");
    assert_eq!(names.len(), 3);
}

#[tokio::test]
async fn a_client_of_ones_own_is_used_under_either_name() {
    let mut server = mockito::Server::new_async().await;
    let mock = server
        .mock("POST", "/graphql")
        .match_header("x-mine", "yes")
        .with_body("{}")
        .expect(2)
        .create_async()
        .await;
    let mut headers = reqwest::header::HeaderMap::new();
    headers.insert("x-mine", reqwest::header::HeaderValue::from_static("yes"));
    let mine = reqwest::Client::builder().default_headers(headers).build().unwrap();
    let url = format!("{}/graphql", server.url());
    for api in [
        GraphqlApi::builder(&url).http_client(mine.clone()).build(),
        GraphqlApi::builder(&url).client(mine).build(),
    ] {
        api.post_graphql("query { a }", &Map::new()).await.unwrap();
    }
    mock.assert_async().await;
}

#[test]
fn the_remaining_transport_settings_are_accepted() {
    let api = GraphqlApi::builder("http://localhost")
        .max_parallel(2)
        .rate_limit(10.0)
        .request_timeout(Duration::from_secs(1))
        .no_request_timeout()
        .filter_arg_name("filter")
        .count_field("total")
        .build();
    assert_eq!(api.client().key(), None);
}
