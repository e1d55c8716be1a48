//! Over HTTP/2 a server can say that it did not act on a request. It is believed, and nothing else
//! is.

#![cfg(feature = "http2")]

#[path = "support/frames.rs"]
mod frames;
#[path = "support/wire.rs"]
mod wire;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use api_pool::{ClientError, Fate, ResilientClient, StopReason};
use frames::{
    ALL, Act, CANCEL, FrameServer, INTERNAL_ERROR, NO_ERROR, PROTOCOL_ERROR, REFUSED_STREAM,
    Request,
};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use wire::{Tally, careful, watched};

/// A client that speaks HTTP/2 from the first byte, with the default client's other settings.
fn client(tally: &Arc<Tally>) -> ResilientClient {
    let http = reqwest::Client::builder()
        .http2_prior_knowledge()
        .retry(reqwest::retry::never())
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .expect("a client");
    watched(tally).http_client_without_redirects(http).max_parallel(64).build()
}

/// Posts so many orders at once; each must be answered.
async fn post_all(client: &ResilientClient, url: &str, orders: u32) {
    let mut calls = JoinSet::new();
    for order in 0..orders {
        let (client, url) = (client.clone(), url.to_owned());
        calls.spawn(async move {
            let build = |http: &reqwest::Client| http.post(&url).body(format!("order {order:02}"));
            client.execute_read(&careful(200), build).await
        });
    }
    for result in calls.join_all().await {
        result.expect("every order is answered in the end");
    }
}

/// Serves one stream at a time and counts what it serves.
async fn serve_one_at_a_time(stream: TcpStream, handled: &AtomicU64) -> Result<(), h2::Error> {
    let mut connection =
        h2::server::Builder::new().max_concurrent_streams(1).handshake::<_, &[u8]>(stream).await?;
    while let Some(accepted) = connection.accept().await {
        let (request, mut respond) = accepted?;
        handled.fetch_add(1, Ordering::Relaxed);
        drop(request);
        respond.send_response(http::Response::new(()), true)?;
    }
    Ok(())
}

#[tokio::test]
async fn fifty_posts_over_one_stream_at_a_time_are_each_handled_once() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let handled = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&handled);
    let server = tokio::spawn(async move {
        let mut connections = JoinSet::new();
        while let Ok((stream, _)) = listener.accept().await {
            let count = Arc::clone(&count);
            connections.spawn(async move { serve_one_at_a_time(stream, &count).await });
        }
    });
    let tally = Tally::new();

    post_all(&client(&tally), &url, 50).await;

    assert_eq!(handled.load(Ordering::Relaxed), 50);
    assert_eq!(tally.sent(), 50);
    server.abort();
}

#[tokio::test]
async fn a_refused_stream_was_not_sent_and_is_repeated() {
    let server = FrameServer::start(|Request { stream, .. }| {
        // Streams of a client are odd: every second one is refused.
        match stream % 4 {
            1 => vec![Act::Reset { stream, code: REFUSED_STREAM }],
            _ => vec![Act::Answer(stream)],
        }
    })
    .await;
    let tally = Tally::new();

    post_all(&client(&tally), &server.url(), 20).await;

    let orders: Vec<_> = (0..20).map(|order| format!("order {order:02}")).collect();
    assert_eq!(server.answered(), orders);
    assert_eq!(tally.sent(), 20);
    assert!(!tally.failures().is_empty());
    assert!(tally.failures().iter().all(|error| error.fate() == Fate::NotSent));
}

#[tokio::test]
async fn a_get_whose_stream_was_refused_is_repeated_on_the_same_connection() {
    let server = FrameServer::start(|request| match request {
        Request { connection: 0, stream: 3 } => vec![Act::Answer(3)],
        Request { stream, .. } => vec![Act::Reset { stream, code: REFUSED_STREAM }],
    })
    .await;
    let tally = Tally::new();

    client(&tally).execute_read(&careful(1), |http| http.get(server.url())).await.unwrap();

    assert_eq!(tally.failures().iter().map(ClientError::fate).collect::<Vec<_>>(), [Fate::NotSent]);
    assert_eq!((server.requests(), tally.sent()), (2, 1));
}

#[tokio::test]
async fn streams_above_the_last_one_of_a_goodbye_were_not_sent_and_are_repeated() {
    // The first connection takes ten requests, acts on those up to stream 7 and leaves.
    let server = FrameServer::start(|Request { connection, stream }| match (connection, stream) {
        (0, 19) => {
            let answers = [1, 3, 5, 7].map(Act::Answer);
            let goodbye = [Act::GoAway { last: 7, code: NO_ERROR }, Act::Close];
            answers.into_iter().chain(goodbye).collect()
        }
        (0, _) => vec![],
        _ => vec![Act::Answer(stream)],
    })
    .await;
    let tally = Tally::new();

    post_all(&client(&tally), &server.url(), 10).await;

    let orders: Vec<_> = (0..10).map(|order| format!("order {order:02}")).collect();
    assert_eq!(server.answered(), orders);
    assert_eq!(tally.failures().len(), 6);
    assert_eq!(tally.sent(), 10);
}

#[tokio::test]
async fn a_stream_that_the_goodbye_covers_may_have_been_acted_on() {
    for last in [1, 3, ALL] {
        let server =
            FrameServer::start(move |_| vec![Act::GoAway { last, code: NO_ERROR }, Act::Close])
                .await;
        let tally = Tally::new();

        let error = client(&tally)
            .execute_read(&careful(9), |http| http.post(server.url()).body("order"))
            .await
            .unwrap_err();

        assert_eq!(error.fate(), Fate::MaybeProcessed, "{last}: {error:?}");
        assert_eq!(error.stop_reason(), Some(&StopReason::Unsafe), "{last}");
        assert_eq!((server.requests(), tally.sent()), (1, 1), "{last}");
    }
}

#[tokio::test]
async fn any_other_reset_says_nothing() {
    for code in [NO_ERROR, PROTOCOL_ERROR, INTERNAL_ERROR, CANCEL] {
        let server =
            FrameServer::start(move |Request { stream, .. }| vec![Act::Reset { stream, code }])
                .await;
        let tally = Tally::new();

        let error = client(&tally)
            .execute_read(&careful(9), |http| http.post(server.url()).body("order"))
            .await
            .unwrap_err();

        assert_eq!(error.fate(), Fate::MaybeProcessed, "{code}: {error:?}");
        assert_eq!((server.requests(), tally.sent()), (1, 1), "{code}");
    }
}

#[tokio::test]
async fn a_get_or_a_post_with_a_key_is_repeated_after_any_reset() {
    let get = |http: &reqwest::Client, url: &str| http.get(url);
    let keyed = |http: &reqwest::Client, url: &str| http.post(url).header("Idempotency-Key", "k-1");
    for build in [get, keyed] {
        for code in [NO_ERROR, PROTOCOL_ERROR, INTERNAL_ERROR, CANCEL] {
            let server = FrameServer::start(move |Request { stream, .. }| match stream {
                1 => vec![Act::Reset { stream, code }],
                _ => vec![Act::Answer(stream)],
            })
            .await;
            let (tally, url) = (Tally::new(), server.url());

            let send = |http: &reqwest::Client| build(http, &url).body("order");
            client(&tally).execute_read(&careful(1), send).await.unwrap();

            let fates: Vec<_> = tally.failures().iter().map(ClientError::fate).collect();
            assert_eq!(fates, [Fate::MaybeProcessed], "{code}");
            assert_eq!(server.answered(), ["order"], "{code}");
            assert_eq!((server.requests(), tally.sent()), (2, 2), "{code}");
        }
    }
}
