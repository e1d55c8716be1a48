//! Requests that are not table reads.

use mockito::Matcher;
use reqwest::Method;
use serde_json::json;
use vantage_rest::RestRequest;

use crate::support::{Api, Events};

#[tokio::test]
async fn a_write_sends_json_and_is_reported() {
    let mut api = Api::new().await;
    let mock = api.server().mock("POST", "/v1/orders?dry=1");
    let mock = mock
        .match_header("authorization", "Basic abc")
        .match_header("content-type", "application/json")
        .match_header("x-tag", "b")
        .match_body(Matcher::Json(json!({"item": 7})))
        .with_status(201)
        .with_body("made");
    let mock = mock.create_async().await;
    let events = Events::new();
    let rest = api.builder().auth("Basic abc").observer("k", events.clone()).build();
    let headers = [("X-Tag", "a"), ("x-tag", "b")];
    let body = json!({"item": 7});
    let path = "/v1/orders?dry=1";
    let response = rest.http_request(Method::POST, path, &headers, Some(&body)).await.unwrap();
    assert_eq!(response.status().as_u16(), 201);
    assert_eq!(response.text().await.unwrap(), "made");
    assert_eq!(events.take(), ["k started", "k succeeded 201", "k write"]);
    mock.assert_async().await;
}

#[tokio::test]
async fn every_method_but_get_is_reported_as_a_write() {
    let mut api = Api::new().await;
    api.server().mock("HEAD", "/x").create_async().await;
    let events = Events::new();
    let rest = api.builder().observer("k", events.clone()).build();
    rest.http_request(Method::HEAD, "x", &[], None).await.unwrap();
    assert_eq!(events.take(), ["k started", "k succeeded 200", "k write"]);
}

#[tokio::test]
async fn a_callers_header_replaces_the_configured_one() {
    let mut api = Api::new().await;
    let mock = api.server().mock("GET", "/x").match_header("authorization", "Bearer mine");
    let mock = mock.create_async().await;
    let events = Events::new();
    let rest = api.builder().auth("Basic abc").observer("k", events.clone()).build();
    let headers = [("Authorization", "Bearer mine")];
    rest.http_request(Method::GET, "x", &headers, None).await.unwrap();
    assert_eq!(events.take(), ["k started", "k succeeded 200"], "a GET is no write");
    mock.assert_async().await;
}

#[tokio::test]
async fn invalid_headers_send_nothing_and_show_no_value() {
    let api = Api::new().await;
    let events = Events::new();
    let rest = api.builder().observer("k", events.clone()).build();
    let name = rest.http_request(Method::GET, "x", &[("a b", "canary")], None).await;
    let text = name.unwrap_err().to_string();
    assert_eq!(text, r#"HTTP header name is not valid (name: "a b")"#);
    let value = rest.http_request(Method::GET, "x", &[("X-A", "canary\n")], None).await;
    let text = value.unwrap_err().to_string();
    assert_eq!(text, r#"HTTP header value is not valid (name: "X-A")"#);
    let fixed = api.builder().auth("canary\n").observer("k", events.clone()).build();
    let text = fixed.http_request(Method::GET, "x", &[], None).await.unwrap_err().to_string();
    assert_eq!(text, "Configured Authorization header value is not valid");
    assert!(events.take().is_empty());
}

#[tokio::test]
async fn a_status_that_is_not_2xx_is_an_error() {
    let mut api = Api::new().await;
    let mock = api.server().mock("DELETE", "/x").with_status(409).with_body("taken");
    mock.create_async().await;
    let err = api.build().http_request(Method::DELETE, "x", &[], None).await.unwrap_err();
    let text = format!(
        "API request failed (url: \"{}/x\", status: 409, attempts: 1, kind: \"status\", \
         body: \"taken\")",
        api.url()
    );
    assert_eq!(err.to_string(), text);
}

#[tokio::test]
async fn a_request_may_repeat_headers_and_carry_any_body() {
    let mut api = Api::new().await;
    let mock = api.server().mock("PUT", "/import").match_header("content-type", "text/csv");
    let mock = mock.match_body("id\n1\n").match_request(|request| {
        let tags: Vec<_> = request.header("x-tag").iter().map(|v| v.to_str().unwrap()).collect();
        tags == ["a", "b"]
    });
    let mock = mock.create_async().await;
    let events = Events::new();
    let rest = api.builder().observer("k", events.clone()).build();
    let request = RestRequest::new(Method::PUT, "import")
        .header("X-Tag", "a")
        .header("X-Tag", "b")
        .body("text/csv", "id\n1\n");
    rest.send(&request).await.unwrap();
    assert_eq!(events.take(), ["k started", "k succeeded 200", "k write"]);
    mock.assert_async().await;
}

#[tokio::test]
async fn safe_methods_are_no_writes() {
    let mut api = Api::new().await;
    for method in [Method::HEAD, Method::OPTIONS, Method::GET] {
        api.server().mock(method.as_str(), "/x").create_async().await;
        let events = Events::new();
        let rest = api.builder().observer("k", events.clone()).build();
        rest.send(&RestRequest::new(method, "x")).await.unwrap();
        assert_eq!(events.take(), ["k started", "k succeeded 200"]);
    }
}

#[tokio::test]
async fn no_debug_form_of_a_request_shows_a_header_value() {
    let request = RestRequest::new(Method::POST, "x").header("X-Token", "canary").json(json!({}));
    let shown = format!("{request:?}");
    assert!(shown.contains("X-Token") && !shown.contains("canary"), "{shown}");
}
