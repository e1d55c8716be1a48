//! What an error says, and that it says it to a program as well.

use std::sync::Arc;

use serde_json::{Map, Value as Json, json};
use vantage_core::VantageError;
use vantage_graphql::{AuthRefresher, GraphqlApi, GraphqlErrors};
use vantage_transport::{FailureKind, RequestFailure};

use crate::support::Endpoint;

async fn refused(api: &GraphqlApi) -> VantageError {
    api.post_graphql("query { a }", &Map::new()).await.expect_err("a refusal")
}

#[tokio::test]
async fn a_status_is_told_with_its_body() {
    let mut server = mockito::Server::new_async().await;
    let url = format!("{}/graphql?api_key=s3cret&v=2", server.url());
    let body = "é".repeat(600);
    server
        .mock("POST", mockito::Matcher::Any)
        .with_status(422)
        .with_body(&body)
        .create_async()
        .await;

    let error = refused(&GraphqlApi::new(url)).await;

    assert_eq!(error.message(), "GraphQL request failed");
    let keys: Vec<_> = error.context.keys().map(String::as_str).collect();
    assert_eq!(keys, ["url", "status", "attempts", "kind", "body", "endpoint"]);
    assert_eq!(error.context["status"], "422");
    assert_eq!(error.context["attempts"], "1");
    assert_eq!(error.context["kind"], "\"status\"");
    assert_eq!(error.context["body"], format!("{:?}", "é".repeat(500)));
    assert_eq!(error.context["url"], error.context["endpoint"]);
    assert!(error.context["url"].ends_with("/graphql?api_key=…&v=2\""), "{error}");
    assert_eq!(RequestFailure::of(&error).unwrap().kind(), FailureKind::Status(422));
}

#[tokio::test]
async fn no_answer_is_told_with_the_transports_words() {
    // A port that was free a moment ago.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let url = format!("http://me:pa55word@{address}/graphql?access_token=s3cret");
    let error = refused(&GraphqlApi::new(url)).await;

    assert_eq!(error.message(), "GraphQL request failed");
    let keys: Vec<_> = error.context.keys().map(String::as_str).collect();
    assert_eq!(keys, ["url", "attempts", "kind", "detail", "endpoint"]);
    assert_eq!(RequestFailure::of(&error).unwrap().kind(), FailureKind::Transport);
    let mut shown = format!("{error} {error:?}");
    let mut at: Option<&dyn std::error::Error> = Some(&error);
    while let Some(source) = at {
        shown.push_str(&format!("{source} {source:?}"));
        at = source.source();
    }
    for secret in ["pa55word", "s3cret"] {
        assert!(!shown.contains(secret), "{shown}");
    }
}

#[tokio::test]
async fn what_is_no_json_is_told_as_such() {
    for body in ["<html>", "", "{", "{\"data\":1}}", "\u{feff}{}"] {
        let mut server = mockito::Server::new_async().await;
        server.mock("POST", "/graphql").with_body(body).create_async().await;
        let error = refused(&GraphqlApi::new(format!("{}/graphql", server.url()))).await;
        assert_eq!(error.message(), "Failed to parse GraphQL response as JSON");
        let keys: Vec<_> = error.context.keys().map(String::as_str).collect();
        assert_eq!(keys, ["detail", "url", "status", "endpoint"]);
        assert_eq!(error.context["status"], "200");
    }
}

#[tokio::test]
async fn json_nested_beyond_reason_is_an_error_and_not_a_crash() {
    let mut server = mockito::Server::new_async().await;
    let body = format!("{{\"data\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    server.mock("POST", "/graphql").with_body(body).create_async().await;
    let error = refused(&GraphqlApi::new(format!("{}/graphql", server.url()))).await;
    assert_eq!(error.message(), "Failed to parse GraphQL response as JSON");
}

#[tokio::test]
async fn reported_errors_keep_their_details_and_the_data() {
    let reported = json!([
        {
            "message": "no such field",
            "path": ["airports", 0, "nam"],
            "locations": [{"line": 1, "column": 9}],
            "extensions": {"code": "BAD_FIELD", "hint": "name"},
        },
        {"message": "too deep"},
        {"note": "not even a message"},
    ]);
    let answer = json!({"data": {"airports": [{"code": "TXL"}]}, "errors": reported});
    let endpoint = Endpoint::new(move |_| answer.clone()).await;

    let error = refused(&endpoint.api()).await;

    assert_eq!(error.message(), "GraphQL response carried errors");
    assert_eq!(error.context["errors"], "\"no such field; too deep; unspecified error\"");
    assert_eq!(error.context.keys().next().map(String::as_str), Some("errors"));
    assert_eq!(error.context["codes"], "\"BAD_FIELD\"");
    assert_eq!(error.context["url"], format!("{:?}", endpoint.url()));
    assert_eq!(error.context["endpoint"], error.context["url"]);

    let errors = GraphqlErrors::of(&error).unwrap();
    assert_eq!(errors.data(), &json!({"airports": [{"code": "TXL"}]}));
    assert!(errors.has_code("BAD_FIELD") && !errors.has_code("OTHER"));
    let first = &errors.errors()[0];
    assert_eq!(first.message(), "no such field");
    assert_eq!(first.code(), Some("BAD_FIELD"));
    assert_eq!(first.path(), Some(&json!(["airports", 0, "nam"])));
    assert_eq!(first.locations(), Some(&json!([{"line": 1, "column": 9}])));
    assert_eq!(first.extensions(), Some(&json!({"code": "BAD_FIELD", "hint": "name"})));
    assert_eq!(errors.errors()[1].code(), None);

    assert_eq!(endpoint.bodies().len(), 1, "a GraphQL error is never tried again");
    assert_eq!(endpoint.api().breaker_state(), Some(vantage_graphql::BreakerState::Closed));
}

#[tokio::test]
async fn reported_errors_do_not_repeat_the_tokens_that_were_sent() {
    let mut server = mockito::Server::new_async().await;
    server
        .mock("POST", "/graphql")
        .with_body_from_request(|request| {
            let token = request.header("authorization")[0].to_str().unwrap().to_owned();
            let extensions = json!({"code": token, "sent": [{"authorization": token}]});
            let error = json!({"message": format!("expired: {token}"), "extensions": extensions});
            json!({"errors": [error]}).to_string().into_bytes()
        })
        .create_async()
        .await;
    let builder = || GraphqlApi::builder(format!("{}/graphql", server.url()));
    let fixed = builder().auth("Bearer fixed-canary").build();
    let asked = fixed.with_bearer_source(Arc::new(|| Some("asked-canary".to_owned())));
    let refresher: AuthRefresher = Arc::new(|| Box::pin(async { Ok("refreshed-canary".into()) }));
    let refreshed = builder().auth_refresher(refresher).build();

    for api in [fixed, asked, refreshed] {
        let error = refused(&api).await;
        assert_eq!(error.context["errors"], "\"expired: Bearer …\"");
        assert_eq!(error.context["codes"], "\"Bearer …\"");
        let reported = GraphqlErrors::of(&error).unwrap();
        let sent = &reported.errors()[0].extensions().unwrap()["sent"];
        assert_eq!(sent, &json!([{"authorization": "Bearer …"}]));
        assert!(!format!("{error:?} {reported:?}").contains("canary"), "{error:?}");
    }
}

#[tokio::test]
async fn other_failures_report_no_graphql_errors() {
    let endpoint = Endpoint::with_data(Json::Null).await;
    let error = vantage_core::error!("something else");
    assert!(GraphqlErrors::of(&error).is_none());
    assert!(endpoint.bodies().is_empty());
}

#[tokio::test]
async fn reported_errors_do_not_open_the_breaker() {
    let endpoint = Endpoint::new(|_| json!({"errors": [{"message": "no"}]})).await;
    let api = endpoint.api();
    for _ in 0..10 {
        refused(&api).await;
    }
    assert_eq!(endpoint.bodies().len(), 10);
}
