//! Counters and histograms for whatever recorder the program has installed.

use std::time::Duration;

use metrics::{Unit, counter, describe_counter, describe_histogram, histogram};

use super::TransportObserver;
use crate::error::ClientError;
use crate::event::{TransportEvent, WaitStage};

const BREAKER: &str = "api_pool.breaker.transitions";
const CANCELLED: &str = "api_pool.cancelled";
const REFUSALS: &str = "api_pool.refusals";
const REQUESTS: &str = "http.client.request.duration";
const RETRIES: &str = "api_pool.retries";
const WAITS: &str = "api_pool.wait.duration";

/// Records what clients do with the `metrics` crate.
///
/// | Name | Type | Labels besides `key` | Is |
/// |---|---|---|---|
/// | `http.client.request.duration` | histogram, seconds | `status`, `kind` | each request, from sending to the head of the response or to the failure; its count is the number of requests |
/// | `api_pool.refusals` | counter | `kind` | attempts that failed before anything was sent |
/// | `api_pool.cancelled` | counter | | attempts dropped by their callers |
/// | `api_pool.retries` | counter | | retries scheduled |
/// | `api_pool.wait.duration` | histogram, seconds | `kind` | waits before an attempt |
/// | `api_pool.breaker.transitions` | counter | `kind` | `opened` and `closed` |
///
/// `key` is the client's; `status` is `2xx` to `5xx`, or `none` without a response. `kind` is `ok`
/// or the [name](crate::ErrorKind::name) of the error; of a wait, `gate`, `credential`,
/// `rate_token` or `slot`. There is nothing else in a label, so their number is bounded.
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
/// use api_pool::{MetricsObserver, ResilientClient};
///
/// MetricsObserver::describe();
/// let client = ResilientClient::builder().observer("airports", Arc::new(MetricsObserver)).build();
/// # drop(client);
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "it has no settings, and is written as a value")]
pub struct MetricsObserver;

impl MetricsObserver {
    /// Tells the recorder units and descriptions. Call it once, after the recorder is installed.
    pub fn describe() {
        describe_histogram!(
            REQUESTS,
            Unit::Seconds,
            "Time from sending a request to the head of its response, or to its failure"
        );
        describe_counter!(REFUSALS, Unit::Count, "Attempts that failed before anything was sent");
        describe_counter!(CANCELLED, Unit::Count, "Attempts dropped by their callers");
        describe_counter!(RETRIES, Unit::Count, "Retries scheduled");
        describe_histogram!(WAITS, Unit::Seconds, "Time waited before an attempt");
        describe_counter!(BREAKER, Unit::Count, "Openings and closings of the breaker");
    }
}

impl TransportObserver for MetricsObserver {
    fn on_event(&self, key: &str, event: TransportEvent) {
        match event {
            TransportEvent::Succeeded { status, ms, .. } => request(key, class(status), "ok", ms),
            TransportEvent::Failed { error, ms } => failure(key, &error, ms),
            TransportEvent::Cancelled => counter!(CANCELLED, "key" => key.to_owned()).increment(1),
            TransportEvent::RetryScheduled { .. } => {
                counter!(RETRIES, "key" => key.to_owned()).increment(1);
            }
            TransportEvent::BreakerOpened { .. } => transition(key, "opened"),
            TransportEvent::BreakerClosed => transition(key, "closed"),
            TransportEvent::RowsPulled { .. }
            | TransportEvent::Started
            | TransportEvent::WritePushed => (),
        }
    }

    fn on_wait(&self, key: &str, stage: WaitStage, waited: Duration) {
        let kind = match stage {
            WaitStage::Gate => "gate",
            WaitStage::Credential => "credential",
            WaitStage::RateToken => "rate_token",
            WaitStage::Slot => "slot",
        };
        histogram!(WAITS, "key" => key.to_owned(), "kind" => kind).record(waited);
    }
}

fn failure(key: &str, error: &ClientError, ms: u64) {
    if error.came_before_sending() {
        counter!(REFUSALS, "key" => key.to_owned(), "kind" => error.kind_name()).increment(1);
    } else {
        request(key, error.status().map_or("none", class), error.kind_name(), ms);
    }
}

fn request(key: &str, status: &'static str, kind: &'static str, ms: u64) {
    histogram!(REQUESTS, "key" => key.to_owned(), "status" => status, "kind" => kind)
        .record(Duration::from_millis(ms));
}

fn transition(key: &str, kind: &'static str) {
    counter!(BREAKER, "key" => key.to_owned(), "kind" => kind).increment(1);
}

const fn class(status: u16) -> &'static str {
    match status {
        200..=299 => "2xx",
        300..=399 => "3xx",
        400..=499 => "4xx",
        500..=599 => "5xx",
        _ => "none",
    }
}
