//! A redirect from https to http is not followed, whoever would refuse it.

#[path = "../../../tests/support/tls.rs"]
mod tls;

use std::error::Error;

use futures_util::FutureExt;
use tls::{Authority, TlsServer};
use tokio::net::TcpListener;

use super::like_the_default;
use crate::{CallPolicy, ResilientClient};

fn redirect(status: u16, target: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status} X\r\nlocation: {target}\r\ncontent-length: 0\r\n\r\n").into_bytes()
}

#[tokio::test]
async fn a_redirect_from_https_to_http_is_not_followed() {
    let authority = Authority::new("ours");
    let root = reqwest::Certificate::from_der(authority.root()).unwrap();
    let client = like_the_default(|settings| settings.add_root_certificate(root));
    let plain = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let target = format!("http://localhost:{}/", plain.local_addr().unwrap().port());
    for status in [301, 302, 303, 307, 308] {
        let redirect = redirect(status, &target);
        let server = TlsServer::start(&authority.issue("localhost"), redirect).await;

        let error = client
            .execute_read(&CallPolicy::background(), |http| http.post(server.url("localhost")))
            .await
            .unwrap_err();

        assert_eq!((error.status(), server.requests()), (Some(status), 1));
    }
    assert!(plain.accept().now_or_never().is_none(), "something connected");
}

#[tokio::test]
async fn a_cause_that_shows_a_url_is_left_out() {
    let authority = Authority::new("ours");
    let root = reqwest::Certificate::from_der(authority.root()).unwrap();
    let redirect = redirect(302, "http://localhost:1/?code=canary");
    let server = TlsServer::start(&authority.issue("localhost"), redirect).await;
    let settings = reqwest::Client::builder().https_only(true).add_root_certificate(root);
    let client = ResilientClient::builder().http_client(settings.build().unwrap()).build();

    let error = client.execute(|http| http.get(server.url("localhost"))).await.unwrap_err();

    assert_eq!(error.kind_name(), "request");
    let causes = core::iter::successors(error.source(), |&cause| cause.source());
    let shown = causes.fold(format!("{error} {error:?}"), |all, cause| format!("{all} {cause:?}"));
    assert!(!shown.contains("canary"), "{shown}");
}
