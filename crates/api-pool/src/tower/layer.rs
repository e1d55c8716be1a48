//! A layer that runs requests through the one retry loop.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};

use ::tower::{Layer, Service};
use retry_core::{Policy, StopReason};

use super::decisions::{Decisions, Verdict, failure_of};
use super::error::{BoxError, RetryError, Stop};
use super::request::{ByClone, HttpRequest, HttpResponse, Replay, is_repeatable};
use crate::error::replay::BodyNotRepeatable;
use crate::executor::{self, Roundtrip, Step};
use crate::policy::RetrySafety;

/// Retries the requests of a service, with the loop that the client has.
///
/// As [`Retries`](super::Retries), and besides: an error says how many attempts there were and
/// whether there was only one because the request's body cannot be sent again. The service is
/// cloned for each request.
///
/// # Examples
///
/// Over reqwest, which is a service of its own requests:
///
/// ```
/// use api_pool::RetryPolicy;
/// use api_pool::tower::RetryLayer;
/// use tower::Layer;
///
/// let service = RetryLayer::new(RetryPolicy::default()).layer(reqwest::Client::new());
/// # let _ = service;
/// ```
#[derive(Clone, Debug)]
pub struct RetryLayer<P = ByClone> {
    decisions: Decisions,
    replay: P,
}

impl RetryLayer {
    /// Retries as `policy` says.
    #[must_use]
    pub fn new(policy: impl Into<Policy>) -> Self {
        Self { decisions: Decisions::new(policy.into()), replay: ByClone }
    }
}

impl<P> RetryLayer<P> {
    /// Says whether requests with side effects are retried. Default: [`RetrySafety::FateAware`],
    /// only idempotent methods and requests with an `Idempotency-Key`.
    #[must_use]
    pub fn with_safety(mut self, safety: RetrySafety) -> Self {
        self.decisions.set_safety(safety);
        self
    }

    /// Copies requests with `replay`. Default: [`ByClone`].
    #[must_use]
    pub fn with_replay<R>(self, replay: R) -> RetryLayer<R> {
        RetryLayer { decisions: self.decisions, replay }
    }
}

impl<S, P: Clone> Layer<S> for RetryLayer<P> {
    type Service = RetryService<S, P>;

    fn layer(&self, inner: S) -> Self::Service {
        let Self { decisions, replay } = self.clone();
        RetryService { inner, decisions, replay }
    }
}

/// The service of a [`RetryLayer`].
#[derive(Clone, Debug)]
pub struct RetryService<S, P = ByClone> {
    inner: S,
    decisions: Decisions,
    replay: P,
}

impl<S, P, Q> Service<Q> for RetryService<S, P>
where
    S: Service<Q> + Clone + Send + 'static,
    S::Response: HttpResponse + Send,
    S::Error: Into<BoxError> + 'static,
    S::Future: Send,
    P: Replay<Q> + Clone + Send + 'static,
    Q: HttpRequest + Send + 'static,
{
    type Response = S::Response;
    type Error = RetryError;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, RetryError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), RetryError>> {
        let failed = |error: S::Error| RetryError::new(0, NOT_ASKED, error.into());
        self.inner.poll_ready(context).map_err(failed)
    }

    fn call(&mut self, request: Q) -> Self::Future {
        // The service that is ready is the one to call; its clone need not be.
        let unready = self.inner.clone();
        let ready = std::mem::replace(&mut self.inner, unready);
        let mut decisions = self.decisions.clone();
        decisions.sending();
        let sending = Sending {
            repeatable: is_repeatable(&request),
            inner: ready,
            decisions,
            replay: self.replay.clone(),
            request: Some(request),
            spare: None,
            warm: Warm::Ready,
        };
        Box::pin(async move {
            executor::execute_roundtrips(sending, Sending::attempt).await.or_else(
                |Missed { outcome, attempts, stop, .. }| {
                    outcome.map_err(|error| RetryError::new(attempts, stop, error))
                },
            )
        })
    }
}

/// Whether the service may be called as it is.
#[derive(Clone, Copy)]
enum Warm {
    Ready,
    Unknown,
}

/// One request: the operation that the executor repeats.
struct Sending<S, P, Q> {
    inner: S,
    decisions: Decisions,
    replay: P,
    repeatable: bool,
    request: Option<Q>,
    /// A copy of what was sent last.
    spare: Option<Q>,
    warm: Warm,
}

/// An attempt that failed, or whose response says that another one may fare better.
struct Missed<R> {
    /// What the caller gets if there is no other attempt.
    outcome: Result<R, BoxError>,
    verdict: Verdict,
    attempts: u32,
    stop: Stop,
}

impl<R> Missed<R> {
    fn answer(response: R, verdict: Verdict) -> Self {
        Self { outcome: Ok(response), verdict, attempts: 0, stop: NOT_ASKED }
    }

    fn failed<E: Into<BoxError> + 'static>(error: E, repeatable: bool) -> Self {
        let verdict = Verdict::of_error(&error, repeatable);
        Self { outcome: Err(error.into()), verdict, attempts: 0, stop: NOT_ASKED }
    }
}

const NOT_ASKED: Stop = Stop::Policy(StopReason::NotRetryable);

impl<S, P, Q> Sending<S, P, Q>
where
    S: Service<Q>,
    S::Response: HttpResponse,
    S::Error: Into<BoxError> + 'static,
    P: Replay<Q>,
{
    /// Runs one attempt.
    async fn attempt(mut self) -> (Self, Result<S::Response, Missed<S::Response>>) {
        let result = self.perform().await;
        (self, result)
    }

    async fn perform(&mut self) -> Result<S::Response, Missed<S::Response>> {
        let repeatable = self.repeatable;
        let sent = |error| Missed::failed(error, repeatable);
        if let Warm::Unknown = std::mem::replace(&mut self.warm, Warm::Unknown) {
            poll_fn(|context| self.inner.poll_ready(context)).await.map_err(sent)?;
        }
        let request =
            self.request.take().ok_or_else(|| Missed::failed(BodyNotRepeatable, false))?;
        self.spare = self.replay.replay(&request);
        let response = self.inner.call(request).await.map_err(sent)?;
        match failure_of(&response) {
            Some(failure) => Err(Missed::answer(response, Verdict { failure, repeatable })),
            None => Ok(response),
        }
    }
}

impl<S, P, Q> Roundtrip for Sending<S, P, Q>
where
    S: Service<Q>,
    S::Response: HttpResponse,
    S::Error: Into<BoxError> + 'static,
    P: Replay<Q>,
{
    type Output = S::Response;
    type Error = Missed<S::Response>;

    fn decide(&mut self, mut missed: Missed<S::Response>) -> Step<Missed<S::Response>> {
        let decision = self.decisions.after(missed.verdict);
        missed.attempts = self.decisions.attempts();
        // Where the service was not ready, the request is still here.
        let again = self.request.take().or_else(|| self.spare.take());
        missed.stop = match (decision, again) {
            (Ok(wait), Some(request)) => {
                self.request = Some(request);
                return Step::After(wait);
            }
            (Ok(_), None) => Stop::Body,
            (Err(reason), _) => Stop::Policy(reason),
        };
        if let (Stop::Body, Ok(response)) = (&missed.stop, &mut missed.outcome) {
            response.extensions_mut().insert(BodyNotRepeatable);
        }
        Step::Stop(missed)
    }
}
