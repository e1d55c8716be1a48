//! A `reqwest-middleware` stack over reqwest 0.12 that one line makes resilient.
//!
//! ```sh
//! cargo run -p api-pool --example reqwest_stack --features reqwest-middleware
//! ```

use std::{
    error::Error,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use api_pool::{CallPolicy, PoolMiddleware, ResilientClient};
use demo_api::{Config, DemoServer};
use http::Extensions;
use reqwest::{Client, Request, Response};
use reqwest_middleware::{ClientBuilder, ClientWithMiddleware, Middleware, Next, Result as Answer};

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// A middleware that the program had before: it counts requests.
#[derive(Clone, Default)]
struct Count(Arc<AtomicUsize>);

#[async_trait::async_trait]
impl Middleware for Count {
    async fn handle(
        &self,
        request: Request,
        extensions: &mut Extensions,
        next: Next<'_>,
    ) -> Answer<Response> {
        self.0.fetch_add(1, Ordering::Relaxed);
        next.run(request, extensions).await
    }
}

#[tokio::main]
#[expect(clippy::print_stdout, reason = "an example talks to its reader")]
async fn main() -> Outcome<()> {
    for line in run().await? {
        println!("{line}");
    }
    Ok(())
}

/// The stack: ours before the one that counts, which so sees every attempt.
fn stack(count: Count) -> ClientWithMiddleware {
    let builder =
        ResilientClient::builder().max_parallel(4).circuit_breaker(3, Duration::from_millis(500));
    ClientBuilder::new(Client::new()).with(PoolMiddleware::new(builder)).with(count).build()
}

/// What the calls came to, a line each.
async fn run() -> Outcome<Vec<String>> {
    let server = DemoServer::start(Config::new().faults("503@#1-2; 503@#4-6".parse()?))?;
    let url = format!("{}/airports/ORD", server.url());
    let count = Count::default();
    let client = stack(count.clone());
    let mut lines = Vec::new();

    let response = client.get(&url).send().await?;
    lines.push(format!(
        "a call: {}, {} attempts",
        response.status(),
        count.0.load(Ordering::Relaxed)
    ));

    for _ in 0..4 {
        // A policy of its own: one attempt, and none while the breaker is open.
        let poll = client.get(&url).with_extension(CallPolicy::background()).send().await;
        lines.push(match poll {
            Ok(response) => format!("a poll: {}", response.status()),
            Err(error) => format!("a poll: {}", cause(&error)),
        });
    }

    let essential = client.get(&url).with_extension(CallPolicy::essential()).send().await?;
    lines.push(format!("a screen, once the breaker let it: {}", essential.status()));
    server.shutdown().await;
    Ok(lines)
}

/// The innermost error.
fn cause(error: &dyn Error) -> String {
    error.source().map_or_else(|| error.to_string(), cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_stack_retries_and_has_a_breaker() {
        assert_eq!(
            run().await.unwrap(),
            [
                "a call: 200 OK, 3 attempts",
                "a poll: 503 Service Unavailable",
                "a poll: 503 Service Unavailable",
                "a poll: 503 Service Unavailable",
                "a poll: circuit breaker open",
                "a screen, once the breaker let it: 200 OK",
            ]
        );
    }
}
