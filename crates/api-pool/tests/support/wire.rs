//! What the tests over real sockets share: watched clients, and a count of what they sent.

#![allow(dead_code, reason = "each test binary uses a part of it")]

#[path = "grammar.rs"]
mod grammar;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use api_pool::{
    BreakerState, CallPolicy, ClientError, Fate, Ratio, ResilientClient, ResilientClientBuilder,
    RetryBudget, RetryPolicy, RetrySafety, StopReason, Transport, TransportEvent,
    TransportObserver,
};
use grammar::Grammar;
use test_support::{FaultServer, Script, answer, head};
use tokio::net::TcpSocket;

/// Keeps the events of a client. Dropped, it fails the test if they are none that a client may
/// report.
#[derive(Default)]
pub(crate) struct Tally {
    grammar: Grammar,
    events: Mutex<Vec<TransportEvent>>,
}

impl TransportObserver for Tally {
    fn on_event(&self, _key: &str, event: TransportEvent) {
        self.grammar.take(&event);
        self.events.lock().expect("no test panics while recording").push(event);
    }
}

impl Tally {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    pub(crate) fn events(&self) -> Vec<TransportEvent> {
        self.events.lock().expect("no test panics while recording").clone()
    }

    pub(crate) fn clear(&self) {
        self.events.lock().expect("no test panics while recording").clear();
    }

    /// Attempts that started.
    pub(crate) fn started(&self) -> u64 {
        let events = self.events();
        events.iter().filter(|event| matches!(event, TransportEvent::Started)).fold(0, |n, _| n + 1)
    }

    /// The errors of the attempts that failed.
    pub(crate) fn failures(&self) -> Vec<ClientError> {
        let events = self.events().into_iter();
        let failures = events.filter_map(|event| match event {
            TransportEvent::Failed { error, .. } => Some(error),
            _ => None,
        });
        failures.collect()
    }

    /// The requests that servers have seen: attempts that started, without those that say that
    /// nothing was sent.
    pub(crate) fn sent(&self) -> u64 {
        let unsent = |error: &ClientError| {
            error.fate() == Fate::NotSent
                || matches!(error.kind_name(), "auth" | "breaker_open" | "request")
        };
        let unsent = self.failures().iter().filter(|error| unsent(error)).fold(0, |n, _| n + 1);
        self.started() - unsent
    }
}

/// A client over the default HTTP client, watched.
pub(crate) fn watched(tally: &Arc<Tally>) -> ResilientClientBuilder {
    ResilientClient::builder().entropy(|| 0).observer("wire", tally.clone())
}

/// So many repeats at once. A test that would hang ends with the deadline's error.
pub(crate) fn repeats(repeats: usize) -> CallPolicy {
    let policy = RetryPolicy::new(repeats, Duration::ZERO, Duration::ZERO);
    CallPolicy::bounded(policy).with_deadline(Duration::from_secs(20))
}

/// As [`repeats`], for operations that must not be repeated on a guess.
pub(crate) fn careful(times: usize) -> CallPolicy {
    repeats(times).with_safety(RetrySafety::FateAware)
}

/// Would repeat for ever. Should it do so, the deadline's error tells.
pub(crate) fn essential() -> CallPolicy {
    CallPolicy::essential().with_deadline(Duration::from_secs(10))
}

/// The strictest client: one failure opens its breaker, and its budget has nothing.
pub(crate) fn strict<T: Transport>(builder: ResilientClientBuilder<T>) -> ResilientClient<T> {
    builder
        .circuit_breaker(1, Duration::from_secs(60))
        .retry_budget(RetryBudget::new(Ratio::ZERO, 0))
        .build()
}

#[track_caller]
pub(crate) fn assert_local<T>(
    case: &str,
    client: &ResilientClient<T>,
    tally: &Tally,
    error: &ClientError,
) {
    assert_eq!(error.kind_name(), "request", "{case}: {error:?}");
    assert_eq!((error.attempts, tally.started()), (1, 1), "{case}");
    assert_eq!(error.stop_reason(), Some(&StopReason::NotRetryable), "{case}");
    assert_eq!(client.breaker_state(), Some(BreakerState::Closed), "{case}");
    assert!(error.is_final(), "{case}");
}

pub(crate) fn ok() -> Vec<u8> {
    answer(200, &[], "fine")
}

/// A server that answers all requests with these bytes.
pub(crate) async fn answering(bytes: Vec<u8>) -> FaultServer {
    serve(move |_| Script::answering(bytes.clone())).await
}

/// A server that follows these scripts on its first connections, and then answers `fine`.
pub(crate) async fn faulty<const N: usize>(faults: [Script; N]) -> FaultServer {
    serve(move |connection| {
        let fault = usize::try_from(connection).ok().and_then(|number| faults.get(number));
        fault.cloned().unwrap_or_else(|| Script::answering(ok()))
    })
    .await
}

pub(crate) async fn serve(script: impl Fn(u64) -> Script + Send + 'static) -> FaultServer {
    FaultServer::start(script).await.expect("a port of this machine")
}

/// All the ways of a server to end its side of the exchange badly after it has read the request.
pub(crate) fn faults() -> Vec<Script> {
    let read = || Script::new().read_request();
    vec![
        read().close(),
        read().reset(),
        read().send(&ok()[..9]).close(),
        read().send(&ok()[..9]).reset(),
        read().send(head(200, &[], 9)).close(),
        read().send(b"HTTP/1.1 200 X\r\ncontent-length: x\r\n\r\n".as_slice()),
        read().send(b"HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n".as_slice()),
        Script::garbage(),
        Script::lying_length(b"fi", 400),
        Script::many_headers(200),
        Script::answering(answer(500, &[], "no")),
        Script::answering(answer(503, &[("retry-after", "0")], "no")),
        Script::answering(answer(429, &[], "no")),
    ]
}

/// The ways not to end it.
pub(crate) fn stalls() -> Vec<Script> {
    let read = || Script::new().read_request();
    vec![read().stall(), read().send(head(200, &[], 9)).stall()]
}

/// Long enough for a request to arrive on the busiest machine, and as short as a test may wait.
pub(crate) const PATIENCE: Duration = ms(300);

/// A port that refuses connections for as long as this is held.
pub(crate) struct Refusing(TcpSocket);

impl Refusing {
    pub(crate) fn new() -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind(SocketAddr::from(([127, 0, 0, 1], 0))).expect("a port of this machine");
        Self(socket)
    }

    pub(crate) fn url(&self) -> String {
        let address = self.0.local_addr().expect("the socket is bound");
        format!("http://{address}")
    }
}

/// Lets the other tasks run until this holds.
pub(crate) async fn until(condition: impl Fn() -> bool) {
    while !condition() {
        tokio::task::yield_now().await;
    }
}

/// Lets the other tasks run until this holds, or says that it never does.
pub(crate) async fn soon(what: &str, condition: impl Fn() -> bool) {
    let ended = tokio::time::timeout(LONG, until(condition)).await;
    assert!(ended.is_ok(), "{what}");
}

/// How long a busy machine may take over what needs no timer.
pub(crate) const LONG: Duration = Duration::from_secs(20);

pub(crate) const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}
