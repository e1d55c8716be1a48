//! The HTTP client that is built for those who bring none, and the one that they bring.

#[path = "support/wire.rs"]
mod wire;

use std::collections::HashSet;
use std::sync::Mutex;

use api_pool::{CallPolicy, ResilientClient};
use futures_util::future::join_all;
use test_support::{Script, answer};
use wire::{PATIENCE, Tally, answering, faulty, ms, ok, repeats, serve, watched};

fn once() -> CallPolicy {
    CallPolicy::background()
}

#[tokio::test]
async fn one_is_built_for_all_and_only_when_it_is_needed() {
    // Setting up needs no runtime, so nothing has been set up that would.
    let client = std::thread::spawn(|| watched(&Tally::new()).max_parallel(32).build());
    let client: ResilientClient = client.join().unwrap();
    let server = answering(ok()).await;
    let used = Mutex::new(HashSet::new());

    let once = once();
    let call = || {
        client.execute_with(&once, |http: &reqwest::Client| {
            used.lock().unwrap().insert(std::ptr::from_ref(http).addr());
            http.get(server.url())
        })
    };
    for result in join_all((0..32).map(|_| call())).await {
        result.unwrap();
    }

    assert_eq!(used.into_inner().unwrap().len(), 1);
    assert_eq!(server.seen().requests(), 32);
}

#[tokio::test]
async fn a_server_that_hangs_fails_the_attempt_at_the_head_or_in_the_body() {
    let hang = Script::new().read_request().stall();
    let half = Script::new().read_request().send(&ok()[..ok().len() - 1]).stall();
    for fault in [hang, half] {
        let (server, tally) = (faulty([fault]).await, Tally::new());
        let client = watched(&tally).request_timeout(PATIENCE).build();

        let response =
            client.execute_read(&repeats(9), |http| http.get(server.url())).await.unwrap();

        assert_eq!(response.body(), "fine");
        assert_eq!(tally.failures()[0].kind_name(), "transport");
    }
}

#[tokio::test]
async fn a_client_that_was_brought_is_used_as_it_is() {
    let elsewhere = answering(ok()).await;
    let redirect = answer(302, &[("location", &elsewhere.url())], "");
    let late = serve(move |_| {
        Script::new().read_request().pause(ms(100)).send(redirect.clone()).forever()
    })
    .await;
    let own = reqwest::Client::builder().user_agent("own/1.0").no_proxy().build().unwrap();
    let client = watched(&Tally::new()).http_client(own).request_timeout(ms(1)).build();

    let response = client.execute_read(&once(), |http| http.get(late.url())).await.unwrap();

    // It has no timeout, and goes where it is sent.
    assert_eq!(response.body(), "fine");
    let seen = elsewhere.seen();
    let request = String::from_utf8_lossy(&seen.recorded()[0]).into_owned();
    assert!(request.contains("user-agent: own/1.0"), "{request}");
}

#[tokio::test]
async fn the_client_of_the_request_is_the_one_that_sends_it() {
    let server = answering(ok()).await;
    let other = reqwest::Client::builder().user_agent("other/1.0").no_proxy().build().unwrap();
    let client = watched(&Tally::new()).build();

    client.execute_with(&once(), |_| other.get(server.url())).await.unwrap();

    let seen = server.seen();
    let request = String::from_utf8_lossy(&seen.recorded()[0]).into_owned();
    assert!(request.contains("user-agent: other/1.0"), "{request}");
}
