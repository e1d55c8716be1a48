//! What a caller puts into a request is shown to nobody but the server.

#[path = "support/secrets.rs"]
mod secrets;
#[path = "support/wire.rs"]
mod wire;

use std::convert::Infallible;
use std::sync::Arc;

use api_pool::{ClientError, ResilientClientBuilder};
use secrets::{CANARIES, Output, order, secret};
use test_support::{Capture, Script, answer};
use wire::{PATIENCE, Refusing, Tally, answering, faults, ok, repeats, serve, stalls, watched};

fn authenticated(tally: &Arc<Tally>) -> ResilientClientBuilder {
    watched(tally).default_breaker().bearer_tokens(|| async { Ok::<_, Infallible>(CANARIES[0]) })
}

/// Calls with every secret there is and expects it to fail; gives what can be printed of it.
async fn failing(
    builder: ResilientClientBuilder,
    tally: &Arc<Tally>,
    build: impl Fn(&reqwest::Client) -> reqwest::RequestBuilder,
) -> (Output, ClientError) {
    let mut output = Output::default();
    output.debug(&builder);
    let client = builder.build();
    let policy = repeats(1).with_attempt_timeout(PATIENCE);
    let error = client.execute_read(&policy, build).await.expect_err("a fault");
    output.error(&error);
    output.debug(&client);
    output.debug(&error.history());
    for event in tally.events() {
        output.debug(&event);
    }
    for error in tally.failures() {
        output.error(&error);
    }
    (output, error)
}

#[tokio::test]
async fn no_fault_of_the_server_makes_one_visible() {
    let capture = Capture::start();
    let away = answer(302, &[("location", "http://localhost:1/?code=canary-location")], "");
    let round = answer(302, &[("location", "/?code=canary-location")], "");
    let moved = [Script::answering(away), Script::answering(round)];
    for fault in faults().into_iter().chain(stalls()).chain(moved) {
        let script = fault.clone();
        let server = serve(move |_| script.clone()).await;
        let url = secret(&server.url());
        let tally = Tally::new();

        // With the token, then with the user-info in its place.
        let (output, _) = failing(authenticated(&tally), &tally, |http| order(http, &url)).await;
        assert_eq!(output.leaks(), Vec::<&str>::new(), "{fault:?}: {}", output.0);
        let (output, _) = failing(watched(&tally), &tally, |http| order(http, &url)).await;
        assert_eq!(output.leaks(), Vec::<&str>::new(), "{fault:?}: {}", output.0);

        let request = String::from_utf8_lossy(&server.seen().recorded()[0]).into_owned();
        for sent in ["canary-token", "canary-query", "canary-key", "canary-cookie", "canary-body"] {
            assert!(request.contains(sent), "{request}");
        }
    }
    assert_quiet(&capture);
}

#[tokio::test]
async fn no_failure_before_the_server_makes_one_visible() {
    let capture = Capture::start();
    let refusing = Refusing::new();
    let plain = serve(|_| Script::new().read(1).send(ok())).await;
    let urls = [
        refusing.url(),
        "http://127.0.0.1:port".to_owned(),
        "http://[nowhere".to_owned(),
        "gopher://127.0.0.1:1".to_owned(),
        plain.url().replace("http:", "https:"),
    ];
    for url in urls {
        let (url, tally) = (secret(&url), Tally::new());
        let (output, _) = failing(authenticated(&tally), &tally, |http| order(http, &url)).await;
        assert_eq!(output.leaks(), Vec::<&str>::new(), "{}", output.0);
    }

    let (server, tally) = (answering(ok()).await, Tally::new());
    let build = |http: &reqwest::Client| http.get(server.url()).header("x-note", "canary-key\n");
    let (output, error) = failing(authenticated(&tally), &tally, build).await;
    assert_eq!((output.leaks(), error.kind_name()), (vec![], "request"), "{}", output.0);

    let broken = watched(&tally).bearer_tokens(|| async { Ok::<_, Infallible>("canary-token\n") });
    let build = |http: &reqwest::Client| http.get(server.url());
    let (output, error) = failing(broken, &tally, build).await;
    assert_eq!((output.leaks(), error.kind_name()), (vec![], "request"), "{}", output.0);

    assert_quiet(&capture);
}

#[tokio::test]
async fn a_success_is_as_quiet() {
    let capture = Capture::start();
    let (server, tally) = (answering(ok()).await, Tally::new());
    let client = authenticated(&tally).build();

    let url = secret(&server.url());
    client.execute_read(&repeats(0), |http| order(http, &url)).await.unwrap();

    let mut output = Output::default();
    output.debug(&tally.events());
    output.debug(&client);
    assert_eq!(output.leaks(), Vec::<&str>::new(), "{}", output.0);
    assert_quiet(&capture);
}

/// Neither our crates nor those below have written one.
#[track_caller]
fn assert_quiet(capture: &Capture) {
    let everything = Output(capture.text());
    assert!(everything.0.contains("hyper"), "the HTTP client's own log is captured too");
    assert_eq!(everything.leaks(), Vec::<&str>::new());
}

#[tokio::test]
async fn a_leak_would_be_found() {
    let capture = Capture::start();
    let tally = Tally::new();
    let source = || async { Err::<String, _>("the server did not like canary-token") };

    let leaking = watched(&tally).bearer_tokens(source);
    let (output, error) = failing(leaking, &tally, |http| http.get("http://127.0.0.1:1")).await;
    tracing::info!(target: "api_pool::made_up", key = "canary-key");

    assert_eq!((output.leaks(), error.kind_name()), (vec!["canary-token"], "auth"));
    assert_eq!(Output(capture.text()).leaks(), ["canary-key"]);
}
