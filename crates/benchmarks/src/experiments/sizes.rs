//! Sizes in bytes.

use api_pool::{CallPolicy, ResilientClient};

use crate::experiment::Sizes;

pub(crate) const FUTURES: Sizes = Sizes { title: "the future of one HTTP call", of: futures };

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

fn values() -> Vec<(&'static str, usize)> {
    vec![
        ("retry-core: Backoff", size_of::<retry_core::Backoff>()),
        ("retry-core: Policy", size_of::<retry_core::Policy>()),
        ("retry-core: Run", size_of::<retry_core::Run<'_>>()),
        ("backon: ExponentialBackoff", size_of::<backon::ExponentialBackoff>()),
        ("tokio-retry: ExponentialBackoff", size_of::<tokio_retry::strategy::ExponentialBackoff>()),
    ]
}
