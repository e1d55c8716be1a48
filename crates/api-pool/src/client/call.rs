//! One call: what it knows between its attempts.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use retry_core::{Next, Policy, StopReason};

use super::answer::{Miss, Success};
use super::attempt::{After, Attempt, Failed};
use super::budget::Paid;
use super::clear::{clear, clear_at_once};
use super::exchange::Head;
use super::flight::Flight;
use super::ground::Ground;
use super::receive::Receive;
use super::sensitive::Sensitive;
use super::timer::Timer;
use crate::auth::CallAuth;
use crate::clock;
use crate::error::{AttemptRecord, ClientError, History};
use crate::event::TransportEvent;
use crate::executor::{Operation, Step};
use crate::fate::Fate;
use crate::policy::{Dates, RetrySafety};
use crate::transport::Transport;

/// A call in progress: the operation that the executor repeats.
///
/// `P` sends a request and `G` reads a response; their futures have no names.
pub(super) struct Call<'a, T, F, R, P, G> {
    pub(super) ground: Ground<'a, T>,
    pub(super) build: F,
    pub(super) receive: R,
    pub(super) send: P,
    pub(super) read: G,
    /// What the attempt under way holds.
    pub(super) flight: Flight<'a>,
    /// What the request under way does not want shown.
    pub(super) sensitive: Sensitive,
    pub(super) auth: CallAuth,
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

impl<'a, T, F, R, P, G> Call<'a, T, F, R, P, G> {
    #[inline]
    pub(super) fn new(ground: Ground<'a, T>, build: F, receive: R, send: P, read: G) -> Self {
        Self {
            ground,
            build,
            receive,
            send,
            read,
            flight: Flight::default(),
            sensitive: Sensitive::default(),
            auth: CallAuth::default(),
            started: None,
            after_failure: None,
        }
    }

    /// Comes before the first attempt.
    #[inline]
    fn begin(&mut self) {
        if let Some(budget) = &self.ground.inner.budget {
            budget.deposit();
        }
        if let Some(deadline) = self.ground.policy.deadline() {
            let now = clock::now();
            self.started = Some(now);
            self.ground.deadline = Timer::at(Some(clock::after(now, deadline)));
        }
    }

    fn elapsed(&self) -> Duration {
        self.started
            .map_or(Duration::ZERO, |started| clock::now().saturating_duration_since(started))
    }

    fn record(&mut self, failed: &Failed) -> &mut AfterFailure<'a> {
        let Failed { error, after: next, .. } = failed;
        let after = self.after_failure.get_or_insert_with(|| {
            Box::new(AfterFailure {
                policy: self.ground.policy.schedule(),
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
        self.ground.policy.safety() == RetrySafety::FateAware
            && !failed.repeatable
            && failed.error.fate() != Fate::NotSent
    }
}

impl<'a, T, F, R, P, G, S, B> Operation for Call<'a, T, F, R, P, G>
where
    T: Transport,
    F: Fn(&T) -> T::RequestBuilder,
    R: Receive<T>,
    P: Fn(&T, T::Request) -> S,
    S: Future<Output = Result<T::Response, T::Error>>,
    G: Fn(R, Dates, Head, T::Response) -> B,
    B: Future<Output = Result<Success<R::Output>, Miss>>,
{
    type Attempt = Attempt<'a, T, S, B>;
    type Output = R::Output;
    type Error = Failed;
    type Failure = ClientError;

    #[inline(always)]
    fn start(&mut self) -> Self::Attempt {
        match &mut self.after_failure {
            Some(after) => {
                if let Some(paid) = after.paid.take() {
                    paid.spend();
                }
            }
            None => self.begin(),
        }
        match clear_at_once(&self.ground) {
            Some(clearance) => self.take_off(clearance),
            None => Attempt::clearing(clear(self.ground.hand_over())),
        }
    }

    #[inline(always)]
    fn poll(
        &mut self,
        attempt: Pin<&mut Self::Attempt>,
        context: &mut Context<'_>,
    ) -> Poll<Result<R::Output, Failed>> {
        self.fly(attempt, context)
    }

    fn decide(&mut self, failed: Failed) -> Step<ClientError> {
        let elapsed = self.elapsed();
        let unsafe_to_repeat = self.unsafe_to_repeat(&failed);
        let inner = self.ground.inner;
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
                self.ground.retries += 1;
                if let Some(watcher) = &inner.watcher {
                    watcher.report(TransportEvent::retry_scheduled(wait, self.ground.retries));
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
