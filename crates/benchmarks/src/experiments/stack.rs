//! A tower stack round reqwest.

use std::{
    future::{Ready, ready},
    time::Duration,
};

use tower::{Service, ServiceBuilder, ServiceExt, retry::Policy};

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
