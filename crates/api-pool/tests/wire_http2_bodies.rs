//! A body over HTTP/2 is as long as its head says, where one follows.

#![cfg(feature = "http2")]

#[path = "support/frames.rs"]
mod frames;
#[path = "support/wire.rs"]
mod wire;

use std::sync::Arc;

use api_pool::ResilientClient;
use frames::{Act, FrameServer, Request, Status};
use wire::{Tally, repeats, watched};

/// A client that speaks HTTP/2 from the first byte.
fn http() -> reqwest::Client {
    let http = reqwest::Client::builder().http2_prior_knowledge().no_proxy();
    http.retry(reqwest::retry::never()).build().expect("a client")
}

fn client(tally: &Arc<Tally>) -> ResilientClient {
    watched(tally).http_client(http()).build()
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
