//! The client as a middleware of `reqwest-middleware`, for stacks that are there already.

mod handoff;

use core::fmt;
use std::pin::pin;

use http::Extensions;
use reqwest_middleware::{Error, Middleware, Next};

use self::handoff::{Arrived, Desk, Errand, Handoff, Parcel};
use crate::breaker::BreakerState;
use crate::client::{ResilientClient, ResilientClientBuilder};
use crate::error::{BodyNotRepeatable, ClientError};
use crate::policy::{CallPolicy, RetryMode, RetryPolicy, RetrySafety};
use crate::sync::{Mutex, lock};
use crate::transport::Transport;

/// Everything a [`ResilientClient`] does, for the requests of a `reqwest-middleware` stack: retry,
/// breaker, queue, rate limit, credentials and observer.
///
/// Each attempt runs through the middlewares that come after this one. Responses are the stack's:
/// whatever their status, the last one is returned, unread. A call that ends without one is an
/// [`Error::Middleware`] whose cause is a [`ClientError`].
///
/// A request whose body is a stream can be sent only once: it is, and the error names
/// [`BodyNotRepeatable`], or the response has it among its extensions.
///
/// # Examples
///
/// ```
/// use api_pool::{CallPolicy, PoolMiddleware, ResilientClient};
/// use reqwest_middleware::ClientBuilder;
///
/// let pool = PoolMiddleware::new(ResilientClient::builder().max_parallel(4).default_breaker());
/// let client = ClientBuilder::new(reqwest::Client::new()).with(pool).build();
///
/// // One call may have a policy of its own.
/// let request = client.get("https://api.example/airports").with_extension(CallPolicy::essential());
/// # drop(request);
/// ```
pub struct PoolMiddleware {
    client: ResilientClient<Handoff>,
    policy: CallPolicy,
}

impl PoolMiddleware {
    /// A middleware with the settings of `builder`, except those of its HTTP client, which is the
    /// stack's.
    #[must_use]
    pub fn new<T: Transport>(builder: ResilientClientBuilder<T>) -> Self {
        let policy = CallPolicy::bounded(RetryPolicy::default());
        Self {
            client: builder.transport(Handoff).build(),
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

impl fmt::Debug for PoolMiddleware {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PoolMiddleware")
            .field("client", &self.client)
            .field("policy", &self.policy)
            .finish()
    }
}

#[async_trait::async_trait]
impl Middleware for PoolMiddleware {
    async fn handle(
        &self,
        request: reqwest::Request,
        extensions: &mut Extensions,
        next: Next<'_>,
    ) -> reqwest_middleware::Result<reqwest::Response> {
        let mut policy = extensions.get().unwrap_or(&self.policy).clone();
        let template = Template::of(request);
        if let Template::Once(_) = template {
            policy.retry = RetryMode::None;
        }
        let (desk, mut errands) = Desk::open();
        let build = |_: &Handoff| Parcel { request: template.copy(), desk: desk.clone() };
        let mut call = pin!(self.client.execute_with(&policy, build));
        // The call decides and waits, this loop sends for it. Dropping it drops both.
        let outcome = loop {
            let errand = tokio::select! {
                biased;
                outcome = &mut call => break outcome,
                Some(errand) = errands.recv() => errand,
            };
            let Errand { request, mut reply } = errand;
            let sending = next.clone().run(request, extensions);
            tokio::select! {
                biased;
                outcome = &mut call => break outcome,
                // The attempt timed out, and the call goes on.
                () = reply.closed() => (),
                arrived = sending => {
                    // One who no longer listens has given up.
                    let _ = reply.send(arrived.map_err(handoff::into_error));
                }
            }
        };
        conclude(outcome, &template, &desk)
    }
}

/// What the stack gets of a call.
fn conclude(
    outcome: Result<Arrived, ClientError>,
    template: &Template,
    desk: &Desk,
) -> reqwest_middleware::Result<reqwest::Response> {
    let error = match outcome {
        Ok(arrived) => return Ok(arrived.response),
        Err(error) => error,
    };
    let once = matches!(template, Template::Once(_)) && !error.is_final();
    let refused = if error.status().is_some() { desk.refused() } else { None };
    match refused {
        Some(mut response) => {
            if once {
                response.extensions_mut().insert(BodyNotRepeatable);
            }
            Ok(response)
        }
        None if once => {
            Err(Error::Middleware(anyhow::Error::new(error).context(BodyNotRepeatable)))
        }
        None => Err(Error::middleware(error)),
    }
}

/// The request as it came, to be sent as often as it takes.
enum Template {
    Many(Mutex<reqwest::Request>),
    Once(Mutex<Option<reqwest::Request>>),
}

impl Template {
    fn of(request: reqwest::Request) -> Self {
        match request.try_clone() {
            Some(_) => Self::Many(Mutex::new(request)),
            None => Self::Once(Mutex::new(Some(request))),
        }
    }

    fn copy(&self) -> Option<reqwest::Request> {
        match self {
            Self::Many(request) => lock(request).try_clone(),
            Self::Once(request) => lock(request).take(),
        }
    }
}
