//! Sizes in bytes.

use std::future::{Ready, ready};

use api_pool::{CallPolicy, ResilientClient, with_retry};
use backon::{ExponentialBuilder, Retryable as _};
use tokio_retry::{Retry, strategy};

use super::deciding::{Busy, POLICY};
use crate::experiment::Sizes;

pub(crate) const FUTURES: Sizes = Sizes { title: "the future of one HTTP call", of: futures };

pub(crate) const RETRIES: Sizes =
    Sizes { title: "the future of an operation with retries, beside its own", of: retries };

pub(crate) const VALUES: Sizes = Sizes { title: "what a decision needs", of: values };

const URL: &str = "http://127.0.0.1/";

fn futures() -> Vec<(&'static str, usize)> {
    let http = reqwest::Client::new();
    let client = ResilientClient::builder().default_breaker().build();
    let policy = CallPolicy::essential();
    vec![
        ("bare reqwest", size_of_val(&http.get(URL).send())),
        (
            "api-pool: execute_with",
            size_of_val(&client.execute_with(&policy, |http| http.get(URL))),
        ),
        (
            "api-pool: execute_read",
            size_of_val(&client.execute_read(&policy, |http| http.get(URL))),
        ),
    ]
}

fn retries() -> Vec<(&'static str, usize)> {
    const OWN: usize = size_of::<Ready<Result<(), Busy>>>();

    let operation = || ready(Ok::<(), Busy>(()));
    let waits = strategy::ExponentialBackoff::from_millis(2).map(strategy::jitter).take(4);
    let ours = size_of_val(&with_retry(POLICY, operation));
    let backon = size_of_val(&operation.retry(ExponentialBuilder::default().with_jitter()));
    let tokio_retry = size_of_val(&Retry::start(waits, operation));
    vec![
        ("api-pool: with_retry", ours - OWN),
        ("backon", backon - OWN),
        ("tokio-retry", tokio_retry - OWN),
    ]
}

fn values() -> Vec<(&'static str, usize)> {
    vec![
        ("retry-core: Backoff", size_of::<retry_core::Backoff>()),
        ("retry-core: Policy", size_of::<retry_core::Policy>()),
        ("retry-core: Run", size_of::<retry_core::Run<'_>>()),
        ("backon: ExponentialBackoff", size_of::<backon::ExponentialBackoff>()),
        ("tokio-retry: ExponentialBackoff", size_of::<strategy::ExponentialBackoff>()),
    ]
}
