//! What only a client with the default settings and something more can be tested for.

#[cfg(feature = "http2")]
#[path = "../../tests/support/frames.rs"]
mod frames;
#[cfg(feature = "http2")]
mod hidden_retries;
#[cfg(feature = "http2")]
mod http2_redirects;
#[cfg(feature = "rustls")]
mod https_redirects;
mod token_sources;

use std::time::Duration;

use super::http_clients;
use crate::{ResilientClient, TransportOptions};

/// A client as the default one is, and as this says besides.
fn like_the_default(
    besides: impl FnOnce(reqwest::ClientBuilder) -> reqwest::ClientBuilder,
) -> ResilientClient {
    let options = TransportOptions { request_timeout: Some(Duration::from_secs(10)) };
    let http = besides(http_clients::reqwest::settings(&options)).build();
    ResilientClient::builder().http_client(http.expect("valid settings")).build()
}
