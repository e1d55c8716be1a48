//! One call of a healthy server over loopback, the whole way.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use api_pool::CallPolicy;
use backon::{ExponentialBuilder, Retryable};
use reqwest_retry::{RetryTransientMiddleware, policies::ExponentialBackoff};
use tokio_retry::{Retry, strategy};

use super::{block_on, stack};
use crate::{
    experiment::{Experiment, Subject},
    server::Server,
};

pub(crate) const CALL: Experiment = Experiment {
    id: "call",
    title: "a GET on a kept-alive loopback connection succeeds",
    floor: "bare reqwest",
    features: "",
    repeats: (500, 2_500),
    subjects: &[
        Subject::new("bare reqwest", bare),
        Subject::new("api-pool: retry", retry),
        Subject::new("api-pool: retry, breaker", retry_and_breaker),
        Subject::new("api-pool: retry, breaker, rate, observer", everything),
        Subject::new("vantage-api-pool: retry, breaker", vantage_retry_and_breaker),
        Subject::new("vantage-api-pool: retry, breaker, rate, observer", vantage_everything),
        Subject::new("backon: retry", with_backon),
        Subject::new("tokio-retry: retry", with_tokio_retry),
        Subject::new("reqwest-retry: retry", with_reqwest_retry),
        Subject::new("tower: retry, limit, rate", stack::with_tower),
        Subject::new("tower-resilience: retry, breaker", stack::with_tower_resilience),
        Subject::new("tower-resilience: retry, breaker, rate", stack::with_all_tower_resilience),
        #[cfg(feature = "reqx")]
        Subject::new("reqx: retry, breaker", with_reqx),
    ],
};

/// A rate that no run reaches, and a burst that no run uses up.
const RATE: f64 = 1_000_000.0;
const BURST: usize = 1_000_000;

/// The client that all subjects send with.
pub(super) fn http() -> reqwest::Client {
    reqwest::Client::builder().no_proxy().build().expect("it needs nothing of the system")
}

/// Calls and reads the body, one call after the other.
pub(super) fn repeat(calls: u64, mut call: impl AsyncFnMut(&str) -> reqwest::Response) {
    let server = Server::start();
    block_on(async {
        for _ in 0..calls {
            let response = call(server.url()).await;
            let body = response.bytes().await.expect("the body is here");
            assert_eq!(body.len(), 11);
        }
    });
}

fn bare(calls: u64) {
    let http = http();
    repeat(calls, async |url| http.get(url).send().await.expect("the server answers"));
}

fn through(calls: u64, pool: &api_pool::ResilientClient) {
    let policy = CallPolicy::essential();
    repeat(calls, async |url| {
        pool.execute_with(&policy, |http| http.get(url)).await.expect("the server answers")
    });
}

fn retry(calls: u64) {
    through(calls, &api_pool::ResilientClient::builder().http_client(http()).build());
}

fn retry_and_breaker(calls: u64) {
    let pool = api_pool::ResilientClient::builder().http_client(http()).default_breaker().build();
    through(calls, &pool);
}

/// Counts what it is told.
#[derive(Default)]
pub(super) struct Counter(AtomicU64);

impl api_pool::TransportObserver for Counter {
    fn on_event(&self, _key: &str, _event: api_pool::TransportEvent) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl vantage_api_pool::TransportObserver for Counter {
    fn on_event(&self, _key: &str, _event: vantage_api_pool::TransportEvent) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

fn everything(calls: u64) {
    let pool = api_pool::ResilientClient::builder()
        .http_client(http())
        .default_breaker()
        .rate_limit_with_burst(RATE, BURST)
        .observer("airports", Arc::new(Counter::default()))
        .build();
    through(calls, &pool);
}

fn through_vantage(calls: u64, pool: &vantage_api_pool::ResilientClient) {
    let policy = vantage_api_pool::CallPolicy::essential();
    repeat(calls, async |url| {
        pool.execute_with(&policy, |http| http.get(url)).await.expect("the server answers")
    });
}

fn vantage_retry_and_breaker(calls: u64) {
    let pool =
        vantage_api_pool::ResilientClient::builder().http_client(http()).default_breaker().build();
    through_vantage(calls, &pool);
}

fn vantage_everything(calls: u64) {
    let pool = vantage_api_pool::ResilientClient::builder()
        .http_client(http())
        .default_breaker()
        .rate_limit_with_burst(RATE, BURST)
        .observer("airports", Arc::new(Counter::default()))
        .build();
    through_vantage(calls, &pool);
}

async fn get(http: &reqwest::Client, url: &str) -> Result<reqwest::Response, reqwest::Error> {
    http.get(url).send().await?.error_for_status()
}

fn with_backon(calls: u64) {
    let http = http();
    let backoff = ExponentialBuilder::default().with_jitter();
    repeat(calls, async |url| {
        (|| get(&http, url)).retry(backoff).await.expect("the server answers")
    });
}

fn with_tokio_retry(calls: u64) {
    let http = http();
    repeat(calls, async |url| {
        let waits = strategy::ExponentialBackoff::from_millis(2).map(strategy::jitter).take(4);
        Retry::start(waits, || get(&http, url)).await.expect("the server answers")
    });
}

fn with_reqwest_retry(calls: u64) {
    let policy = ExponentialBackoff::builder()
        .retry_bounds(Duration::from_millis(250), Duration::from_secs(10))
        .build_with_max_retries(4);
    let http = reqwest_middleware::ClientBuilder::new(http())
        .with(RetryTransientMiddleware::new_with_policy(policy))
        .build();
    repeat(calls, async |url| http.get(url).send().await.expect("the server answers"));
}

/// A client of its own over hyper: the bare call is not in it.
#[cfg(feature = "reqx")]
fn with_reqx(calls: u64) {
    let server = Server::start();
    let (base, path) = server.url().split_at(server.url().len() - "/airports".len());
    let client = reqx::Client::builder(base)
        .retry_policy(reqx::prelude::RetryPolicy::standard().max_attempts(4))
        .circuit_breaker_policy(reqx::advanced::CircuitBreakerPolicy::standard())
        .build()
        .expect("it needs nothing of the system");
    block_on(async {
        for _ in 0..calls {
            let response = client.get(path).send().await.expect("the server answers");
            assert_eq!(response.body().len(), 11);
        }
    });
}
