//! Counters and histograms, as Prometheus gets to see them.
//!
//! ```sh
//! cargo run -p api-pool --example metrics --features metrics
//! ```
//!
//! The recorder is the program's choice. This one renders text for an endpoint such as `/metrics`.

use std::{error::Error, sync::Arc, time::Duration};

use api_pool::{CallPolicy, MetricsObserver, ResilientClient};
use demo_api::{Config, DemoServer};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Upper bounds in seconds. Without them, durations would be a summary.
const BUCKETS: [f64; 5] = [0.01, 0.05, 0.25, 1.0, 5.0];

#[tokio::main]
#[expect(clippy::print_stdout, reason = "an example talks to its reader")]
async fn main() -> Outcome<()> {
    let metrics = install()?;
    run().await?;
    print!("{}", metrics.render());
    Ok(())
}

fn install() -> Outcome<PrometheusHandle> {
    let durations = Matcher::Suffix(".duration".to_owned());
    let builder = PrometheusBuilder::new().set_buckets_for_metric(durations, &BUCKETS)?;
    let handle = builder.install_recorder()?;
    MetricsObserver::describe();
    Ok(handle)
}

/// Three polls that fail and open the breaker, a fourth that is not sent, and a call for a screen
/// that waits for the probe.
async fn run() -> Outcome<()> {
    let server = DemoServer::start(Config::new().faults("503@#1-3".parse()?))?;
    let url = format!("{}/airports?_limit=3", server.url());
    let client = ResilientClient::builder()
        .circuit_breaker(3, Duration::from_millis(500))
        .observer("airports", Arc::new(MetricsObserver))
        .build();

    for _ in 0..4 {
        // What it ended with is in the metrics.
        let _ = client.execute_with(&CallPolicy::background(), |http| http.get(&url)).await;
    }
    client.execute_read(&CallPolicy::essential(), |http| http.get(&url)).await?;
    server.shutdown().await;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn every_request_is_in_the_text_for_prometheus() {
        let metrics = install().unwrap();
        run().await.unwrap();
        let text = metrics.render();
        for line in [
            "api_pool_breaker_transitions{key=\"airports\",kind=\"opened\"} 1",
            "api_pool_breaker_transitions{key=\"airports\",kind=\"closed\"} 1",
            "api_pool_refusals{key=\"airports\",kind=\"breaker_open\"} 1",
            "http_client_request_duration_count{key=\"airports\",status=\"5xx\",kind=\"status\"} 3",
            "api_pool_wait_duration_count{key=\"airports\",kind=\"gate\"} 1",
        ] {
            assert!(text.lines().any(|other| other == line), "no `{line}` in\n{text}");
        }
    }
}
