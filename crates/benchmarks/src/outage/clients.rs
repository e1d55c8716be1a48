//! The clients that live through the day.

mod loopback;
mod middleware;
mod stack;

use std::{
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex},
    time::Duration,
};

use api_pool::{
    CallPolicy, ResilientClient,
    testing::{Reply, Script},
};
use backon::{ExponentialBuilder, Retryable};
use tokio_retry::{Retry, strategy};

use super::server::{Server, sleep, step};

/// A client by name.
pub(super) struct Client {
    pub(super) name: &'static str,
    /// Sets it up in front of a server.
    pub(super) start: fn(&Arc<Mutex<Server>>) -> Calls,
}

type Call = Arc<dyn Fn() -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync>;

/// The two calls that are made through a client.
pub(super) struct Calls {
    /// Ends when it was served.
    pub(super) essential: Call,
    /// Ends with the first answer, whatever that is.
    pub(super) background: Call,
}

pub(super) const CLIENTS: &[Client] = &[
    Client { name: "api-pool, defaults", start: defaults },
    Client { name: "api-pool, cooldown of at most 10 s", start: short_cooldown },
    Client { name: "backon, 250 ms to 10 s, jitter", start: with_backon },
    Client { name: "tokio-retry, 256 ms to 10 s, jitter", start: with_tokio_retry },
    Client { name: "reqwest-retry, 250 ms to 10 s, jitter", start: middleware::with_reqwest_retry },
    Client { name: "tower: retry with a budget, 250 ms to 10 s, jitter", start: stack::with_tower },
    Client { name: "vantage-api-pool, defaults", start: loopback::vantage },
];

/// The shortest and the longest wait of those who know only backoff.
const BASE: Duration = Duration::from_millis(250);
const CAP: Duration = Duration::from_secs(10);

fn call<F>(call: impl Fn() -> F + Send + Sync + 'static) -> Call
where
    F: Future<Output = ()> + Send + 'static,
{
    Arc::new(move || Box::pin(call()))
}

fn defaults(server: &Arc<Mutex<Server>>) -> Calls {
    api_pool(server, Duration::from_secs(60))
}

fn short_cooldown(server: &Arc<Mutex<Server>>) -> Calls {
    api_pool(server, Duration::from_secs(10))
}

fn api_pool(server: &Arc<Mutex<Server>>, longest: Duration) -> Calls {
    const URL: &str = "http://api.test/airports";

    let server = Arc::clone(server);
    let script = Script::answering(move |_| {
        let answer = server.lock().expect("no panic").answer();
        let reply = if answer.served { Reply::ok("fine") } else { Reply::status(503) };
        reply.after(answer.latency)
    });
    let mut entropy = 11_u64;
    let client = ResilientClient::builder()
        .transport(script)
        .circuit_breaker_growing(5, Duration::from_secs(5), longest)
        .entropy(move || {
            entropy = step(entropy);
            entropy ^ (entropy >> 29)
        })
        .build();
    let once = client.clone();
    Calls {
        essential: call(move || {
            let client = client.clone();
            async move {
                let policy = CallPolicy::essential();
                let served = client.execute_with(&policy, |http| http.get(URL)).await;
                served.expect("an essential call succeeds in the end");
            }
        }),
        background: call(move || {
            let client = once.clone();
            async move {
                let _ = client.execute_with(&CallPolicy::background(), |http| http.get(URL)).await;
            }
        }),
    }
}

/// One request.
async fn send(server: Arc<Mutex<Server>>) -> Result<(), ()> {
    let answer = server.lock().expect("no panic").answer();
    sleep(answer.latency).await;
    if answer.served { Ok(()) } else { Err(()) }
}

/// Calls of a client that is only a retry.
fn only_retry<F>(
    server: &Arc<Mutex<Server>>,
    retry: impl Fn(Arc<Mutex<Server>>) -> F + Send + Sync + 'static,
) -> Calls
where
    F: Future<Output = ()> + Send + 'static,
{
    let (server, once) = (Arc::clone(server), Arc::clone(server));
    Calls {
        essential: call(move || retry(Arc::clone(&server))),
        background: call(move || {
            let server = Arc::clone(&once);
            async move {
                let _ = send(server).await;
            }
        }),
    }
}

fn with_backon(server: &Arc<Mutex<Server>>) -> Calls {
    only_retry(server, |server| async move {
        let backoff = ExponentialBuilder::default()
            .with_min_delay(BASE)
            .with_max_delay(CAP)
            .without_max_times()
            .with_jitter();
        let served = (|| send(Arc::clone(&server))).retry(backoff).await;
        served.expect("it does not give up");
    })
}

/// Its schedule is the powers of a base, so 250 ms cannot be had.
fn with_tokio_retry(server: &Arc<Mutex<Server>>) -> Calls {
    only_retry(server, |server| async move {
        let waits = strategy::ExponentialBackoff::from_millis(2)
            .factor(128)
            .max_delay(CAP)
            .map(strategy::jitter);
        let served = Retry::start(waits, || send(Arc::clone(&server))).await;
        served.expect("it does not give up");
    })
}
