//! Whoever watches attempts learns where each goes and how it ends, and nothing that is secret.

mod support;

use std::sync::{Arc, Mutex};

use api_pool::testing::{Reply, Script};
use api_pool::{
    AttemptInfo, AttemptObserver, CallPolicy, ResilientClient, RetryPolicy, TransportEvent,
    TransportObserver,
};
use support::{URL, ms, secs, statuses};

/// Writes down everything in the order in which it happens.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn write(&self, line: String) {
        self.0.lock().expect("no test panics while writing").push(line);
    }

    fn lines(&self) -> Vec<String> {
        self.0.lock().expect("no test panics while writing").clone()
    }
}

impl TransportObserver for Log {
    fn on_event(&self, _: &str, event: TransportEvent) {
        self.write(name(&event));
    }

    fn on_attempt(&self, key: &str, attempt: &AttemptInfo<'_>) -> Option<Box<dyn AttemptObserver>> {
        let (method, resend_count) = (attempt.method(), attempt.resend_count());
        let address = attempt.address();
        let (scheme, host, port) = (address.scheme, address.host, address.port);
        self.write(format!("{key}: {method} {scheme} {host} {port:?} again {resend_count}"));
        Some(Box::new(Line(self.clone())))
    }
}

struct Line(Log);

impl AttemptObserver for Line {
    fn ended(self: Box<Self>, event: &TransportEvent) {
        self.0.write(format!("ended by {}", name(event)));
    }
}

fn name(event: &TransportEvent) -> String {
    let text = format!("{event:?}");
    text.split([' ', '{']).next().unwrap_or_default().to_owned()
}

fn client(script: Script, log: &Log) -> api_pool::ResilientClientBuilder<Script> {
    ResilientClient::builder()
        .transport(script)
        .entropy(|| 0)
        .retry(RetryPolicy::new(1, ms(10), secs(1)))
        .observer("airports", Arc::new(log.clone()))
}

#[tokio::test(start_paused = true)]
async fn an_attempt_is_told_before_it_leaves_and_before_its_last_event() {
    let log = Log::default();
    client(statuses([503, 200]), &log).build().execute(|http| http.post(URL)).await.unwrap();
    assert_eq!(
        log.lines(),
        [
            "Started",
            "airports: POST http api.test Some(80) again 0",
            "ended by Failed",
            "Failed",
            "RetryScheduled",
            "Started",
            "airports: POST http api.test Some(80) again 1",
            "ended by Succeeded",
            "Succeeded",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_is_not_sent_is_not_told() {
    let log = Log::default();
    let client = client(statuses([503]), &log).circuit_breaker(1, secs(5)).build();
    client.execute(|http| http.get("no url at all")).await.unwrap_err();
    assert_eq!(log.lines(), ["Started", "Failed"]);

    client.execute_with(&CallPolicy::background(), |http| http.get(URL)).await.unwrap_err();
    client.execute_with(&CallPolicy::background(), |http| http.get(URL)).await.unwrap_err();
    assert_eq!(log.lines().iter().filter(|line| line.starts_with("airports")).count(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_attempt_ends_too() {
    let log = Log::default();
    let client = client(Script::new([Reply::hang()]), &log).build();
    tokio::time::timeout(secs(1), client.execute(|http| http.get(URL))).await.unwrap_err();
    assert_eq!(log.lines()[2..], ["ended by Cancelled", "Cancelled"]);
}

#[tokio::test(start_paused = true)]
async fn addresses_have_a_port_and_no_brackets_and_no_user() {
    let addresses = [
        ("https://user:s3cret@api.test/p4th?key=s3cret#s3cret", "https api.test Some(443)"),
        ("http://[::1]:8080/", "http ::1 Some(8080)"),
        ("http://127.0.0.1", "http 127.0.0.1 Some(80)"),
    ];
    for (url, expected) in addresses {
        let log = Log::default();
        let client = client(statuses([200]), &log).build();
        client.execute(|http| http.get(url)).await.unwrap();
        assert_eq!(log.lines()[1], format!("airports: GET {expected} again 0"));
    }
}

#[tokio::test]
async fn the_http_client_s_requests_have_the_same_addresses() {
    let log = Log::default();
    let client = ResilientClient::builder()
        .retry(RetryPolicy::new(0, ms(1), ms(1)))
        .observer("airports", Arc::new(log.clone()))
        .build();
    // Nothing listens on the ports 1: the attempts fail at once.
    for url in ["http://user:s3cret@127.0.0.1:1/p4th?key=s3cret", "http://[::1]:1/"] {
        client.execute(|http| http.head(url)).await.unwrap_err();
    }
    let lines = log.lines();
    let told: Vec<_> = lines.iter().filter(|line| line.starts_with("airports")).collect();
    assert_eq!(
        told,
        [
            "airports: HEAD http 127.0.0.1 Some(1) again 0",
            "airports: HEAD http ::1 Some(1) again 0"
        ]
    );
}

/// Panics wherever it can.
struct Hostile;

impl TransportObserver for Hostile {
    fn on_event(&self, _: &str, _: TransportEvent) {}

    fn on_attempt(&self, _: &str, info: &AttemptInfo<'_>) -> Option<Box<dyn AttemptObserver>> {
        assert_eq!(info.resend_count(), 0, "a hostile observer");
        Some(Box::new(Self))
    }
}

impl AttemptObserver for Hostile {
    fn ended(self: Box<Self>, _: &TransportEvent) {
        panic!("a hostile observer");
    }
}

#[tokio::test(start_paused = true)]
async fn several_observers_each_watch_and_a_panic_in_one_concerns_nobody_else() {
    let logs = [Log::default(), Log::default(), Log::default()];
    let [first, second, third] = logs.clone();
    let client = ResilientClient::builder()
        .transport(statuses([503, 200]))
        .entropy(|| 0)
        .observer("airports", Arc::new((Hostile, (first, vec![second, third]))))
        .build();

    client.execute(|http| http.get(URL)).await.unwrap();

    assert_eq!(logs[0].lines().len(), 9);
    assert_eq!(logs[0].lines(), logs[1].lines());
    assert_eq!(logs[0].lines(), logs[2].lines());
}
