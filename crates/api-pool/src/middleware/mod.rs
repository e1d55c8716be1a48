//! The client as a middleware of `reqwest-middleware`, for stacks that are there already.

mod handoff;
mod stack;

use self::handoff::{Arrived, Desk, Handoff, Parcel};
pub use self::stack::MiddlewareStack;
use crate::breaker::BreakerState;
use crate::client::{ResilientClient, ResilientClientBuilder};
use crate::error::ClientError;
use crate::error::replay::BodyNotRepeatable;
use crate::policy::{CallPolicy, RetryMode, RetryPolicy, RetrySafety};
use crate::sync::{Mutex, lock};
use core::fmt;

/// Everything a [`ResilientClient`] does, for the requests of a `reqwest-middleware` stack: retry,
/// breaker, queue, rate limit, credentials and observer.
///
/// Each attempt runs through the middlewares that come after this one. Responses are the stack's:
/// whatever their status, the last one is returned, unread. A call that ends without one is an
/// `Error::Middleware` whose cause is a [`ClientError`].
///
/// A request whose body is a stream can be sent only once: it is, and the error names
/// [`BodyNotRepeatable`], or the response has it among its extensions. So has a 401, which a new
/// token would have been tried for.
///
/// The builder says which line of reqwest it is for: as it comes, 0.12 and `reqwest-middleware` 0.4
/// (feature `reqwest-middleware`); with
/// [`default_transport`](ResilientClientBuilder::default_transport)`::<reqwest013::Client>()`, 0.13
/// and 0.5 (feature `reqwest013-middleware`).
///
/// # Examples
///
/// ```
/// # #[cfg(feature = "reqwest-middleware")] {
/// use api_pool::{CallPolicy, PoolMiddleware, ResilientClient};
/// use reqwest_middleware::ClientBuilder;
///
/// let pool = PoolMiddleware::new(ResilientClient::builder().max_parallel(4).default_breaker());
/// let client = ClientBuilder::new(reqwest::Client::new()).with(pool).build();
///
/// // One call may have a policy of its own.
/// let request = client.get("https://api.example/airports").with_extension(CallPolicy::essential());
/// # drop(request);
/// # }
/// ```
pub struct PoolMiddleware<C = reqwest::Client> {
    client: ResilientClient<Handoff<C>>,
    policy: CallPolicy,
}

impl<C: MiddlewareStack> PoolMiddleware<C> {
    /// A middleware with the settings of `builder`, except those of its HTTP client, which is the
    /// stack's.
    #[must_use]
    pub fn new(builder: ResilientClientBuilder<C>) -> Self {
        let policy = CallPolicy::bounded(RetryPolicy::default());
        Self {
            client: builder.transport(Handoff::new()).build(),
            policy: policy.with_safety(RetrySafety::FateAware),
        }
    }

    /// The policy of requests that have no [`CallPolicy`] among their extensions. Default:
    /// [`CallPolicy::bounded`] with [`RetryPolicy::default`], and [`RetrySafety::FateAware`]: a
    /// finished request was not written with a repetition in mind.
    #[must_use]
    pub fn with_policy(mut self, policy: CallPolicy) -> Self {
        self.policy = policy;
        self
    }

    /// Attempts that hold a slot now.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.client.in_flight()
    }

    /// The breaker's state; `None` where no breaker is configured.
    #[must_use]
    pub fn breaker_state(&self) -> Option<BreakerState> {
        self.client.breaker_state()
    }
}

impl<C> fmt::Debug for PoolMiddleware<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PoolMiddleware")
            .field("client", &self.client)
            .field("policy", &self.policy)
            .finish()
    }
}

/// What the stack gets of a call.
fn conclude<C: MiddlewareStack>(
    outcome: Result<Arrived<C>, ClientError>,
    template: &Template<C>,
    desk: &Desk<C>,
) -> Result<C::Response, Unanswered> {
    let error = match outcome {
        Ok(arrived) => return Ok(arrived.response),
        Err(error) => error,
    };
    let sent_once = matches!(template, Template::Once(_));
    // For a body that is spent, nothing comes of a new token, nor of the wait for one.
    let answered = sent_once || error.status().is_some();
    let refused = if answered { desk.refused() } else { None };
    match refused {
        Some(mut response) => {
            if sent_once && !(error.status().is_some() && error.is_final()) {
                C::extensions_of(&mut response).insert(BodyNotRepeatable);
            }
            Ok(response)
        }
        None if sent_once && !error.is_final() => Err(Unanswered::Once(error)),
        None => Err(Unanswered::Ended(error)),
    }
}

/// Why a call ended without a response.
enum Unanswered {
    /// As its error says.
    Ended(ClientError),
    /// The same, and for its body there was only one attempt.
    Once(ClientError),
}

/// The request as it came, to be sent as often as it takes.
enum Template<C: MiddlewareStack> {
    Many(Mutex<C::Finished>),
    Once(Mutex<Option<C::Finished>>),
}

impl<C: MiddlewareStack> Template<C> {
    fn of(request: C::Finished) -> Self {
        match C::copy(&request) {
            Some(_) => Self::Many(Mutex::new(request)),
            None => Self::Once(Mutex::new(Some(request))),
        }
    }

    /// `policy`, without the retries that the body does not allow.
    fn policy(&self, policy: &CallPolicy) -> CallPolicy {
        let mut policy = policy.clone();
        if let Self::Once(_) = self {
            policy.retry = RetryMode::None;
        }
        policy
    }

    fn parcel(&self, desk: &Desk<C>) -> Parcel<C> {
        Parcel { request: self.copy(), desk: desk.clone() }
    }

    fn copy(&self) -> Option<C::Finished> {
        match self {
            Self::Many(request) => C::copy(&lock(request)),
            Self::Once(request) => lock(request).take(),
        }
    }
}
