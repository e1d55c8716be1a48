//! One call: what it knows between its attempts.

use std::time::{Duration, Instant};

use retry_core::{Next, Policy, StopReason};

use super::attempt::{After, Failed};
use super::budget::Paid;
use super::receive::Receive;
use super::timer::Timer;
use super::{Inner, attempt};
use crate::auth::CallAuth;
use crate::breaker::Seat;
use crate::clock;
use crate::error::{AttemptRecord, ClientError, ErrorKind, History};
use crate::event::TransportEvent;
use crate::executor::{Operation, Step};
use crate::fate::Fate;
use crate::policy::{CallPolicy, RetrySafety};
use crate::transport::Transport;

/// A call in progress: the operation that the executor repeats.
pub(super) struct Call<'a, T: Transport, F, R> {
    pub(super) inner: &'a Inner<T>,
    pub(super) policy: &'a CallPolicy,
    pub(super) build: &'a F,
    pub(super) receive: R,
    pub(super) auth: CallAuth,
    /// The place in the breaker's line that the last refusal left to this call.
    pub(super) seat: Option<Seat>,
    pub(super) deadline: Timer,
    /// Attempts that were not refused before they started.
    pub(super) made: usize,
    pub(super) retries: usize,
    started: Option<Instant>,
    /// Set up by the first failure.
    after_failure: Option<Box<AfterFailure<'a>>>,
}

/// What only a call that failed once needs.
struct AfterFailure<'a> {
    policy: Policy,
    /// What the policy's run is picked up from: attempts that it decided on, and its last wait.
    decided: u32,
    previous: Duration,
    /// Attempts that failed, those included that were refused before they started.
    failures: usize,
    /// How far any of them got, other than those that are replayed: a 401 refuses to act.
    fate: Fate,
    history: History,
    /// The retry that is being waited for.
    paid: Option<Paid<'a>>,
}

impl<'a, T, F, R> Call<'a, T, F, R>
where
    T: Transport,
    F: Fn(&T) -> T::RequestBuilder,
    R: Receive<T>,
{
    pub(super) fn new(
        inner: &'a Inner<T>,
        policy: &'a CallPolicy,
        build: &'a F,
        receive: R,
    ) -> Self {
        if let Some(budget) = &inner.budget {
            budget.deposit();
        }
        let started = policy.deadline().map(|_| clock::now());
        let deadline =
            started.zip(policy.deadline()).map(|(now, deadline)| clock::after(now, deadline));
        Self {
            inner,
            policy,
            build,
            receive,
            auth: CallAuth::default(),
            seat: None,
            deadline: Timer::at(deadline),
            made: 0,
            retries: 0,
            started,
            after_failure: None,
        }
    }

    /// The error of an attempt that was not sent for lack of permission.
    pub(super) fn refused(&self, kind: ErrorKind) -> ClientError {
        ClientError::new(kind, self.made).with_fate(Fate::NotSent)
    }

    /// The error of an attempt.
    pub(super) fn failed(&self, kind: ErrorKind) -> ClientError {
        ClientError::new(kind, self.retries + 1)
    }

    fn elapsed(&self) -> Duration {
        self.started
            .map_or(Duration::ZERO, |started| clock::now().saturating_duration_since(started))
    }

    fn record(&mut self, failed: &Failed) -> &mut AfterFailure<'a> {
        let Failed { error, after: next, .. } = failed;
        let after = self.after_failure.get_or_insert_with(|| {
            Box::new(AfterFailure {
                policy: self.policy.schedule(),
                decided: 0,
                previous: Duration::ZERO,
                failures: 0,
                fate: Fate::NotSent,
                history: History::default(),
                paid: None,
            })
        });
        after.failures += 1;
        if !matches!(next, After::Replay) {
            after.fate = after.fate.max(error.fate());
        }
        after.history.push(AttemptRecord {
            number: after.failures,
            kind: error.kind_name(),
            status: error.status(),
            fate: error.fate(),
            wait: None,
        });
        after
    }

    /// Whether repeating the request could repeat its effect without anybody's consent.
    fn unsafe_to_repeat(&self, failed: &Failed) -> bool {
        self.policy.safety() == RetrySafety::FateAware
            && !failed.repeatable
            && failed.error.fate() != Fate::NotSent
    }
}

impl<T, F, R> Operation for Call<'_, T, F, R>
where
    T: Transport,
    F: Fn(&T) -> T::RequestBuilder,
    R: Receive<T>,
{
    type Output = R::Output;
    type Error = Failed;
    type Failure = ClientError;

    fn attempt(&mut self) -> impl Future<Output = Result<R::Output, Failed>> {
        if let Some(paid) = self.after_failure.as_mut().and_then(|after| after.paid.take()) {
            paid.spend();
        }
        attempt::run(self)
    }

    fn decide(&mut self, failed: Failed) -> Step<ClientError> {
        let elapsed = self.elapsed();
        let unsafe_to_repeat = self.unsafe_to_repeat(&failed);
        let inner = self.inner;
        let after = self.record(&failed);
        let failure = match failed.after {
            After::Replay => return Step::Again,
            After::Stop => return stop(failed, after, StopReason::NotRetryable),
            After::Retry(_) if unsafe_to_repeat => {
                return stop(failed, after, StopReason::Unsafe);
            }
            After::Retry(failure) => failure,
        };
        let mut run = after.policy.resume(after.decided, after.previous);
        let next = run.on_failure(failure, elapsed, &mut inner.entropy());
        (after.decided, after.previous) = (run.attempts(), run.previous());
        match next {
            Next::Retry { after: wait, .. } => {
                if let Some(budget) = &inner.budget {
                    after.paid = budget.withdraw();
                    if after.paid.is_none() {
                        return stop(failed, after, StopReason::Budget);
                    }
                }
                after.history.note_wait(wait);
                self.retries += 1;
                if let Some(watcher) = &inner.watcher {
                    watcher.report(TransportEvent::retry_scheduled(wait, self.retries));
                }
                Step::After(wait)
            }
            Next::Stop(reason) => stop(failed, after, reason),
        }
    }
}

fn stop(failed: Failed, after: &mut AfterFailure<'_>, reason: StopReason) -> Step<ClientError> {
    let history = std::mem::take(&mut after.history);
    Step::Stop(failed.error.with_fate(after.fate).stopped(reason, history))
}
