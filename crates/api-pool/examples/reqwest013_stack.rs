//! The same resilience for a `reqwest-middleware` stack over reqwest 0.13.
//!
//! ```sh
//! cargo run -p api-pool --example reqwest013_stack --features reqwest013-middleware
//! ```
//!
//! `reqwest_stack` shows what a stack gets, over reqwest 0.12. Here only one line differs: the
//! builder is told that its transport is the other one.

use std::error::Error;

use api_pool::{PoolMiddleware, ResilientClient};
use demo_api::{Config, DemoServer};
use reqwest013::Client;
use reqwest013_middleware::ClientBuilder;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

#[tokio::main]
#[expect(clippy::print_stdout, reason = "an example talks to its reader")]
async fn main() -> Outcome<()> {
    println!("{}", run().await?);
    Ok(())
}

async fn run() -> Outcome<String> {
    let server = DemoServer::start(Config::new().faults("503@#1; reset@#2".parse()?))?;
    let builder = ResilientClient::builder().default_transport::<Client>().default_breaker();
    let client = ClientBuilder::new(Client::new()).with(PoolMiddleware::new(builder)).build();

    let response = client.get(format!("{}/airports/ORD", server.url())).send().await?;

    let line = format!("{} after {} requests", response.status(), server.stats().requests());
    server.shutdown().await;
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_stack_over_the_other_line_retries_as_well() {
        assert_eq!(run().await.unwrap(), "200 OK after 3 requests");
    }
}
