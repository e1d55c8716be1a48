//! A `tower` stack over reqwest that retries by our rules.
//!
//! ```sh
//! cargo run -p api-pool --example tower_stack --features tower
//! ```

use std::{error::Error, time::Duration};

use api_pool::{
    RetryPolicy,
    tower::{Retries, RetryLayer},
};
use demo_api::{Config, DemoServer};
use reqwest::{Client, Method, Request};
use tower::{Service, ServiceBuilder, ServiceExt as _};

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

#[tokio::main]
#[expect(clippy::print_stdout, reason = "an example talks to its reader")]
async fn main() -> Outcome<()> {
    for line in run().await? {
        println!("{line}");
    }
    Ok(())
}

/// What the calls came to, a line each.
async fn run() -> Outcome<Vec<String>> {
    // The first request of each kind fails, and the second one of the first kind as well.
    let faults = "503@#1-2; 503@#4; 503@#5; 503@#7".parse()?;
    let server = DemoServer::start(Config::new().faults(faults))?;
    let policy = RetryPolicy::new(3, Duration::from_millis(20), Duration::from_secs(1));

    // Ours: the client's loop, whose errors say how it went.
    let ours = ServiceBuilder::new()
        .concurrency_limit(4)
        .layer(RetryLayer::new(policy.clone()))
        .service(Client::new());
    // tower's own, with our decisions and waits.
    let towers = ServiceBuilder::new()
        .concurrency_limit(4)
        .retry(Retries::new(policy))
        .service(Client::new());

    let url = server.url();
    let get = || request(Method::GET, &format!("{url}/airports/ORD"), None);
    let order = |key| request(Method::POST, &format!("{url}/echo/orders"), key);
    let mut lines = Vec::new();
    let mut note = |what: &str, status: u16, before: u64| {
        let sent = server.stats().requests() - before;
        lines.push(format!("{what}: {status} after {sent} request(s)"));
        before + sent
    };
    let sent = note("GET", status(ours.clone(), get()?).await?, 0);
    let sent = note("POST without a key", status(ours.clone(), order(None)?).await?, sent);
    let sent = note("POST with a key", status(ours, order(Some("7"))?).await?, sent);
    note("GET through tower's layer", status(towers, get()?).await?, sent);
    server.shutdown().await;
    Ok(lines)
}

fn request(method: Method, url: &str, key: Option<&'static str>) -> Outcome<Request> {
    let mut request = Request::new(method, url.parse()?);
    if let Some(key) = key {
        request.headers_mut().insert("idempotency-key", key.parse()?);
    }
    Ok(request)
}

async fn status<S>(service: S, request: Request) -> Outcome<u16>
where
    S: Service<Request, Response = reqwest::Response>,
    S::Error: Into<Box<dyn Error + Send + Sync>>,
{
    let response = service.oneshot(request).await.map_err(Into::into)?;
    Ok(response.status().as_u16())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_may_be_repeated_is_and_the_rest_is_sent_once() {
        assert_eq!(
            run().await.unwrap(),
            [
                "GET: 200 after 3 request(s)",
                "POST without a key: 503 after 1 request(s)",
                "POST with a key: 200 after 2 request(s)",
                "GET through tower's layer: 200 after 2 request(s)",
            ]
        );
    }
}
