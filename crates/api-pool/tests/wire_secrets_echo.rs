//! A server that sends back what it got makes no token of the client's own visible.

#[path = "support/secrets.rs"]
mod secrets;
#[path = "support/wire.rs"]
mod wire;

use std::convert::Infallible;
use std::net::Ipv4Addr;
use std::sync::Arc;

use api_pool::ResilientClient;
use http::HeaderValue;
use secrets::{CANARIES, Output, order};
use test_support::{Capture, answer, request_end};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use wire::{Tally, repeats, watched};

/// The one that the client puts on the request; the others are the caller's.
const TOKEN: &str = CANARIES[0];

/// The URL of a server that answers each request with the request.
async fn echo(status: u16) -> String {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
    let address = listener.local_addr().expect("the socket is bound");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer_with_request(stream, status));
        }
    });
    format!("http://{address}")
}

async fn answer_with_request(mut stream: TcpStream, status: u16) -> std::io::Result<()> {
    let mut request = Vec::new();
    while request_end(&request).is_none() && stream.read_buf(&mut request).await? > 0 {}
    stream.write_all(&answer(status, &[("connection", "close")], &request)).await
}

fn authenticated(tally: &Arc<Tally>) -> ResilientClient {
    watched(tally).bearer_tokens(|| async { Ok::<_, Infallible>(TOKEN) }).build()
}

#[tokio::test]
async fn a_refusal_that_repeats_the_request_shows_no_secret() {
    let capture = Capture::start();
    for status in [400, 403, 404, 429, 500, 503] {
        let (url, tally, mut output) = (echo(status).await, Tally::new(), Output::default());
        let client = authenticated(&tally);

        let error = client.execute_read(&repeats(1), |http| order(http, &url)).await.unwrap_err();

        output.error(&error);
        output.debug(&error.history());
        output.debug(&tally.events());
        tally.failures().iter().for_each(|error| output.error(error));
        assert_eq!((error.status(), output.leaks()), (Some(status), vec![]), "{}", output.0);

        // Who prints the body all the same sees what the caller itself has sent.
        let body = error.body.expect("the request");
        assert!(body.contains("authorization: Bearer …\r\n"), "{body}");
        assert!(!body.contains(TOKEN), "{body}");
        assert!(body.contains("canary-key") && body.contains("canary-body"), "{body}");
    }
    capture.assert_free_of(&CANARIES);
}

#[tokio::test]
async fn a_success_that_repeats_the_request_is_the_caller_s_and_is_not_printed() {
    let (url, tally, mut output) = (echo(200).await, Tally::new(), Output::default());
    let client = authenticated(&tally);

    let response = client.execute_read(&repeats(0), |http| order(http, &url)).await.unwrap();

    output.debug(&response);
    output.debug(&tally.events());
    assert_eq!(output.leaks(), Vec::<&str>::new(), "{}", output.0);
    let body = String::from_utf8_lossy(response.body());
    assert!(body.contains(&format!("authorization: Bearer {TOKEN}\r\n")), "{body}");
}

#[tokio::test]
async fn an_echo_that_is_printed_would_be_found() {
    let (url, tally, mut output) = (echo(500).await, Tally::new(), Output::default());
    // The caller's own token, not marked as one: the client does not know it.
    let build = |http: &reqwest::Client| http.get(&url).header("x-token", TOKEN);
    let client = watched(&tally).build();

    let error = client.execute_read(&repeats(0), build).await.unwrap_err();

    output.error(&error);
    assert_eq!(output.leaks(), Vec::<&str>::new(), "{}", output.0);
    output.debug(&error.body);
    assert_eq!(output.leaks(), [TOKEN]);
}

#[tokio::test]
async fn a_header_that_the_caller_marked_as_sensitive_is_hidden_too() {
    for status in [400, 503] {
        let (url, tally) = (echo(status).await, Tally::new());
        let client = watched(&tally).build();
        let mut key = HeaderValue::from_static("a-key-of-the-caller");
        key.set_sensitive(true);

        let post = |http: &reqwest::Client| {
            http.post(&url).bearer_auth(TOKEN).header("x-api-key", key.clone()).body("order 66")
        };
        let error = client.execute_read(&repeats(1), post).await.unwrap_err();

        let body = error.body.expect("the request");
        assert!(body.contains("authorization: Bearer …\r\nx-api-key: …\r\n"), "{body}");
        assert!(body.contains("order 66") && !body.contains(TOKEN), "{body}");
    }
}

#[tokio::test]
async fn of_a_marked_header_that_is_no_credential_each_part_is_hidden() {
    for cookies in ["sid=canary-cookie; b=2", "canary-cookie v1", "b=2; sid=canary-cookie"] {
        let url = echo(403).await;
        let mut cookie = HeaderValue::from_static(cookies);
        cookie.set_sensitive(true);

        let post = |http: &reqwest::Client| {
            http.post(&url).header("cookie", cookie.clone()).body("order 66")
        };
        let client = watched(&Tally::new()).build();
        let error = client.execute_with(&repeats(0), post).await.unwrap_err();

        let body = error.body.expect("the request");
        assert!(body.contains("cookie: …\r\n") && !body.contains("canary-cookie"), "{body}");
    }
}
