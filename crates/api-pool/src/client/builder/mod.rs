//! How a client is set up.

mod auth;
mod breaker;
#[cfg(feature = "serde")]
mod configure;
mod queue;
#[cfg(feature = "rate-limit")]
mod rate;
mod retry;

use core::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use retry_core::{DefaultEntropy, Entropy, RetryBudget};

use super::attempt::PATIENCE;
use super::budget::Budget;
use super::lazy::Lazy;
use super::{Inner, Redirects, ResilientClient};
use crate::auth::Credentials;
use crate::breaker::{BreakerConfig, Circuit};
use crate::observer::{TransportObserver, Watcher};
use crate::policy::{CallPolicy, RetryPolicy};
use crate::queue::{SlotLimits, Slots};
#[cfg(feature = "rate-limit")]
use crate::rate::RateLimiter;
use crate::runtime::QueueGroup;
use crate::sync::Mutex;
use crate::transport::{Transport, TransportOptions};

/// The slots of a client that was not told otherwise.
const MAX_PARALLEL: usize = 8;

/// The longest body that `execute_read` reads, unless told otherwise: 64 MiB.
const BODY_LIMIT: usize = 64 << 20;

/// The request timeout of the default HTTP client.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// Sets up a [`ResilientClient`].
///
/// A number that makes no sense, such as no slot at all, becomes the nearest that does, and a
/// warning is logged: the setters are for numbers that stand in the program. Those that come from a
/// file or from the environment are checked by `config::PoolConfig` (feature `serde`), which
/// refuses such a number and says where it stands.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use api_pool::ResilientClient;
///
/// let client = ResilientClient::builder()
///     .max_parallel(4)
///     .circuit_breaker_growing(5, Duration::from_secs(5), Duration::from_secs(60))
///     .build();
/// assert_eq!(client.in_flight(), 0);
/// ```
#[must_use = "a builder does nothing until `build`"]
pub struct ResilientClientBuilder<T = reqwest::Client> {
    transport: Option<T>,
    redirects: Redirects,
    options: TransportOptions,
    limits: SlotLimits,
    group: Option<QueueGroup>,
    retry: RetryPolicy,
    budget: Option<RetryBudget>,
    breaker: Option<BreakerConfig>,
    credentials: Option<Credentials>,
    #[cfg(feature = "rate-limit")]
    rate: Option<Rate>,
    observer: Option<Watcher>,
    body_limit: usize,
    entropy: Option<Box<dyn FnMut() -> u64 + Send>>,
}

#[cfg(feature = "rate-limit")]
#[derive(Clone, Copy, Debug)]
struct Rate {
    per_second: f64,
    burst: usize,
}

impl Default for ResilientClientBuilder {
    fn default() -> Self {
        Self::new(None)
    }
}

impl<T: Transport> ResilientClientBuilder<T> {
    fn new(transport: Option<T>) -> Self {
        Self {
            transport,
            redirects: Redirects::Seen,
            options: TransportOptions { request_timeout: Some(REQUEST_TIMEOUT) },
            limits: SlotLimits::new(NonZeroUsize::new(MAX_PARALLEL)),
            group: None,
            retry: RetryPolicy::default(),
            budget: None,
            breaker: None,
            credentials: None,
            #[cfg(feature = "rate-limit")]
            rate: None,
            observer: None,
            body_limit: BODY_LIMIT,
            entropy: None,
        }
    }

    /// Uses this HTTP client as it is: [`request_timeout`](Self::request_timeout) then has no
    /// effect, its redirect policy and its hidden retries are its owner's. Default: a client built
    /// on first use, with a timeout, without hidden retries, which follows redirects only to the
    /// origin that the request went to.
    ///
    /// Redirects that a given client follows are not seen here: an unsafe request without an
    /// `Idempotency-Key` that could not be sent then counts as
    /// [`Fate::MaybeProcessed`](crate::Fate::MaybeProcessed), since it may have arrived before it
    /// was redirected. Give a client that follows none with
    /// [`http_client_without_redirects`](Self::http_client_without_redirects).
    ///
    /// Nor are they held to the request's origin. reqwest drops `Authorization` and `Cookie` on the
    /// way to another host or port, and takes along what it does not know: a token in a field of
    /// its own, as [`tokens`](Self::tokens) may set it, an `X-Api-Key` or an `Idempotency-Key` then
    /// goes to whatever host a server names.
    pub fn http_client(mut self, client: T) -> Self {
        self.transport = Some(client);
        self.redirects = Redirects::of_given::<T>();
        self
    }

    /// As [`http_client`](Self::http_client), for a client that follows no redirects: a request
    /// that could not be sent has [`Fate::NotSent`](crate::Fate::NotSent).
    pub fn http_client_without_redirects(mut self, client: T) -> Self {
        self.transport = Some(client);
        self.redirects = Redirects::Seen;
        self
    }

    /// Uses another transport, keeping every other setting.
    pub fn transport<U: Transport>(self, transport: U) -> ResilientClientBuilder<U> {
        self.over(Some(transport))
    }

    /// Uses another transport, set up by the first call that needs it with the same care as the
    /// default one. Keeps every other setting.
    ///
    /// # Examples
    ///
    /// reqwest 0.13, with feature `reqwest013`:
    ///
    /// ```
    /// # #[cfg(feature = "reqwest013")] {
    /// use api_pool::ResilientClient;
    ///
    /// let client = ResilientClient::builder().default_transport::<reqwest013::Client>().build();
    /// # drop(client);
    /// # }
    /// ```
    pub fn default_transport<U: Transport>(self) -> ResilientClientBuilder<U> {
        self.over(None)
    }

    fn over<U: Transport>(self, transport: Option<U>) -> ResilientClientBuilder<U> {
        let Self {
            transport: _,
            redirects: _,
            options,
            limits,
            group,
            retry,
            budget,
            breaker,
            credentials,
            #[cfg(feature = "rate-limit")]
            rate,
            observer,
            body_limit,
            entropy,
        } = self;
        let redirects = match transport {
            Some(_) => Redirects::of_given::<U>(),
            None => Redirects::Seen,
        };
        ResilientClientBuilder {
            transport,
            redirects,
            options,
            limits,
            group,
            retry,
            budget,
            breaker,
            credentials,
            #[cfg(feature = "rate-limit")]
            rate,
            observer,
            body_limit,
            entropy,
        }
    }

    /// Limits a request of the default HTTP client, body included. Default: 30 s.
    pub fn request_timeout(mut self, timeout: Duration) -> Self {
        self.options.request_timeout = Some(timeout);
        self
    }

    /// Lets requests of the default HTTP client take as long as they like.
    pub fn no_request_timeout(mut self) -> Self {
        self.options.request_timeout = None;
        self
    }

    /// Limits the bodies that [`ResilientClient::execute_read`] reads, in bytes. Default: 64 MiB.
    pub fn max_body_bytes(mut self, limit: usize) -> Self {
        self.body_limit = limit;
        self
    }

    /// Reports to `observer` under `key`, in place of the observer set so far. Several observers
    /// combine in a tuple or a `Vec`.
    pub fn observer(
        mut self,
        key: impl Into<Arc<str>>,
        observer: Arc<dyn TransportObserver>,
    ) -> Self {
        self.observer = Some(Watcher::new(key.into(), observer));
        self
    }

    /// Draws jitter from `entropy`. Default: a generator seeded at random.
    pub fn entropy(mut self, mut entropy: impl Entropy + Send + 'static) -> Self {
        self.entropy = Some(Box::new(move || entropy.next_u64()));
        self
    }

    /// Builds the client. Does no I/O, looks no proxy up and spawns nothing.
    #[must_use]
    pub fn build(self) -> ResilientClient<T> {
        let entropy = self.entropy.unwrap_or_else(|| {
            let mut entropy = DefaultEntropy::new();
            Box::new(move || entropy.next_u64())
        });
        // What is known of how long a request may take.
        let timeout = if self.transport.is_none() { self.options.request_timeout } else { None };
        let patience = timeout.filter(|&timeout| timeout != Duration::MAX).unwrap_or(PATIENCE);
        ResilientClient {
            inner: Arc::new(Inner {
                patience,
                transport: Lazy::new(self.transport, self.options),
                circuit: self.breaker.map(Circuit::new),
                credentials: self.credentials,
                #[cfg(feature = "rate-limit")]
                limiter: self.rate.map(|rate| RateLimiter::new(rate.per_second, rate.burst)),
                slots: self.group.map_or_else(|| Slots::new(self.limits), QueueGroup::into_slots),
                watcher: self.observer,
                budget: self.budget.map(Budget::new),
                redirects: self.redirects,
                default_policy: CallPolicy::bounded(self.retry),
                body_limit: self.body_limit,
                entropy: Mutex::new(entropy),
            }),
        }
    }
}

impl<T> fmt::Debug for ResilientClientBuilder<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResilientClientBuilder")
            .field("limits", &self.limits)
            .field("retry", &self.retry)
            .field("breaker", &self.breaker)
            .field("authenticated", &self.credentials.is_some())
            .field("observer", &self.observer.as_ref().map(Watcher::key))
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
