//! A request that can never be sent as it is costs one attempt and is held against nobody.

#[path = "support/wire.rs"]
mod wire;

use api_pool::Fate;
use test_support::answer;
use wire::{Tally, answering, assert_local, essential, ok, strict, watched};

#[tokio::test]
async fn what_no_server_could_answer_is_never_sent() {
    type Build = fn(&reqwest::Client, &str) -> reqwest::RequestBuilder;
    let cases: [(&str, Build); 9] = [
        ("no URL", |http, _| http.get("airports")),
        ("an empty URL", |http, _| http.get("")),
        ("no host", |http, _| http.get("http://")),
        ("no port", |http, _| http.get("http://127.0.0.1:port/")),
        ("an unknown scheme", |http, url| http.get(url.replace("http", "gopher"))),
        ("a newline in a header", |http, url| http.get(url).header("x-note", "a\nb: c")),
        ("a space in a header's name", |http, url| http.get(url).header("x note", "a")),
        ("a query that is no list", |http, url| http.get(url).query(&5)),
        ("a version of HTTP that nobody speaks", |http, url| {
            http.get(url).version(http::Version::HTTP_09)
        }),
    ];
    let server = answering(ok()).await;
    for (case, build) in cases {
        let tally = Tally::new();
        let client = strict(watched(&tally));

        let error =
            client.execute_with(&essential(), |http| build(http, &server.url())).await.unwrap_err();

        assert_local(case, &client, &tally, &error);
    }
    assert_eq!(server.seen().connections(), 0);
}

#[tokio::test]
async fn a_redirect_loop_is_given_up_once() {
    let server = answering(answer(302, &[("location", "/again")], "")).await;
    let tally = Tally::new();
    let client = strict(watched(&tally));

    let error = client.execute_with(&essential(), |http| http.get(server.url())).await.unwrap_err();

    assert_local("a redirect loop", &client, &tally, &error);
    assert_eq!(error.fate(), Fate::MaybeProcessed);
    assert_eq!(server.seen().requests(), 11);
}

#[cfg(feature = "health")]
#[tokio::test]
async fn a_redirect_loop_failed_and_was_not_refused() {
    use api_pool::{ResilientClient, health::HealthRegistry};

    let server = answering(answer(302, &[("location", "/again")], "")).await;
    let given = reqwest::Client::builder().no_proxy().build().unwrap();
    let default = ResilientClient::builder();
    for builder in [default, ResilientClient::builder().http_client(given)] {
        let health = std::sync::Arc::new(HealthRegistry::new());
        let client = builder.observer("airports", health.clone()).build();

        let error = client.execute(|http| http.post(server.url())).await.unwrap_err();

        assert_eq!((error.kind_name(), error.fate()), ("request", Fate::MaybeProcessed));
        let seen = health.snapshot().key("airports").unwrap().clone();
        assert_eq!((seen.failed, seen.refused, seen.rejected), (1, 0, 0));
    }
}

#[cfg(not(feature = "rustls"))]
#[tokio::test]
async fn https_without_tls_compiled_in_is_never_sent() {
    let server = answering(ok()).await;
    let tally = Tally::new();
    let client = strict(watched(&tally));

    let url = server.url().replace("http:", "https:");
    let error = client.execute_with(&essential(), |http| http.get(&url)).await.unwrap_err();

    assert_local("https without TLS", &client, &tally, &error);
    assert_eq!(server.seen().connections(), 0);
}
