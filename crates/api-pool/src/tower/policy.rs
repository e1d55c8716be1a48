//! Our policies as `tower`'s.

use ::tower::retry::Policy as TowerPolicy;
use retry_core::Policy;

use super::decisions::{Decisions, Verdict, failure_of};
use super::request::{ByClone, HttpRequest, HttpResponse, Replay, is_repeatable};
use crate::clock;
use crate::policy::RetrySafety;

/// A retry policy for [`tower::retry::RetryLayer`](::tower::retry::RetryLayer).
///
/// A 408, 429 or 5xx is retried, and so is every error, as [`with_safety`](Self::with_safety)
/// allows: `tower` does not tell how far a request got. Only reqwest's errors do, so that a
/// malformed request is not retried, and one that never left always. `Retry-After` is heeded as the policy says.
/// A request whose body cannot be sent twice is sent once.
///
/// # Examples
///
/// ```
/// use api_pool::RetryPolicy;
/// use api_pool::tower::Retries;
/// use tower::retry::RetryLayer;
///
/// let layer = RetryLayer::new(Retries::new(RetryPolicy::default()));
/// # let _ = layer;
/// ```
#[derive(Clone, Debug)]
pub struct Retries<P = ByClone> {
    decisions: Decisions,
    replay: P,
}

impl Retries {
    /// Retries as `policy` says.
    #[must_use]
    pub fn new(policy: impl Into<Policy>) -> Self {
        Self { decisions: Decisions::new(policy.into()), replay: ByClone }
    }
}

impl<P> Retries<P> {
    /// Says whether requests with side effects are retried. Default: [`RetrySafety::FateAware`],
    /// only idempotent methods and requests with an `Idempotency-Key`.
    #[must_use]
    pub fn with_safety(mut self, safety: RetrySafety) -> Self {
        self.decisions.set_safety(safety);
        self
    }

    /// Copies requests with `replay`. Default: [`ByClone`].
    #[must_use]
    pub fn with_replay<R>(self, replay: R) -> Retries<R> {
        Retries { decisions: self.decisions, replay }
    }
}

impl<P, Q, R, E> TowerPolicy<Q, R, E> for Retries<P>
where
    P: Replay<Q>,
    Q: HttpRequest,
    R: HttpResponse,
    E: 'static,
{
    type Future = tokio::time::Sleep;

    fn retry(&mut self, request: &mut Q, result: &mut Result<R, E>) -> Option<Self::Future> {
        let repeatable = is_repeatable(request);
        let verdict = match result {
            Ok(response) => Verdict { failure: failure_of(response)?, repeatable },
            Err(error) => Verdict::of_error(error, repeatable),
        };
        let wait = self.decisions.after(verdict).ok()?;
        Some(clock::sleep(wait))
    }

    fn clone_request(&mut self, request: &Q) -> Option<Q> {
        self.decisions.sending();
        self.replay.replay(request)
    }
}
