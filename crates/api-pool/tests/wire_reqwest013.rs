//! Over reqwest 0.13 a client keeps the promises that it keeps over 0.12.

#![cfg(feature = "reqwest013")]

#[path = "support/wire.rs"]
mod wire;

use std::sync::Arc;

use api_pool::{ClientError, Fate, ReadResponse, ResilientClient, ResilientClientBuilder};
use reqwest013::{Client, Method};
use test_support::{Script, answer, head};
use wire::{
    PATIENCE, Refusing, Tally, answering, assert_local, careful, essential, faults, faulty, ok,
    repeats, stalls, strict, watched,
};

fn builder(tally: &Arc<Tally>) -> ResilientClientBuilder<Client> {
    watched(tally).default_transport()
}

async fn call(
    client: &ResilientClient<Client>,
    method: Method,
    url: &str,
) -> Result<ReadResponse, ClientError> {
    client.execute_read(&careful(1), |http| http.request(method.clone(), url).body("order")).await
}

#[tokio::test]
async fn a_get_is_answered() {
    let (server, tally) = (answering(ok()).await, Tally::new());
    let client = builder(&tally).build();

    let response = call(&client, Method::GET, &server.url()).await.unwrap();
    assert_eq!((response.status(), response.into_body()), (200, "fine".into()));

    let response = client.execute(|http| http.get(server.url())).await.unwrap();
    assert_eq!(response.bytes().await.unwrap(), "fine");
    assert_eq!((server.seen().requests(), tally.sent()), (2, 2));
}

#[tokio::test]
async fn a_refused_connection_was_not_sent() {
    let (refusing, tally) = (Refusing::new(), Tally::new());

    let error = call(&builder(&tally).build(), Method::POST, &refusing.url()).await.unwrap_err();

    let facts = (error.kind_name(), error.fate(), error.attempts);
    assert_eq!(facts, ("transport", Fate::NotSent, 2));
    assert_eq!(tally.sent(), 0);
}

#[tokio::test]
async fn a_cut_body_is_repeated() {
    let cut = Script::new().read_request().send(head(200, &[], 9)).send("fi").close();
    let (server, tally) = (faulty([cut]).await, Tally::new());

    let response = call(&builder(&tally).build(), Method::GET, &server.url()).await.unwrap();

    assert_eq!(response.body(), "fine");
    assert_eq!((server.seen().requests(), tally.sent()), (2, 2));
}

#[tokio::test]
async fn an_unsafe_request_without_an_answer_is_not_repeated() {
    let (server, tally) = (faulty([Script::new().read_request().close()]).await, Tally::new());

    let error = call(&builder(&tally).build(), Method::POST, &server.url()).await.unwrap_err();

    assert_eq!((error.fate(), error.attempts), (Fate::MaybeProcessed, 1));
    assert_eq!((server.seen().requests(), tally.sent()), (1, 1));
}

#[tokio::test]
async fn the_server_counts_as_many_requests_as_there_are_attempts_whatever_it_does() {
    let tally = Tally::new();
    let client = builder(&tally).build();
    for fault in faults().into_iter().chain(stalls()) {
        tally.clear();
        let script = fault.clone();
        let server = wire::serve(move |_| script.clone()).await;
        let policy = repeats(1).with_attempt_timeout(PATIENCE);

        client.execute_read(&policy, |http| http.get(server.url())).await.unwrap_err();

        assert_eq!((server.seen().requests(), tally.sent()), (2, 2), "{fault:?}");
    }
}

#[tokio::test]
async fn a_redirect_is_followed_at_home_and_nowhere_else() {
    for status in [301, 302, 303, 307, 308] {
        let other = answering(ok()).await;
        let away = answer(status, &[("location", &other.url())], "");
        let server = faulty([Script::answering(away)]).await;
        let client = builder(&Tally::new()).build();
        let error = call(&client, Method::POST, &server.url()).await.unwrap_err();
        assert_eq!((error.status(), other.seen().connections()), (Some(status), 0));

        let near = answer(status, &[("location", "/near"), ("connection", "close")], "");
        let server = faulty([Script::new().read_request().send(near).close()]).await;
        let response = call(&client, Method::POST, &server.url()).await.unwrap();
        assert_eq!((response.status(), server.seen().requests()), (200, 2));
    }
}

#[tokio::test]
async fn what_no_server_could_answer_is_never_sent() {
    let server = answering(answer(302, &[("location", "/again")], "")).await;
    let urls = ["airports", "http://127.0.0.1:port/", "gopher://127.0.0.1/", &server.url()];
    for url in urls {
        let tally = Tally::new();
        let client = strict(builder(&tally));

        let error = client.execute_with(&essential(), |http| http.get(url)).await.unwrap_err();

        assert_local(url, &client, &tally, &error);
    }
}

#[cfg(feature = "rustls")]
#[tokio::test]
async fn a_bad_certificate_is_refused_after_one_handshake() {
    let ours = tls::Authority::new("ours");
    let root = reqwest013::Certificate::from_der(ours.root()).unwrap();
    let http = Client::builder().no_proxy().tls_certs_only([root]).build().unwrap();
    for identity in [tls::Identity::self_signed("localhost"), ours.issue_expired("localhost")] {
        let server = tls::TlsServer::start(&identity, ok()).await;
        let tally = Tally::new();
        let client = strict(builder(&tally).http_client(http.clone()));

        let build = |http: &Client| http.get(server.url("localhost"));
        let error = client.execute_with(&essential(), build).await.unwrap_err();

        assert_local("a bad certificate", &client, &tally, &error);
        assert_eq!((server.handshakes(), server.requests()), (1, 0));
    }
    let server = tls::TlsServer::start(&ours.issue("localhost"), ok()).await;
    let client = builder(&Tally::new()).http_client(http).build();
    call(&client, Method::GET, &server.url("localhost")).await.unwrap();
}

#[cfg(feature = "rustls")]
#[path = "support/tls.rs"]
mod tls;
