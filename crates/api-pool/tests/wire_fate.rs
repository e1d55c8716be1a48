//! What became of a request decides whether it is repeated, and nothing else repeats it.

#[path = "support/wire.rs"]
mod wire;

use std::sync::atomic::{AtomicBool, Ordering};

use api_pool::{CallPolicy, ClientError, Fate, ReadResponse, ResilientClient, StopReason};
use http::Method;
use test_support::{Script, answer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use wire::{
    PATIENCE, Refusing, Tally, answering, careful, faults, faulty, ok, repeats, serve, stalls,
    until, watched,
};

async fn call(
    client: &ResilientClient,
    policy: &CallPolicy,
    method: Method,
    url: &str,
) -> Result<ReadResponse, ClientError> {
    client.execute_read(policy, |http| http.request(method.clone(), url).body("order")).await
}

/// Reads a request and closes the connection.
fn silent() -> Script {
    Script::new().read_request().close()
}

#[tokio::test]
async fn a_get_without_an_answer_is_repeated_on_another_connection() {
    let (server, tally) = (faulty([silent()]).await, Tally::new());
    let client = watched(&tally).build();

    let response = call(&client, &careful(1), Method::GET, &server.url()).await.unwrap();

    assert_eq!(response.body(), "fine");
    assert_eq!(server.seen().connections(), 2);
    assert_eq!((server.seen().requests(), tally.sent()), (2, 2));
}

#[tokio::test]
async fn an_unsafe_request_without_an_answer_is_not_repeated() {
    for fault in [silent(), Script::new().read_request().reset()] {
        let (server, tally) = (faulty([fault]).await, Tally::new());
        let client = watched(&tally).build();

        let error = call(&client, &careful(9), Method::POST, &server.url()).await.unwrap_err();

        assert_eq!((error.kind_name(), error.fate()), ("transport", Fate::MaybeProcessed));
        assert_eq!(error.stop_reason(), Some(&StopReason::Unsafe));
        assert_eq!((server.seen().requests(), tally.sent()), (1, 1));
    }
}

#[tokio::test]
async fn a_key_makes_an_unsafe_request_repeatable_and_is_the_same_each_time() {
    let (server, tally) = (faulty([silent(), silent()]).await, Tally::new());
    let client = watched(&tally).build();

    let send = |http: &reqwest::Client| {
        http.post(server.url()).header("Idempotency-Key", "k-1").body("order")
    };
    client.execute_read(&careful(2), send).await.unwrap();

    let seen = server.seen();
    let [first, second, third] = seen.recorded() else { panic!("{seen:?}") };
    assert!(String::from_utf8_lossy(first).contains("idempotency-key: k-1\r\n"));
    assert_eq!((first, second), (second, third));
}

#[tokio::test]
async fn a_refused_connection_is_certain_and_every_request_repeated() {
    let (refusing, server, tally) = (Refusing::new(), answering(ok()).await, Tally::new());
    let client = watched(&tally).build();
    let refused = AtomicBool::new(false);

    let send = |http: &reqwest::Client| match refused.swap(true, Ordering::Relaxed) {
        false => http.post(refusing.url()),
        true => http.post(server.url()),
    };
    client.execute_read(&careful(1), send).await.unwrap();

    let failures = tally.failures();
    assert_eq!((failures.len(), failures[0].fate()), (1, Fate::NotSent), "{failures:?}");
    assert_eq!(failures[0].kind_name(), "transport");
    assert_eq!((server.seen().requests(), tally.sent()), (1, 1));
}

#[tokio::test]
async fn a_connection_refused_behind_a_redirect_is_no_proof() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let server = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        drop(listener);
        let mut request = Vec::new();
        while test_support::request_end(&request).is_none() {
            stream.read_buf(&mut request).await.unwrap();
        }
        let redirect = answer(307, &[("location", "/again"), ("connection", "close")], "");
        stream.write_all(&redirect).await.unwrap();
    });
    let client = watched(&Tally::new()).build();

    let error = call(&client, &careful(3), Method::POST, &url).await.unwrap_err();

    let facts = (error.kind_name(), error.fate(), error.attempts);
    assert_eq!(facts, ("transport", Fate::MaybeProcessed, 1), "{error:?}");
    server.await.unwrap();
}

#[tokio::test]
async fn a_connection_that_ends_before_the_request_started_is_a_proof() {
    let mut unsent = 0;
    for fault in [Script::new().reset(), Script::new().close()].into_iter().cycle().take(20) {
        let (server, tally) = (faulty([fault]).await, Tally::new());
        let client = watched(&tally).build();

        let result = call(&client, &careful(1), Method::POST, &server.url()).await;

        // The request may have been faster than the end of the connection.
        let fates: Vec<_> = tally.failures().iter().map(ClientError::fate).collect();
        match result {
            Ok(_) => assert_eq!((fates, server.seen().requests()), (vec![Fate::NotSent], 1)),
            Err(_) => assert_eq!(fates, [Fate::MaybeProcessed]),
        }
        unsent += tally.started() - tally.sent();
    }
    assert!(unsent > 0);
}

#[tokio::test]
async fn a_request_cut_at_any_byte_is_a_transport_failure_and_a_get_succeeds_in_the_end() {
    let whole = answering(ok()).await;
    let tally = Tally::new();
    let client = watched(&tally).build();
    call(&client, &repeats(0), Method::GET, &whole.url()).await.unwrap();
    let length = whole.seen().recorded()[0].len();

    for cut in 0..length {
        let server = faulty([Script::new().read(cut).reset()]).await;
        match call(&client, &careful(1), Method::POST, &server.url()).await {
            // The connection was gone before the request was started.
            Ok(_) => assert_eq!(cut, 0),
            Err(error) => {
                let facts = (error.kind_name(), error.fate(), error.attempts);
                assert_eq!(facts, ("transport", Fate::MaybeProcessed, 1), "{cut}");
                assert_eq!(server.seen().connections(), 1, "{cut}");
            }
        }
    }
    for cut in (0..length).step_by(10) {
        let server = faulty([Script::new().read(cut).reset()]).await;
        call(&client, &careful(1), Method::GET, &server.url()).await.unwrap();
    }
}

#[tokio::test]
async fn a_response_cut_at_any_byte_is_a_typed_failure_and_repeated_once() {
    let framed = [
        ok(),
        b"HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n2\r\nfi\r\n2\r\nne\r\n0\r\n\r\n"
            .to_vec(),
    ];
    let tally = Tally::new();
    let client = watched(&tally).build();
    for whole in framed {
        let end_of_head = whole.windows(4).position(|window| window == b"\r\n\r\n").unwrap() + 4;
        for cut in 0..whole.len() {
            let part = Script::new().read_request().send(&whole[..cut]);
            for fault in [part.clone().close(), part.clone().reset()] {
                tally.clear();
                let server = faulty([fault]).await;

                let response =
                    call(&client, &careful(1), Method::GET, &server.url()).await.unwrap();

                assert_eq!(response.body(), "fine");
                let failures = tally.failures();
                let [failure] = failures.as_slice() else { panic!("{cut}: {failures:?}") };
                assert_eq!(failure.kind_name(), "transport");
                let head_arrived = failure.fate() == Fate::Processed;
                assert!(!head_arrived || cut >= end_of_head, "{cut}: {failure:?}");
                assert_eq!((server.seen().requests(), tally.sent()), (2, 2), "{cut}");
            }

            let server = faulty([part.close()]).await;
            let error = call(&client, &careful(1), Method::POST, &server.url()).await.unwrap_err();
            let fate = if cut < end_of_head { Fate::MaybeProcessed } else { Fate::Processed };
            assert_eq!((error.kind_name(), error.fate()), ("transport", fate), "{cut}");
            assert_eq!(server.seen().requests(), 1, "{cut}");
        }
    }
}

#[tokio::test]
async fn a_connection_that_the_server_closed_while_idle_costs_no_request() {
    let server = serve(|_| Script::new().read_request().send(ok()).close()).await;
    let tally = Tally::new();
    let client = watched(&tally).build();

    for number in 1..=20 {
        call(&client, &careful(0), Method::POST, &server.url()).await.unwrap();
        until(|| server.seen().open() == 0).await;
        assert_eq!((server.seen().requests(), tally.sent()), (number, number));
    }
}

#[tokio::test]
async fn no_unsafe_request_is_doubled_by_a_race_with_the_end_of_its_connection() {
    let server = serve(|_| Script::new().read_request().send(ok()).close()).await;
    let client = watched(&Tally::new()).build();

    let mut arrived = 0;
    for _ in 0..100 {
        let result = call(&client, &careful(9), Method::POST, &server.url()).await;
        arrived += match result {
            Ok(_) => 1,
            Err(error) => {
                assert_eq!(error.fate(), Fate::MaybeProcessed, "{error:?}");
                0
            }
        };
    }

    assert_eq!(server.seen().requests(), arrived);
}

#[tokio::test]
async fn the_server_counts_as_many_requests_as_there_are_attempts_whatever_it_does() {
    let tally = Tally::new();
    let client = watched(&tally).build();
    let faults = faults().into_iter().map(|fault| (fault, repeats(3)));
    let stalls = stalls().into_iter().map(|stall| (stall, repeats(1)));
    for (fault, policy) in faults.chain(stalls) {
        tally.clear();
        let script = fault.clone();
        let server = serve(move |_| script.clone()).await;
        let policy = policy.with_attempt_timeout(PATIENCE);

        let error = call(&client, &policy, Method::GET, &server.url()).await.unwrap_err();

        assert!(matches!(error.kind_name(), "transport" | "status"), "{fault:?}: {error:?}");
        let attempts = u64::try_from(error.attempts).unwrap();
        assert!(attempts > 1, "{fault:?}: {error:?}");
        assert_eq!((server.seen().requests(), tally.sent()), (attempts, attempts), "{fault:?}");
        assert_eq!(client.in_flight(), 0);
    }
}

/// `POST`, 303, a port where nobody listens.
#[tokio::test]
async fn a_redirect_that_a_given_client_follows_makes_a_careful_post_stop() {
    let nobody = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let target = format!("http://{}/", nobody.local_addr().unwrap());
    drop(nobody);
    let redirect = Script::answering(answer(303, &[("location", &target)], ""));
    let (server, tally) = (faulty([redirect]).await, Tally::new());
    let given = || reqwest::Client::builder().no_proxy();
    let client = watched(&tally).http_client(given().build().unwrap()).build();

    let error = call(&client, &careful(3), Method::POST, &server.url()).await.unwrap_err();

    assert_eq!(
        (error.fate(), error.stop_reason()),
        (Fate::MaybeProcessed, Some(&StopReason::Unsafe))
    );
    assert_eq!(server.seen().requests(), 1);

    let none = given().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let client = watched(&tally).http_client_without_redirects(none).build();
    let error = call(&client, &careful(0), Method::POST, &target).await.unwrap_err();
    assert_eq!(error.fate(), Fate::NotSent);
}
