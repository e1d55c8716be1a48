//! A certificate that is not trusted is refused for good, after one handshake.

#![cfg(feature = "rustls")]

#[path = "support/tls.rs"]
mod tls;
#[path = "support/wire.rs"]
mod wire;

use std::time::Duration;

use api_pool::{BreakerState, Fate};
use reqwest::Certificate;
use test_support::{Script, answer};
use tls::{Authority, Identity, TlsServer};
use wire::{Tally, assert_local, essential, ok, repeats, serve, strict, watched};

/// A client that trusts this authority alone.
fn trusting(authority: &Authority) -> reqwest::Client {
    let root = Certificate::from_der(authority.root()).expect("a certificate");
    reqwest::Client::builder().no_proxy().add_root_certificate(root).build().expect("a client")
}

#[tokio::test]
async fn a_bad_certificate_is_refused_after_one_handshake() {
    let (ours, theirs) = (Authority::new("ours"), Authority::new("theirs"));
    let cases = [
        ("self-signed", Identity::self_signed("localhost"), "UnknownIssuer"),
        ("another host's", ours.issue("example.org"), "not valid for name"),
        ("expired", ours.issue_expired("localhost"), "expired"),
        ("of an unknown authority", theirs.issue("localhost"), "UnknownIssuer"),
    ];
    for (case, identity, reason) in cases {
        let server = TlsServer::start(&identity, ok()).await;
        let tally = Tally::new();
        let client = strict(watched(&tally).http_client(trusting(&ours)));

        let error = client
            .execute_with(&essential(), |http| http.get(server.url("localhost")))
            .await
            .unwrap_err();

        assert_local(case, &client, &tally, &error);
        assert!(error.to_string().contains(reason), "{case}: {error}");
        assert_eq!((server.handshakes(), server.requests()), (1, 0), "{case}");
    }
}

#[tokio::test]
async fn a_good_certificate_is_accepted() {
    let ours = Authority::new("ours");
    let server = TlsServer::start(&ours.issue("localhost"), ok()).await;
    let client = strict(watched(&Tally::new()).http_client(trusting(&ours)));

    client.execute_with(&essential(), |http| http.get(server.url("localhost"))).await.unwrap();

    assert_eq!((server.handshakes(), server.requests()), (1, 1));
}

#[tokio::test]
async fn the_default_client_trusts_no_authority_of_ours() {
    let server = TlsServer::start(&Authority::new("ours").issue("localhost"), ok()).await;
    let tally = Tally::new();
    let client = strict(watched(&tally));

    let error = client
        .execute_with(&essential(), |http| http.get(server.url("localhost")))
        .await
        .unwrap_err();

    assert_local("of an unknown authority", &client, &tally, &error);
    assert_eq!((server.handshakes(), server.requests()), (1, 0));
}

#[tokio::test]
async fn a_server_that_speaks_plain_text_may_learn_better() {
    let plain = answer(400, &[], "plain text, please");
    let server = serve(move |_| Script::new().read(1).send(plain.clone())).await;
    let url = server.url().replace("http:", "https:");
    let tally = Tally::new();
    let client = watched(&tally).circuit_breaker(3, Duration::from_secs(60)).build();

    let error = client.execute_with(&repeats(2), |http| http.get(&url)).await.unwrap_err();

    assert_eq!((error.kind_name(), error.attempts), ("transport", 3), "{error:?}");
    assert_eq!(error.fate(), Fate::NotSent);
    assert!(matches!(client.breaker_state(), Some(BreakerState::Open { .. })));
}
