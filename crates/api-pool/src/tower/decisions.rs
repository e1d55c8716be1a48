//! What follows a failed attempt of a finished request.

use std::time::{Duration, Instant};

use retry_core::{DefaultEntropy, Entropy, Failure, Next, Policy, StopReason};

use super::request::HttpResponse;
use crate::client::hint;
use crate::clock;
use crate::fate::Fate;
use crate::policy::{Dates, RetrySafety};
use crate::transport::{self, Fault};

/// A policy, and how far it has come with one request.
#[derive(Clone, Debug)]
pub(super) struct Decisions {
    policy: Policy,
    safety: RetrySafety,
    decided: u32,
    previous: Duration,
    started: Option<Instant>,
}

impl Decisions {
    pub(super) const fn new(policy: Policy) -> Self {
        Self {
            policy,
            safety: RetrySafety::FateAware,
            decided: 0,
            previous: Duration::ZERO,
            started: None,
        }
    }

    pub(super) const fn set_safety(&mut self, safety: RetrySafety) {
        self.safety = safety;
    }

    /// A request is about to be sent. The clock is read only where the policy asks for the time.
    pub(super) fn sending(&mut self) {
        if self.decided == 0 && self.policy.max_elapsed() != Duration::MAX {
            self.started = Some(clock::now());
        }
    }

    /// The attempts that were decided about.
    pub(super) const fn attempts(&self) -> u32 {
        self.decided
    }

    /// The wait before the next attempt, or why there is none. A request is repeated only if it may
    /// be, or if its sender vouches for it.
    pub(super) fn after(&mut self, verdict: Verdict) -> Result<Duration, StopReason> {
        let Verdict { failure, repeatable } = verdict;
        let elapsed = self
            .started
            .map_or(Duration::ZERO, |started| clock::now().saturating_duration_since(started));
        let mut run = self.policy.resume(self.decided, self.previous);
        let next = run.on_failure(failure, elapsed, &mut || DefaultEntropy::new().next_u64());
        (self.decided, self.previous) = (run.attempts(), run.previous());
        match next {
            Next::Retry { .. } if self.safety == RetrySafety::FateAware && !repeatable => {
                Err(StopReason::Unsafe)
            }
            Next::Retry { after, .. } => Ok(after),
            Next::Stop(reason) => Err(reason),
        }
    }
}

/// What an attempt that failed says about the next one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Verdict {
    pub(super) failure: Failure,
    /// Whether the request may be sent again, as far as its effects go.
    pub(super) repeatable: bool,
}

impl Verdict {
    /// An error of reqwest tells how far the request got; of any other nobody knows.
    pub(super) fn of_error<E: 'static>(error: &E, repeatable: bool) -> Self {
        match transport::fault_of(error) {
            None => Self { failure: Failure::transient(), repeatable },
            Some(Fault::Local) => Self { failure: Failure::permanent(), repeatable },
            Some(fault) => {
                let unsent = fault.fate() == Fate::NotSent;
                Self { failure: Failure::transient(), repeatable: repeatable || unsent }
            }
        }
    }
}

/// The failure that a response is; `None` for one that another attempt would get again, which
/// includes every success.
pub(super) fn failure_of(response: &impl HttpResponse) -> Option<Failure> {
    let status = response.status();
    retry_core::http::is_retryable(status)
        .then(|| retry_core::http::failure(status, hint::read(response.headers(), Dates::Ignored)))
}
