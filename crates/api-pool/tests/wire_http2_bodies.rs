//! A body over HTTP/2 is whole, as long as its head says where one follows, or the attempt failed.

#![cfg(feature = "http2")]

#[path = "support/frames.rs"]
mod frames;
#[path = "support/wire.rs"]
mod wire;

use std::sync::Arc;

use api_pool::{BreakerState, Fate, ResilientClient};
use frames::{Act, CANCEL, FrameServer, INTERNAL_ERROR, NO_ERROR, Request, Status};
use wire::{PATIENCE, Tally, repeats, soon, strict, watched};

/// A client that speaks HTTP/2 from the first byte.
fn http() -> reqwest::Client {
    let http = reqwest::Client::builder().http2_prior_knowledge().no_proxy();
    http.retry(reqwest::retry::never()).build().expect("a client")
}

fn client(tally: &Arc<Tally>) -> ResilientClient {
    watched(tally).http_client(http()).build()
}

/// Two bytes of ten, then an end that names no error.
fn cut(stream: u32, end: impl IntoIterator<Item = Act>) -> Vec<Act> {
    let start = [Act::Begin { stream, length: "10" }, Act::Part { stream, data: "ok" }];
    start.into_iter().chain(end).collect()
}

fn reset(stream: u32) -> Vec<Act> {
    cut(stream, [Act::Reset { stream, code: NO_ERROR }])
}

fn goodbye(stream: u32) -> Vec<Act> {
    cut(stream, [Act::GoAway { last: 0, code: NO_ERROR }, Act::Close])
}

/// Ends the answer to the first request this way, and answers the others without a body.
async fn once(end: fn(u32) -> Vec<Act>) -> FrameServer {
    FrameServer::start(move |Request { connection, stream }| match (connection, stream) {
        (0, 1) => end(stream),
        _ => vec![Act::Answer(stream)],
    })
    .await
}

#[tokio::test]
async fn a_body_shorter_than_announced_is_noticed_and_the_attempt_repeated() {
    for end in [reset, goodbye] {
        let (server, tally) = (once(end).await, Tally::new());

        let answer =
            client(&tally).execute_read(&repeats(1), |http| http.get(server.url())).await.unwrap();

        assert_eq!(answer.body(), "");
        let [failure] = &tally.failures()[..] else { panic!("{:?}", tally.events()) };
        assert_eq!(failure.to_string(), "the body ended after 2 of 10 bytes after 1 attempt");
        assert_eq!((failure.kind_name(), failure.fate()), ("transport", Fate::Processed));
        assert_eq!((server.requests(), tally.sent()), (2, 2));
    }
}

#[tokio::test]
async fn a_body_shorter_than_announced_is_judged_by_nobody_and_held_against_the_server() {
    for end in [reset, goodbye] {
        let server = once(end).await;
        let client = strict(watched(&Tally::new()).http_client(http()));
        let judge = |answer: &api_pool::ReadResponse| panic!("{answer:?}");

        let get = |http: &reqwest::Client| http.get(server.url());
        let error = client.execute_judged(&repeats(0), get, judge).await.unwrap_err();

        assert_eq!(error.kind_name(), "transport");
        assert!(matches!(client.breaker_state(), Some(BreakerState::Open { .. })));
    }
}

#[tokio::test]
async fn a_body_that_the_server_resets_is_no_body_and_the_attempt_repeated() {
    for (code, length) in
        [(CANCEL, "10"), (CANCEL, ""), (INTERNAL_ERROR, "10"), (INTERNAL_ERROR, "")]
    {
        let server = FrameServer::start(move |Request { stream, .. }| match stream {
            1 => vec![
                Act::Begin { stream, length },
                Act::Part { stream, data: "ok" },
                Act::Reset { stream, code },
            ],
            _ => vec![Act::Answer(stream)],
        })
        .await;
        let tally = Tally::new();

        let answer =
            client(&tally).execute_read(&repeats(1), |http| http.get(server.url())).await.unwrap();

        assert_eq!(answer.body(), "");
        let [failure] = &tally.failures()[..] else { panic!("{code}: {:?}", tally.events()) };
        assert_eq!((failure.kind_name(), failure.fate()), ("transport", Fate::Processed));
        assert_eq!((server.requests(), tally.sent()), (2, 2), "{code}");
    }
}

#[tokio::test]
async fn a_body_that_stalls_ends_with_the_attempt_s_time_and_its_stream_is_reset() {
    let server = FrameServer::start(|Request { stream, .. }| match stream {
        1 => cut(stream, []),
        _ => vec![Act::Answer(stream)],
    })
    .await;
    let (tally, policy) = (Tally::new(), repeats(1).with_attempt_timeout(PATIENCE));
    let client = client(&tally);

    let answer = client.execute_read(&policy, |http| http.get(server.url())).await.unwrap();

    assert_eq!(answer.body(), "");
    let [failure] = &tally.failures()[..] else { panic!("{:?}", tally.events()) };
    assert_eq!((failure.kind_name(), failure.fate()), ("transport", Fate::Processed));
    assert_eq!((server.requests(), client.in_flight()), (2, 0));
    soon("its stream is reset", || server.resets() == [(1, CANCEL)]).await;
}

#[tokio::test]
async fn an_answer_to_head_announces_the_body_that_get_would_have() {
    let end = |stream| Act::End { stream, status: Status::Ok, length: "100000000" };
    let server = FrameServer::start(move |Request { stream, .. }| vec![end(stream)]).await;
    let (tally, head) = (Tally::new(), |http: &reqwest::Client| http.head(server.url()));
    let client = client(&tally);

    let read = client.execute_read(&repeats(0), head).await.unwrap();
    let judged = client.execute_judged(&repeats(0), head, |_| None).await.unwrap();

    for answer in [read, judged] {
        assert_eq!(answer.body(), "");
        assert_eq!(answer.headers()["content-length"], "100000000");
    }
}

#[tokio::test]
async fn a_success_without_content_ends_at_its_head_whatever_it_announces() {
    for length in ["10", "100000000"] {
        let end = |stream| Act::End { stream, status: Status::NoContent, length };
        let server = FrameServer::start(move |Request { stream, .. }| vec![end(stream)]).await;

        let answer = client(&Tally::new())
            .execute_read(&repeats(0), |http| http.delete(server.url()))
            .await
            .unwrap();

        assert_eq!((answer.status(), answer.body().len()), (204, 0));
    }
}
