//! Over reqwest 0.13 too a server is believed that says that it did not act on a request.

#![cfg(all(feature = "http2", feature = "reqwest013"))]

#[path = "support/frames.rs"]
mod frames;
#[path = "support/wire.rs"]
mod wire;

use std::sync::Arc;

use api_pool::{ClientError, Fate, ResilientClient, StopReason};
use frames::{ALL, Act, FrameServer, NO_ERROR, REFUSED_STREAM, Request};
use reqwest013::Client;
use wire::{Tally, careful, watched};

/// A client that speaks HTTP/2 from the first byte, with the default client's other settings.
fn client(tally: &Arc<Tally>) -> ResilientClient<Client> {
    let http = Client::builder()
        .http2_prior_knowledge()
        .retry(reqwest013::retry::never())
        .no_proxy()
        .redirect(reqwest013::redirect::Policy::none())
        .build()
        .expect("a client");
    watched(tally).default_transport().http_client_without_redirects(http).build()
}

#[tokio::test]
async fn a_refused_stream_was_not_sent_and_is_repeated() {
    let server = FrameServer::start(|Request { stream, .. }| match stream {
        1 | 3 => vec![Act::Reset { stream, code: REFUSED_STREAM }],
        _ => vec![Act::Answer(stream)],
    })
    .await;
    let tally = Tally::new();

    let send = |http: &Client| http.post(server.url()).body("order");
    client(&tally).execute_read(&careful(2), send).await.unwrap();

    let fates: Vec<_> = tally.failures().iter().map(ClientError::fate).collect();
    assert_eq!(fates, [Fate::NotSent, Fate::NotSent]);
    assert_eq!(server.answered(), ["order"]);
    assert_eq!((server.requests(), tally.sent()), (3, 1));
}

#[tokio::test]
async fn a_stream_that_the_goodbye_covers_may_have_been_acted_on() {
    for last in [1, 3, ALL] {
        let goodbye = move |_| vec![Act::GoAway { last, code: NO_ERROR }, Act::Close];
        let server = FrameServer::start(goodbye).await;
        let tally = Tally::new();

        let send = |http: &Client| http.post(server.url()).body("order");
        let error = client(&tally).execute_read(&careful(9), send).await.unwrap_err();

        assert_eq!(error.fate(), Fate::MaybeProcessed, "{last}: {error:?}");
        assert_eq!(error.stop_reason(), Some(&StopReason::Unsafe), "{last}");
        assert_eq!((server.requests(), tally.sent()), (1, 1), "{last}");
    }
}
