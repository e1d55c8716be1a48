//! What a server writes into its goodbye over HTTP/2 is shown to nobody: it may be what it was sent.

#![cfg(feature = "http2")]

#[path = "support/frames.rs"]
mod frames;
#[path = "support/secrets.rs"]
mod secrets;
#[path = "support/wire.rs"]
mod wire;

use std::convert::Infallible;
use std::error::Error as _;
use std::sync::Arc;

use api_pool::{ClientError, Fate, ResilientClient};
use frames::{Act, ENHANCE_YOUR_CALM, FrameServer, NO_ERROR, Request};
use futures_util::TryFutureExt;
use secrets::{CANARIES, Output, order};
use wire::{Tally, careful, repeats, watched};

/// As the server writes it to whoever sends the token.
const COMPLAINT: &str = "do not send \"canary-token\"";

/// A server that complains like this in the place of each answer.
async fn complaining(code: u32, debug: &'static str) -> FrameServer {
    FrameServer::start(move |_| vec![Act::Complain { code, debug }, Act::Close]).await
}

fn http() -> reqwest::Client {
    let http = reqwest::Client::builder().http2_prior_knowledge().no_proxy();
    http.retry(reqwest::retry::never()).build().expect("a client")
}

fn client(tally: &Arc<Tally>) -> ResilientClient {
    watched(tally)
        .http_client_without_redirects(http())
        .bearer_tokens(|| async { Ok::<_, Infallible>(CANARIES[0]) })
        .build()
}

/// Everything that a program may print of a call that failed.
fn printed(error: &ClientError, tally: &Tally) -> Output {
    let mut output = Output::default();
    output.error(error);
    output.debug(&error.history());
    output.debug(&tally.events());
    tally.failures().iter().for_each(|error| output.error(error));
    output
}

#[tokio::test]
async fn a_goodbye_in_the_place_of_an_answer_shows_no_secret() {
    for code in [NO_ERROR, ENHANCE_YOUR_CALM] {
        let (server, tally) = (complaining(code, COMPLAINT).await, Tally::new());
        let url = server.url();

        let post = |http: &reqwest::Client| order(http, &url);
        let error = client(&tally).execute_with(&repeats(1), post).await.unwrap_err();

        let output = printed(&error, &tally);
        assert_eq!((error.kind_name(), output.leaks()), ("transport", vec![]), "{}", output.0);
        assert!(error.source().is_none());
        assert_eq!(server.requests(), 2);
    }
}

#[tokio::test]
async fn a_goodbye_within_an_answer_shows_no_secret() {
    let server = FrameServer::start(|Request { stream, .. }| {
        let complaint = Act::Complain { code: ENHANCE_YOUR_CALM, debug: COMPLAINT };
        vec![Act::Begin { stream, length: "10" }, complaint, Act::Close]
    })
    .await;
    let (url, tally) = (server.url(), Tally::new());

    let post = |http: &reqwest::Client| order(http, &url);
    let error = client(&tally).execute_read(&repeats(1), post).await.unwrap_err();

    let output = printed(&error, &tally);
    assert_eq!((error.kind_name(), output.leaks()), ("transport", vec![]), "{}", output.0);
    assert_eq!(error.fate(), Fate::Processed);
}

#[tokio::test]
async fn a_goodbye_to_a_token_source_shows_no_secret() {
    let server = complaining(ENHANCE_YOUR_CALM, COMPLAINT).await;
    let (url, tally) = (server.url(), Tally::new());
    let source = move || http().post(&url).send().map_ok(|_| CANARIES[0]);
    let client = watched(&tally).bearer_tokens(source).build();

    let error = client.execute(|http| http.get("http://unasked.example")).await.unwrap_err();

    let output = printed(&error, &tally);
    assert_eq!((error.kind_name(), output.leaks()), ("auth", vec![]), "{}", output.0);
}

#[tokio::test]
async fn why_the_server_left_is_told_with_and_without_its_own_words() {
    for (debug, has_source) in [("", true), (COMPLAINT, false)] {
        let server = complaining(ENHANCE_YOUR_CALM, debug).await;

        let error = client(&Tally::new())
            .execute_with(&careful(0), |http| http.post(server.url()))
            .await
            .unwrap_err();

        let text = error.to_string();
        assert!(text.contains("received: detected excessive load generating behavior"), "{text}");
        assert_eq!(error.source().is_some(), has_source);
    }
}
