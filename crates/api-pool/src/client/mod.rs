//! The client: one per remote API.

mod answer;
mod attempt;
mod budget;
mod builder;
mod call;
mod calling;
mod clear;
mod controls;
mod exchange;
mod flight;
mod ground;
mod held;
pub(crate) mod hint;
mod judged;
mod landing;
mod lazy;
mod receive;
mod redact;
mod sensitive;
mod timer;
mod waiting;

use core::fmt;
use std::sync::Arc;
use std::time::Duration;

use retry_core::Entropy;

use self::budget::Budget;
pub use self::builder::ResilientClientBuilder;
use self::call::Call;
use self::calling::Calling;
use self::exchange::reading;
use self::ground::Ground;
use self::lazy::Lazy;
pub use self::receive::ReadResponse;
use self::receive::{Head, Receive, Whole};
use crate::auth::Credentials;
use crate::breaker::{BreakerState, Circuit};
use crate::error::ClientError;
use crate::event::TransportEvent;
use crate::executor;
use crate::observer::Watcher;
use crate::policy::CallPolicy;
use crate::queue::{QueueClass, Slots};
#[cfg(feature = "rate-limit")]
use crate::rate::RateLimiter;
use crate::sync::{Mutex, lock};
use crate::transport::Transport;

/// A client of one remote API: every call through it, and through its clones, shares one breaker,
/// one queue, one rate limit, one token and one observer.
///
/// The client never spawns: all work happens in the futures that its callers poll.
///
/// `T` is the transport: reqwest 0.12 unless [`ResilientClientBuilder::transport`] says otherwise.
///
/// # Examples
///
/// ```no_run
/// use api_pool::{CallPolicy, ResilientClient};
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let client = ResilientClient::builder().default_breaker().build();
/// let response = client
///     .execute_with(&CallPolicy::essential(), |http| http.get("https://api.example/airports"))
///     .await?;
/// println!("{}", response.text().await?);
/// # Ok(())
/// # }
/// ```
pub struct ResilientClient<T = reqwest::Client> {
    inner: Arc<Inner<T>>,
}

/// Whether a redirect that was followed is seen here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Redirects {
    /// It is, or there is none.
    Seen,
    /// The HTTP client was given, and follows what it likes.
    Unseen,
}

impl Redirects {
    const fn of_given<T: Transport>() -> Self {
        if T::MAY_REDIRECT { Self::Unseen } else { Self::Seen }
    }
}

/// What all clones share.
pub(crate) struct Inner<T> {
    transport: Lazy<T>,
    circuit: Option<Circuit>,
    /// How long a probe may take that has no timeout of its own.
    patience: Duration,
    credentials: Option<Credentials>,
    #[cfg(feature = "rate-limit")]
    limiter: Option<RateLimiter>,
    slots: Arc<Slots>,
    watcher: Option<Watcher>,
    budget: Option<Budget>,
    redirects: Redirects,
    default_policy: CallPolicy,
    body_limit: usize,
    entropy: Mutex<Box<dyn FnMut() -> u64 + Send>>,
}

impl<T> Inner<T> {
    /// The one source of randomness. Drawn from only when a wait is computed.
    fn entropy(&self) -> impl Entropy {
        || (lock(&self.entropy))()
    }
}

impl ResilientClient {
    /// A builder of a client over reqwest 0.12, with the defaults its setters document.
    pub fn builder() -> ResilientClientBuilder {
        ResilientClientBuilder::default()
    }
}

impl<T: Transport> ResilientClient<T> {
    /// Sends what `build` builds, under the policy of
    /// [`ResilientClientBuilder::retry`]: bounded retries, refused while the breaker is shut.
    ///
    /// # Errors
    ///
    /// As [`execute_with`](Self::execute_with).
    ///
    /// # Panics
    ///
    /// As [`execute_with`](Self::execute_with).
    ///
    /// # Cancel safety
    ///
    /// As [`execute_with`](Self::execute_with).
    pub fn execute<F>(
        &self,
        build: F,
    ) -> impl Future<Output = Result<T::Response, ClientError>> + use<'_, T, F>
    where
        F: Fn(&T) -> T::RequestBuilder,
    {
        self.call(&self.inner.default_policy, build, Head)
    }

    /// Sends what `build` builds until a response is 2xx or `policy` stops.
    ///
    /// `build` runs once for each attempt, so that each has a body of its own. The attempt, with
    /// its slot, ends when the response's head is here; reading the body is the caller's.
    ///
    /// # Errors
    ///
    /// A [`ClientError`] whose kind says what ended the call. A status other than 2xx is an error.
    ///
    /// # Panics
    ///
    /// Where `build` does, and outside a Tokio runtime whose time driver is enabled.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future drops the request in flight, or the wait before the next one. Slot,
    /// probe and place in line go back at once; nothing goes on in the background. Whether the
    /// server acted on a dropped request is unknown.
    pub fn execute_with<'a, F>(
        &'a self,
        policy: &'a CallPolicy,
        build: F,
    ) -> impl Future<Output = Result<T::Response, ClientError>> + use<'a, T, F>
    where
        F: Fn(&T) -> T::RequestBuilder,
    {
        self.call(policy, build, Head)
    }

    /// Sends what `build` builds and reads the whole body of a 2xx inside the attempt.
    ///
    /// A body that is cut off, stalls or is shorter than announced fails the attempt, which is
    /// retried like any other transport failure and counts against the server's health. The slot
    /// is held until the body is here.
    ///
    /// # Errors
    ///
    /// As [`execute_with`](Self::execute_with), and
    /// [`ErrorKind::BodyTooLarge`](crate::ErrorKind::BodyTooLarge) for a body over
    /// [`ResilientClientBuilder::max_body_bytes`].
    ///
    /// # Panics
    ///
    /// As [`execute_with`](Self::execute_with).
    ///
    /// # Cancel safety
    ///
    /// As [`execute_with`](Self::execute_with).
    pub fn execute_read<'a, F>(
        &'a self,
        policy: &'a CallPolicy,
        build: F,
    ) -> impl Future<Output = Result<ReadResponse, ClientError>> + use<'a, T, F>
    where
        F: Fn(&T) -> T::RequestBuilder,
    {
        self.call(policy, build, Whole::up_to(self.inner.body_limit))
    }

    fn call<'a, F, R>(
        &'a self,
        policy: &'a CallPolicy,
        build: F,
        receive: R,
    ) -> impl Future<Output = Result<R::Output, ClientError>> + use<'a, T, F, R>
    where
        F: Fn(&T) -> T::RequestBuilder,
        R: Receive<T>,
    {
        let ground = Ground::new(&*self.inner, policy);
        let call = Call::new(ground, receive, T::send, reading::<T, R>);
        Calling::new(build, executor::execute(call))
    }
}

impl<T> ResilientClient<T> {
    /// Attempts that hold a slot now.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.inner.slots.in_flight()
    }

    /// The most attempts that held a slot at one time.
    #[must_use]
    pub fn peak_in_flight(&self) -> usize {
        self.inner.slots.peak()
    }

    /// Attempts that wait for a slot now.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.inner.slots.waiting()
    }

    /// Attempts of one class that wait for a slot now.
    #[must_use]
    pub fn waiting_in(&self, class: QueueClass) -> usize {
        self.inner.slots.waiting_in(class)
    }

    /// The breaker's state; `None` where no breaker is configured.
    #[must_use]
    pub fn breaker_state(&self) -> Option<BreakerState> {
        self.inner.circuit.as_ref().map(Circuit::state)
    }

    /// The key under which the observer knows this client.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        self.inner.watcher.as_ref().map(Watcher::key)
    }

    /// Forwards an event to the observer, if there is one.
    pub fn report(&self, event: TransportEvent) {
        if let Some(watcher) = &self.inner.watcher {
            watcher.report(|| event);
        }
    }
}

impl<T> Clone for ResilientClient<T> {
    fn clone(&self) -> Self {
        Self { inner: Arc::clone(&self.inner) }
    }
}

impl<T> fmt::Debug for ResilientClient<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResilientClient")
            .field("key", &self.key())
            .field("in_flight", &self.in_flight())
            .finish_non_exhaustive()
    }
}
