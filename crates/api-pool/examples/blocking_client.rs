//! Runs a blocking HTTP client from asynchronous code, a few requests at a time.
//!
//! ```sh
//! cargo run -p api-pool --example blocking_client
//! ```
//!
//! `ureq` blocks its thread for as long as a request takes and cannot be interrupted. The runtime
//! gives each attempt a thread and a slot, retries what fails, and answers a caller who gives up at
//! once, while the slot stays taken until the request has really ended.

use std::{
    error::Error,
    io::{self, Write},
    time::Duration,
};

use api_pool::{RequestRuntime, RunOptions};
use demo_api::{Config, DemoServer, FaultPlan};
use tokio::task::JoinSet;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    run(&mut io::stdout()).await
}

async fn run(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let faults: FaultPlan = "503@20%".parse()?;
    let server = DemoServer::start(Config::new().faults(faults.with_seed(1)))?;

    let runtime = RequestRuntime::builder("blocking_client").group("airports", 2).build()?;
    let options = RunOptions::new()
        .group("airports")
        .retry(5)
        .retry_if(|error| !matches!(error, ureq::Error::StatusCode(400..500)))
        .retry_delay_with(|failures, _error| Duration::from_millis(20) * failures);

    let mut lookups = JoinSet::new();
    for code in ["ATL", "DEN", "JFK", "LAX", "ORD", "SEA"] {
        let url = format!("{}/airports/{code}", server.url());
        let lookup = runtime.run_blocking(options.clone(), move || get(&url));
        lookups.spawn(async move { (code, lookup.await) });
    }
    while let Some(lookup) = lookups.join_next().await {
        let (code, airport) = lookup?;
        writeln!(out, "{code}: {} bytes", airport?.len())?;
    }

    // A caller who does not wait: the answer would take 800 ms.
    server.set_faults("slow@#1 pause=100ms".parse()?);
    let (scope, before) = (runtime.scope(), server.stats().requests());
    let url = format!("{}/flights", server.url());
    let slow = tokio::spawn(scope.run_blocking(options, move || get(&url)));
    while server.stats().requests() == before {
        tokio::task::yield_now().await;
    }
    scope.dispose();
    let answer = slow.await?.map(|flights| flights.len());
    writeln!(out, "flights: {answer:?}, {} request running", runtime.diagnostics().active())?;
    Ok(())
}

fn get(url: &str) -> Result<String, ureq::Error> {
    ureq::get(url).call()?.body_mut().read_to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn every_airport_is_found_and_who_gives_up_is_answered_before_the_request_has_ended() {
        let mut out = Vec::new();

        run(&mut out).await.expect("the faults are survived");

        let out = String::from_utf8(out).expect("text");
        let mut lines: Vec<_> = out.lines().collect();
        assert_eq!(lines.pop(), Some("flights: Err(Disposed(Disposed)), 1 request running"));
        let mut found: Vec<_> = lines.iter().filter_map(|line| line.split(':').next()).collect();
        found.sort_unstable();
        assert_eq!(found, ["ATL", "DEN", "JFK", "LAX", "ORD", "SEA"]);
    }
}
