//! Each request, refusal, retry, wait and transition is recorded once, under bounded labels.
#![cfg(feature = "metrics")]

mod support;

use std::sync::{Arc, Mutex};

use api_pool::testing::{Reply, Script};
use api_pool::{CallPolicy, MetricsObserver, ResilientClient, ResilientClientBuilder, RetryPolicy};
use metrics::{
    Counter, CounterFn, Gauge, GaugeFn, Histogram, HistogramFn, Key, KeyName, Metadata, Recorder,
    SharedString, Unit,
};
use support::{URL, ms, secs, statuses};

/// Writes down what is recorded, one line each.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn write(&self, line: String) {
        self.0.lock().expect("no test panics while writing").push(line);
    }

    fn lines(&self) -> Vec<String> {
        self.0.lock().expect("no test panics while writing").clone()
    }

    fn entry(&self, key: &Key) -> Arc<Entry> {
        let labels: Vec<_> =
            key.labels().map(|label| format!("{}={}", label.key(), label.value())).collect();
        Arc::new(Entry { name: format!("{} {}", key.name(), labels.join(" ")), log: self.clone() })
    }
}

struct Entry {
    name: String,
    log: Log,
}

impl CounterFn for Entry {
    fn increment(&self, value: u64) {
        self.log.write(format!("{} +{value}", self.name));
    }

    fn absolute(&self, value: u64) {
        self.log.write(format!("{} ={value}", self.name));
    }
}

impl GaugeFn for Entry {
    fn increment(&self, value: f64) {
        self.log.write(format!("{} +{value}", self.name));
    }

    fn decrement(&self, value: f64) {
        self.log.write(format!("{} -{value}", self.name));
    }

    fn set(&self, value: f64) {
        self.log.write(format!("{} ={value}", self.name));
    }
}

impl HistogramFn for Entry {
    fn record(&self, value: f64) {
        self.log.write(format!("{} {value}", self.name));
    }
}

impl Recorder for Log {
    fn describe_counter(&self, key: KeyName, unit: Option<Unit>, _: SharedString) {
        self.write(format!("counter {} {unit:?}", key.as_str()));
    }

    fn describe_gauge(&self, key: KeyName, unit: Option<Unit>, _: SharedString) {
        self.write(format!("gauge {} {unit:?}", key.as_str()));
    }

    fn describe_histogram(&self, key: KeyName, unit: Option<Unit>, _: SharedString) {
        self.write(format!("histogram {} {unit:?}", key.as_str()));
    }

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        Counter::from_arc(self.entry(key))
    }

    fn register_gauge(&self, key: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::from_arc(self.entry(key))
    }

    fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::from_arc(self.entry(key))
    }
}

fn watched(script: Script) -> ResilientClientBuilder<Script> {
    ResilientClient::builder()
        .transport(script)
        .entropy(|| 0)
        .retry(RetryPolicy::new(0, ms(10), secs(1)))
        .observer("airports", Arc::new(MetricsObserver))
}

#[tokio::test(start_paused = true)]
async fn a_call_is_recorded_attempt_by_attempt() {
    let log = Log::default();
    let _recording = metrics::set_default_local_recorder(&log);
    let script = Script::new([Reply::status(503).after(ms(250)), Reply::ok("fine").after(ms(50))]);
    let client = watched(script).circuit_breaker(1, secs(5)).build();

    client.execute_with(&CallPolicy::essential(), |http| http.get(URL)).await.unwrap();

    assert_eq!(
        log.lines(),
        [
            "http.client.request.duration key=airports status=5xx kind=status 0.25",
            "api_pool.breaker.transitions key=airports kind=opened +1",
            "api_pool.retries key=airports +1",
            "api_pool.wait.duration key=airports kind=gate 4.75",
            "http.client.request.duration key=airports status=2xx kind=ok 0.05",
            "api_pool.breaker.transitions key=airports kind=closed +1",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn what_was_not_sent_is_a_refusal_and_no_request() {
    let log = Log::default();
    let _recording = metrics::set_default_local_recorder(&log);
    let client = watched(statuses([404, 503])).circuit_breaker(1, secs(5)).build();
    for url in ["no url at all", URL, URL, URL] {
        client.execute(|http| http.get(url)).await.unwrap_err();
    }

    assert_eq!(
        log.lines(),
        [
            "api_pool.refusals key=airports kind=request +1",
            "http.client.request.duration key=airports status=4xx kind=status 0",
            "http.client.request.duration key=airports status=5xx kind=status 0",
            "api_pool.breaker.transitions key=airports kind=opened +1",
            "api_pool.refusals key=airports kind=breaker_open +1",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn no_answer_and_a_dropped_call_are_told_apart() {
    let log = Log::default();
    let _recording = metrics::set_default_local_recorder(&log);
    let script = Script::new([Reply::fault(api_pool::Fault::Broken), Reply::hang()]);
    let client = watched(script).build();
    client.execute(|http| http.get(URL)).await.unwrap_err();
    tokio::time::timeout(secs(1), client.execute(|http| http.get(URL))).await.unwrap_err();

    assert_eq!(
        log.lines(),
        [
            "http.client.request.duration key=airports status=none kind=transport 0",
            "api_pool.cancelled key=airports +1",
        ]
    );
}

#[test]
fn every_name_is_described_with_its_unit() {
    let log = Log::default();
    metrics::with_local_recorder(&log, MetricsObserver::describe);
    let mut lines = log.lines();
    lines.sort_unstable();
    assert_eq!(
        lines,
        [
            "counter api_pool.breaker.transitions Some(Count)",
            "counter api_pool.cancelled Some(Count)",
            "counter api_pool.refusals Some(Count)",
            "counter api_pool.retries Some(Count)",
            "histogram api_pool.wait.duration Some(Seconds)",
            "histogram http.client.request.duration Some(Seconds)",
        ]
    );
}
