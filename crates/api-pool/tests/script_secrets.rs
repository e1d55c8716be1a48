//! What a script is sent, and what it answers with, is shown without what may be secret in it.

#[path = "support/secrets.rs"]
mod secrets;
mod support;

use api_pool::testing::{Reply, RequestBuilder, Script};
use api_pool::{CallPolicy, ResilientClient};
use secrets::{Output, secret};

/// A request with every secret that a caller can put into one.
fn order(script: &Script, url: &str) -> RequestBuilder {
    script
        .post(url)
        .header("authorization", "Bearer canary-token")
        .header("x-api-key", "canary-key")
        .header("cookie", "canary-cookie")
        .body("canary-body")
}

fn reply() -> Reply {
    Reply::status(200)
        .with_header("set-cookie", "canary-cookie")
        .with_header("location", "/?code=canary-location")
        .with_chunk("canary-body")
}

fn shown(value: &dyn std::fmt::Debug) -> String {
    let mut output = Output::default();
    output.debug(value);
    assert_eq!(output.leaks(), Vec::<&str>::new(), "{}", output.0);
    format!("{value:?}")
}

#[tokio::test(start_paused = true)]
async fn a_request_is_shown_by_its_origin_its_field_names_and_its_length() {
    let script = Script::new([reply()]);
    let url = secret("https://api.test:8443");
    let shows = "method: POST, \
        address: Address { scheme: \"https\", host: \"api.test\", port: Some(8443) }, \
        headers: [\"authorization\", \"x-api-key\", \"cookie\"], body: 11 bytes }";

    let client = ResilientClient::builder().transport(script.clone()).build();
    client.execute(|http| order(http, &url)).await.unwrap();

    assert_eq!(shown(&script.requests()), format!("[Request {{ {shows}]"));
    let built = shows.replace("Address {", "Some(Address {").replace(") },", ") }),");
    let built = built.replace("[\"", "Ok([\"").replace("\"]", "\"])");
    assert_eq!(shown(&order(&script, &url)), format!("RequestBuilder {{ {built}"));
}

#[test]
fn what_is_malformed_in_a_request_is_not_shown_either() {
    let script = Script::new([]);
    let builder = order(&script, &secret("http://no host")).header("x-note", "canary-key\n");
    assert_eq!(
        shown(&builder),
        "RequestBuilder { method: POST, address: None, headers: Err(TransportError { \
         fault: Local, fate: NotSent, text: \"invalid header field\", source: None }), \
         body: 11 bytes }"
    );
}

#[tokio::test(start_paused = true)]
async fn a_response_is_shown_by_its_field_names_and_the_lengths_of_its_parts() {
    let parts = || reply().with_pause(support::secs(1)).with_endless_body("canary-body").with_cut();
    let shows = "Response { status: 200, headers: [\"set-cookie\", \"location\"], length: None, \
        body: [Chunk(11 bytes), Pause(1s), Endless(11 bytes), Cut] }";
    assert_eq!(shown(&parts()), format!("Reply {{ latency: Some(0ns), outcome: Ok({shows}) }}"));

    let client = ResilientClient::builder().transport(Script::new([parts(), reply()])).build();
    let policy = CallPolicy::background();
    let response = client.execute_with(&policy, |http| http.get(support::URL)).await.unwrap();
    assert_eq!(shown(&response), shows);
    let read = client.execute_read(&policy, |http| http.get(support::URL)).await.unwrap();
    shown(&read);
}
