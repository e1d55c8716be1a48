//! What only a client with the default settings and something more can be tested for.

#[cfg(feature = "http2")]
#[path = "../../tests/support/frames.rs"]
mod frames;
#[cfg(feature = "rustls")]
#[path = "../../tests/support/tls.rs"]
mod tls;

use std::time::Duration;

use test_support::{FaultServer, Script, answer};

use super::http_clients;
use crate::{CallPolicy, ResilientClient, RetryPolicy, TransportOptions};

/// A client as the default one is, and as this says besides.
fn like_the_default(
    besides: impl FnOnce(reqwest::ClientBuilder) -> reqwest::ClientBuilder,
) -> ResilientClient {
    let options = TransportOptions { request_timeout: Some(Duration::from_secs(10)) };
    let http = besides(http_clients::reqwest::settings(&options)).build().unwrap();
    ResilientClient::builder().http_client(http).build()
}

#[cfg(feature = "http2")]
#[tokio::test]
async fn the_default_settings_hide_no_retry() {
    use frames::{Act, FrameServer, REFUSED_STREAM, Request};

    let server = FrameServer::start(|Request { stream, .. }| {
        vec![Act::Reset { stream, code: REFUSED_STREAM }]
    })
    .await;
    let client = like_the_default(reqwest::ClientBuilder::http2_prior_knowledge);
    let policy = CallPolicy::bounded(RetryPolicy::new(2, Duration::ZERO, Duration::ZERO));

    let error = client.execute_read(&policy, |http| http.post(server.url())).await.unwrap_err();

    assert_eq!((error.attempts, server.requests()), (3, 3));
}

#[cfg(feature = "rustls")]
#[tokio::test]
async fn a_redirect_from_https_to_http_is_not_followed() {
    use tls::{Authority, TlsServer};

    let authority = Authority::new("ours");
    let root = reqwest::Certificate::from_der(authority.root()).unwrap();
    let client = like_the_default(|settings| settings.add_root_certificate(root));
    let plain = FaultServer::start(|_| Script::answering(answer(200, &[], ""))).await.unwrap();
    for status in [301, 302, 303, 307, 308] {
        let target = format!("http://localhost:{}/", plain.address().port());
        let redirect = answer(status, &[("location", &target)], "");
        let server = TlsServer::start(&authority.issue("localhost"), redirect).await;

        let error = client
            .execute_read(&CallPolicy::background(), |http| http.post(server.url("localhost")))
            .await
            .unwrap_err();

        assert_eq!((error.status(), server.requests()), (Some(status), 1));
    }
    assert_eq!(plain.seen().connections(), 0);
}

#[cfg(feature = "rustls")]
#[tokio::test]
async fn a_cause_that_shows_a_url_is_left_out() {
    use tls::{Authority, TlsServer};

    let authority = Authority::new("ours");
    let root = reqwest::Certificate::from_der(authority.root()).unwrap();
    let redirect = answer(302, &[("location", "http://localhost:1/?code=canary")], "");
    let server = TlsServer::start(&authority.issue("localhost"), redirect).await;
    let settings = reqwest::Client::builder().https_only(true).add_root_certificate(root);
    let client = ResilientClient::builder().http_client(settings.build().unwrap()).build();

    let error = client.execute(|http| http.get(server.url("localhost"))).await.unwrap_err();

    assert_eq!(error.kind_name(), "request");
    let causes = core::iter::successors(std::error::Error::source(&error), |&cause| cause.source());
    let shown = causes.fold(format!("{error} {error:?}"), |all, cause| format!("{all} {cause:?}"));
    assert!(!shown.contains("canary"), "{shown}");
}
