//! Reads airports and their flights over GraphQL: nested in one document, then
//! as two related tables, then as a Vista from YAML.
//!
//! ```text
//! cargo run -p vantage-graphql --example explore
//! cargo run -p vantage-graphql --example explore -- ORD
//! ```
//!
//! The server is the demo API, started for the occasion; the argument is the
//! code of an airport.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "an example answers there")]

mod nested;
mod related;
mod tables;
mod yaml;

use std::{error::Error, process::ExitCode};

use demo_api::{Config, DemoServer};
use vantage_graphql::Priority;

/// What the parts of this example fail with.
type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

#[tokio::main]
async fn main() -> ExitCode {
    let code = std::env::args().nth(1).unwrap_or_else(|| "LAX".to_owned());
    // Someone waits for the answer, so failures are tried again.
    match Priority::Essential.scope(run(&code)).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("explore: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(code: &str) -> Outcome<()> {
    let server = DemoServer::start(Config::new())?;
    let api = tables::api(&server);
    for (title, cost) in [
        ("one document", requests(&server, nested::show(&api, code)).await?),
        ("two tables", requests(&server, related::show(&api, code)).await?),
        ("a Vista", requests(&server, yaml::show(&api)).await?),
    ] {
        println!("{title}: {cost} request(s)");
    }
    server.shutdown().await;
    Ok(())
}

/// Runs `part`, and says what it cost the server.
async fn requests(server: &DemoServer, part: impl Future<Output = Outcome<()>>) -> Outcome<u64> {
    let before = server.stats().requests();
    part.await?;
    Ok(server.stats().requests() - before)
}
