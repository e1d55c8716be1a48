//! Each request has a span with OpenTelemetry's names, and nothing secret in it.
#![cfg(feature = "spans")]

mod support;

use std::sync::Arc;

use api_pool::testing::{Reply, Script};
use api_pool::{ResilientClient, RetryPolicy, Spans};
use http::Method;
use support::{ms, secs, statuses};
use test_support::Capture;

const URL: &str = "https://user:s3cret@api.test/p4th?key=s3cret";

fn client(script: Script) -> ResilientClient<Script> {
    ResilientClient::builder()
        .transport(script)
        .entropy(|| 0)
        .retry(RetryPolicy::new(1, ms(10), secs(1)))
        .observer("airports", Arc::new(Spans))
        .build()
}

/// The captured lines of spans, without what stands before the fields.
fn spans(capture: &Capture) -> Vec<String> {
    let text = capture.text();
    text.lines().map(|line| line.split_once("span ").unwrap_or_default().1.to_owned()).collect()
}

fn opened(method: &str) -> String {
    format!(
        "http_client_request otel.name={method} otel.kind=client api_pool.key=airports \
         http.request.method={method} url.scheme=https server.address=api.test server.port=443"
    )
}

#[tokio::test(start_paused = true)]
async fn a_retried_request_has_a_span_for_each_attempt() {
    let capture = Capture::start();
    let client = client(statuses([503, 200]));
    client.execute(|http| http.get(URL).header("x-key", "s3cret")).await.unwrap();

    assert_eq!(
        spans(&capture),
        [
            opened("GET"),
            "1 http.response.status_code=503".to_owned(),
            "1 error.type=503".to_owned(),
            "1 otel.status_code=ERROR".to_owned(),
            format!("{} http.request.resend_count=1", opened("GET")),
            "2 http.response.status_code=200".to_owned(),
        ]
    );
    capture.assert_free_of(&["s3cret", "p4th", "x-key"]);
}

#[tokio::test(start_paused = true)]
async fn a_failure_without_an_answer_has_its_kind() {
    let capture = Capture::start();
    let client = client(Script::new([Reply::fault(api_pool::Fault::Broken), Reply::hang()]));

    let call = client.execute(|http| http.post(URL));
    tokio::time::timeout(secs(1), call).await.unwrap_err();

    assert_eq!(
        spans(&capture),
        [
            opened("POST"),
            "1 error.type=transport".to_owned(),
            "1 otel.status_code=ERROR".to_owned(),
            format!("{} http.request.resend_count=1", opened("POST")),
            "2 error.type=cancelled".to_owned(),
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_method_of_one_s_own_does_not_become_a_name() {
    let capture = Capture::start();
    let own = Method::from_bytes(b"s3cret").unwrap();
    client(statuses([200])).execute(|http| http.request(own.clone(), URL)).await.unwrap();
    assert_eq!(spans(&capture)[0], opened("_OTHER"));
}
