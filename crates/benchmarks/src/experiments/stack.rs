//! Tower stacks round reqwest.

use std::{
    future::{Ready, ready},
    sync::Arc,
    time::Duration,
};

use tower::{Service, ServiceBuilder, ServiceExt, retry::Policy};
use tower_resilience::{
    circuitbreaker::CircuitBreakerLayer, ratelimiter::RateLimiterLayer, retry::RetryLayer,
};

use super::wire::{http, repeat};

/// Retries a few times at once. A wait would cost more, but only where something failed.
#[derive(Clone)]
struct Attempts {
    left: u32,
}

impl<Q: Clone, A, E> Policy<Q, A, E> for Attempts {
    type Future = Ready<()>;

    fn retry(&mut self, _request: &mut Q, result: &mut Result<A, E>) -> Option<Self::Future> {
        if result.is_ok() {
            return None;
        }
        self.left = self.left.checked_sub(1)?;
        Some(ready(()))
    }

    fn clone_request(&mut self, request: &Q) -> Option<Q> {
        Some(request.clone())
    }
}

/// A limit on the rate of calls, retry, and a limit on the attempts at a time.
pub(super) fn with_tower(calls: u64) {
    let http = &http();
    // Set up by the first call: the limit on the rate needs a runtime.
    let mut stack = None;
    repeat(calls, async |url| {
        let stack = stack.get_or_insert_with(|| {
            ServiceBuilder::new()
                .rate_limit(1_000_000, Duration::from_secs(1))
                .retry(Attempts { left: 4 })
                .concurrency_limit(8)
                .service(tower::service_fn(|url: String| http.get(url).send()))
        });
        let ready = stack.ready().await.expect("a limit does not fail");
        ready.call(url.to_owned()).await.expect("the server answers")
    });
}

/// A breaker round a retry, as its own documentation stacks them.
pub(super) fn with_tower_resilience(calls: u64) {
    let http = http();
    let mut stack = ServiceBuilder::new()
        .layer(CircuitBreakerLayer::builder().build().expect("it is valid"))
        .layer(RetryLayer::<String, reqwest::Response, Arc<reqwest::Error>>::builder().build())
        .service(tower::service_fn(move |url: String| {
            let sent = http.get(url).send();
            async { sent.await.map_err(Arc::new) }
        }));
    repeat(calls, async |url| {
        let ready = stack.ready().await.expect("it is closed");
        ready.call(url.to_owned()).await.expect("the server answers")
    });
}

/// The same under a limit on the rate.
pub(super) fn with_all_tower_resilience(calls: u64) {
    let http = http();
    let mut stack = ServiceBuilder::new()
        .layer(CircuitBreakerLayer::builder().build().expect("it is valid"))
        .layer(
            RateLimiterLayer::builder().limit_for_period(1_000_000).build().expect("it is valid"),
        )
        .layer(RetryLayer::<String, reqwest::Response, Arc<reqwest::Error>>::builder().build())
        .service(tower::service_fn(move |url: String| {
            let sent = http.get(url).send();
            async { sent.await.map_err(Arc::new) }
        }));
    repeat(calls, async |url| {
        let ready = stack.ready().await.expect("it is closed");
        let answer = ready.call(url.to_owned()).await;
        answer.unwrap_or_else(|_| panic!("the server answers"))
    });
}
