//! A call over HTTP/2 that is dropped ends its stream, and nothing but its stream.

#![cfg(feature = "http2")]

#[path = "support/frames.rs"]
mod frames;
#[path = "support/wire.rs"]
mod wire;

use api_pool::TransportEvent;
use frames::{Act, CANCEL, FrameServer, Request};
use wire::{Tally, repeats, soon, until, watched};

/// What a server does when it has a request that will be dropped.
type Answer = fn(u32) -> Vec<Act>;

fn silence(_: u32) -> Vec<Act> {
    vec![]
}

fn half_a_body(stream: u32) -> Vec<Act> {
    vec![Act::Begin { stream, length: "10" }, Act::Part { stream, data: "ok" }]
}

#[tokio::test]
async fn a_call_that_is_dropped_resets_its_stream_and_frees_its_slot() {
    for answer in [silence as Answer, half_a_body] {
        let server = FrameServer::start(move |request| match request {
            Request { connection: 0, stream: 1 } => answer(1),
            // A stream of the connection that the dropped call had, and of no other.
            Request { connection: 0, stream: 3 } => vec![Act::Answer(3)],
            _ => vec![Act::Close],
        })
        .await;
        let http = reqwest::Client::builder().http2_prior_knowledge().no_proxy();
        let http = http.retry(reqwest::retry::never()).build().unwrap();
        let tally = Tally::new();
        let client = watched(&tally).http_client(http).max_parallel(1).build();
        let (policy, url) = (repeats(0), server.url());

        let mut call = Box::pin(client.execute_read(&policy, |http| http.get(&url)));
        tokio::select! {
            _ = &mut call => unreachable!("it is not answered"),
            () = until(|| server.requests() == 1) => (),
        }
        assert_eq!((client.in_flight(), server.resets()), (1, vec![]));
        drop(call);

        assert_eq!((client.in_flight(), client.waiting()), (0, 0));
        soon("its stream is reset", || server.resets() == [(1, CANCEL)]).await;
        assert!(matches!(tally.events()[..], [TransportEvent::Started, TransportEvent::Cancelled]));

        client.execute_read(&policy, |http| http.get(&url)).await.unwrap();
        assert_eq!((server.requests(), server.resets().len()), (2, 1));
    }
}
