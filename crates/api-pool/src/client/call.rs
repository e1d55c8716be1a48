//! One call: what it knows between its attempts.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use retry_core::{Failure, Next, StopReason};

use super::answer::{Miss, Success};
use super::attempt::Attempt;
use super::clear::{clear, clear_at_once, refuse};
use super::exchange::Head;
use super::ground::Ground;
use super::held::{AfterFailure, Held};
use super::receive::{Content, Receive};
use super::timer::Timer;
use crate::auth::CallAuth;
use crate::clock;
use crate::error::{ClientError, ErrorKind};
use crate::event::TransportEvent;
use crate::executor::{Operation, Step};
use crate::fate::Fate;
use crate::policy::{Dates, RetrySafety};
use crate::seldom::Seldom;
use crate::transport::{Build, Transport};

/// A call in progress: the operation that the executor repeats.
///
/// `P` sends a request and `G` reads a response; their futures have no names.
pub(super) struct Call<'a, T, R, P, G> {
    pub(super) ground: Ground<'a, T>,
    pub(super) receive: R,
    pub(super) send: P,
    pub(super) read: G,
    /// What is to be let go of when it is dropped.
    pub(super) held: Seldom<Held<'a>>,
    pub(super) auth: CallAuth,
    started: Option<Instant>,
    /// Of the attempt that failed.
    pub(super) outlook: Outlook,
    /// Whether the request on its way followed a redirect.
    pub(super) redirected: bool,
}

/// What a failed attempt leaves to decide on.
pub(super) struct Outlook {
    pub(super) after: After,
    /// Whether the request may be repeated whatever became of it: by its method, or because it
    /// carries a key by which the server knows a repeat.
    pub(super) repeatable: bool,
}

/// What may follow a failed attempt.
#[derive(Clone, Copy)]
pub(super) enum After {
    /// The same request with a newer token, at once.
    Replay,
    /// A retry, if the policy agrees.
    Retry(Failure),
    /// Nothing.
    Stop,
}

impl<'a, T, R, P, G> Call<'a, T, R, P, G> {
    #[inline]
    pub(super) fn new(ground: Ground<'a, T>, receive: R, send: P, read: G) -> Self {
        Self {
            ground,
            receive,
            send,
            read,
            held: Seldom::default(),
            auth: CallAuth::default(),
            started: None,
            outlook: Outlook { after: After::Stop, repeatable: false },
            redirected: false,
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

    #[cold]
    fn too_late<S, B>(&mut self, attempt: Pin<&mut Attempt<'a, T, S, B>>) {
        self.outlook = Outlook { after: After::Stop, repeatable: false };
        attempt.ground(refuse(&self.ground, ErrorKind::Deadline));
    }

    fn elapsed(&self) -> Duration {
        self.started
            .map_or(Duration::ZERO, |started| clock::now().saturating_duration_since(started))
    }

    fn record(&mut self, error: &ClientError) -> &mut AfterFailure<'a> {
        let replay = matches!(self.outlook.after, After::Replay);
        let policy = self.ground.policy;
        let fresh = || Box::new(AfterFailure::new(policy));
        let after = self.held.after_failure.get_or_insert_with(fresh);
        after.note(error);
        if !replay {
            after.fate = after.fate.max(error.fate());
        }
        after
    }

    /// Whether repeating the request could repeat its effect without anybody's consent.
    fn unsafe_to_repeat(&self, error: &ClientError) -> bool {
        self.ground.policy.safety() == RetrySafety::FateAware
            && !self.outlook.repeatable
            && error.fate() != Fate::NotSent
    }
}

impl<'a, T, R, P, G, S, B> Operation for Call<'a, T, R, P, G>
where
    T: Transport,
    R: Receive<T>,
    P: Fn(&T, T::Request) -> S,
    S: Future<Output = Result<T::Response, T::Error>>,
    G: Fn(R, Dates, Head, T::Response) -> B,
    B: Future<Output = Result<Success<Content<T, R>>, Miss>>,
{
    type Attempt = Attempt<'a, T, S, B>;
    type Output = R::Output;
    // Boxed as long as the call has it: a result is a response or a pointer, and no function writes
    // an error to where the response will be.
    type Error = Box<ClientError>;
    type Loan<'l> = Build<'l, T>;

    #[inline(never)]
    fn start(&mut self, build: Build<'_, T>, attempt: Pin<&mut Self::Attempt>) {
        match &mut self.held.after_failure {
            Some(after) => {
                if let Some(paid) = after.paid.take() {
                    paid.spend();
                }
            }
            None => self.begin(),
        }
        if self.ground.deadline.has_passed() {
            return self.too_late(attempt);
        }
        if clear_at_once(&self.ground, &mut self.held.flight) {
            self.take_off(build, attempt);
        } else {
            attempt.clear(clear(self.ground.hand_over()));
        }
    }

    #[inline(always)]
    fn poll(
        &mut self,
        build: Build<'_, T>,
        attempt: Pin<&mut Self::Attempt>,
        context: &mut Context<'_>,
    ) -> Poll<Result<R::Output, Box<ClientError>>> {
        self.fly(build, attempt, context)
    }

    #[cold]
    #[inline(never)]
    fn decide(&mut self, error: Box<ClientError>) -> Step<Box<ClientError>> {
        let elapsed = self.elapsed();
        let unsafe_to_repeat = self.unsafe_to_repeat(&error);
        let (inner, next) = (self.ground.inner, self.outlook.after);
        let after = self.record(&error);
        let failure = match next {
            After::Replay => return Step::Again,
            After::Stop => return stop(error, after, StopReason::NotRetryable),
            After::Retry(_) if unsafe_to_repeat => {
                return stop(error, after, StopReason::Unsafe);
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
                        return stop(error, after, StopReason::Budget);
                    }
                }
                after.history.note_wait(wait);
                // After the first attempt comes the first retry.
                let retries = self.ground.number;
                self.ground.number += 1;
                if let Some(watcher) = &inner.watcher {
                    watcher.report(|| TransportEvent::retry_scheduled(wait, retries));
                }
                Step::After(wait)
            }
            Next::Stop(reason) => stop(error, after, reason),
        }
    }
}

fn stop(
    mut error: Box<ClientError>,
    after: &mut AfterFailure<'_>,
    reason: StopReason,
) -> Step<Box<ClientError>> {
    let history = std::mem::take(&mut after.history);
    *error = error.with_fate(after.fate).stopped(reason, history);
    Step::Stop(error)
}
