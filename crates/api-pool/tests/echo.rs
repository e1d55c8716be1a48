//! A token that a server repeats in a refusal is not passed on, whole or in part, early or late.

mod support;

use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};

use api_pool::testing::{Reply, Request, Script};
use api_pool::{CallPolicy, ResilientClient, ResilientClientBuilder};
use http::{HeaderMap, HeaderName, HeaderValue};
use support::{URL, ms, secs};

/// How much of an error body is kept, in bytes.
const KEPT: usize = 2048;

/// What the first and the second token look like.
const TOKENS: [&str; 2] = ["first-canary", "second-canary"];

fn authorization(request: &Request) -> String {
    let value = request.headers().get("authorization").and_then(|value| value.to_str().ok());
    value.unwrap_or_default().to_owned()
}

fn authenticated(script: &Script) -> ResilientClientBuilder<Script> {
    let issued = AtomicUsize::new(0);
    ResilientClient::builder().transport(script.clone()).bearer_tokens(move || {
        let number = issued.fetch_add(1, Ordering::Relaxed);
        async move { Ok::<_, Infallible>(TOKENS[number]) }
    })
}

async fn body(client: &ResilientClient<Script>, url: &str) -> String {
    let policy = CallPolicy::background();
    let error = client.execute_read(&policy, |http| http.get(url)).await.expect_err("a refusal");
    error.body.expect("an echo")
}

#[tokio::test(start_paused = true)]
async fn a_token_is_not_shown_in_part_where_the_body_is_cut() {
    for shown in 0..TOKENS[0].len() {
        let script = Script::answering(move |request| {
            let filler = "x".repeat(KEPT - "Bearer ".len() - shown);
            Reply::status(500).with_body(format!("{filler}{}", authorization(request)))
        });

        let body = body(&authenticated(&script).build(), URL).await;

        let start = body.trim_start_matches('x');
        // Two letters are hidden by nothing that is as short.
        let expected = if shown < 3 { &TOKENS[0][..shown] } else { "…" };
        assert_eq!(start, format!("Bearer {expected}"));
        assert!(body.len() <= KEPT);
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_that_is_complete_may_end_as_a_token_begins() {
    let script = Script::answering(|_| Reply::status(500).with_body("the first"));
    assert_eq!(body(&authenticated(&script).build(), URL).await, "the first");
}

#[tokio::test(start_paused = true)]
async fn a_late_echo_of_a_token_that_was_replaced_is_as_quiet() {
    let script = Script::answering(|request| {
        let token = authorization(request);
        match request.uri().path() {
            "/slow" => Reply::status(500).with_body(token).after(secs(5)),
            _ if token.ends_with(TOKENS[0]) => Reply::status(401).after(ms(10)),
            _ => Reply::ok(token),
        }
    });
    let client = authenticated(&script).build();

    let (late, replaced) =
        tokio::join!(body(&client, "http://api.test/slow"), client.execute(|http| http.get(URL)));

    assert!(replaced.is_ok());
    assert_eq!(late, "Bearer …");
}

#[tokio::test(start_paused = true)]
async fn a_judged_answer_is_no_exception() {
    let script = Script::answering(|request| Reply::ok(authorization(request)));
    let client = authenticated(&script).build();

    let policy = CallPolicy::background();
    let judged = client.execute_judged(&policy, |http| http.get(URL), |_| Some(503)).await;

    assert_eq!(judged.unwrap_err().body.as_deref(), Some("Bearer …"));
}

#[tokio::test(start_paused = true)]
async fn a_success_that_repeats_tokens_can_be_shown_without_them() {
    let script = Script::answering(|request| {
        let key = request.headers()["x-api-key"].to_str().unwrap_or_default().to_owned();
        Reply::ok(format!("{} and {key}", authorization(request)))
    });
    let client = authenticated(&script).build();
    let mut key = HeaderValue::from_static("marked-canary");
    key.set_sensitive(true);
    let sent = HeaderMap::from_iter([(HeaderName::from_static("x-api-key"), key)]);

    let policy = CallPolicy::background();
    let build = |http: &Script| http.get(URL).header("x-api-key", "marked-canary");
    let answer = client.execute_read(&policy, build).await.unwrap();
    let text = String::from_utf8_lossy(answer.body());

    assert_eq!(text, format!("Bearer {} and marked-canary", TOKENS[0]));
    assert_eq!(client.redact(text, &sent), "Bearer … and …");
    assert_eq!(client.redact("Bearer first-c", &sent), "Bearer …");
    assert_eq!(client.redact("marked-c", &HeaderMap::new()), "marked-c");
}

#[tokio::test(start_paused = true)]
async fn a_token_that_starts_as_a_marked_value_does_is_hidden_to_its_end() {
    let client = authenticated(&Script::new([Reply::ok("")])).build();
    client.execute(|http| http.get(URL)).await.unwrap();
    let mut key = HeaderValue::from_static("first-ca");
    key.set_sensitive(true);
    let sent = HeaderMap::from_iter([(HeaderName::from_static("x-api-key"), key)]);

    assert_eq!(client.redact("Bearer first-canary, first-ca, first", &sent), "Bearer …, …, …");
}
