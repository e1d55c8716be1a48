//! One attempt, from the gate to its terminal event.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use pin_project_lite::pin_project;
use retry_core::Failure;

use super::answer::{Miss, Success};
use super::call::Call;
use super::clear::{Clearance, Clearing};
use super::exchange::{Head, is_success};
use super::receive::Receive;
use super::timer::Timer;
use crate::error::ClientError;
use crate::policy::Dates;
use crate::transport::{Fault, Transport, TransportError, redirects};

/// How long a probe without a timeout of its own may take, and how long an error body is read.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// An attempt that failed, and what may follow.
pub(super) struct Failed {
    pub(super) error: ClientError,
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

impl Failed {
    pub(super) fn stop(error: ClientError) -> Self {
        Self { error, after: After::Stop, repeatable: false }
    }
}

pin_project! {
    /// An attempt under way. What it holds of the client is in the call's flight.
    pub(super) struct Attempt<'a, T, S, B> {
        pub(super) repeatable: bool,
        redirected: bool,
        // The limit of the attempt in time. Its end at the instant of a limit counts.
        timer: Timer,
        #[pin]
        leg: Leg<'a, T, S, B>,
    }
}

pin_project! {
    /// What an attempt is waiting for.
    #[project = Flown]
    enum Leg<'a, T, S, B> {
        // Everything that it needs. Boxed: an attempt that need not wait is small.
        Clearing { clearing: Clearing<'a, T> },
        // The head of the response.
        Sending { #[pin] sending: S },
        // The body. Boxed: a call that wants the head need not make room for it.
        Reading { head: Head, rest: Pin<Box<B>> },
        // Nothing: it never left.
        Grounded { failed: Option<Box<Failed>> },
        // Nothing: it is over.
        Over,
    }
}

impl<'a, T, S, B> Attempt<'a, T, S, B> {
    pub(super) const fn clearing(clearing: Clearing<'a, T>) -> Self {
        Self::new(Leg::Clearing { clearing }, Timer::NONE, true)
    }

    pub(super) const fn sending(sending: S, timer: Timer, repeatable: bool) -> Self {
        Self::new(Leg::Sending { sending }, timer, repeatable)
    }

    pub(super) fn grounded(failed: Failed) -> Self {
        Self::new(Leg::Grounded { failed: Some(Box::new(failed)) }, Timer::NONE, true)
    }

    const fn new(leg: Leg<'a, T, S, B>, timer: Timer, repeatable: bool) -> Self {
        Self { repeatable, redirected: false, timer, leg }
    }

    /// Drops what it was waiting for.
    #[inline]
    fn end(self: Pin<&mut Self>) {
        self.project().leg.set(Leg::Over);
    }
}

impl<'a, T, F, R, P, G, S, B> Call<'a, T, F, R, P, G>
where
    T: Transport,
    F: Fn(&T) -> T::RequestBuilder,
    R: Receive<T>,
    P: Fn(&T, T::Request) -> S,
    S: Future<Output = Result<T::Response, T::Error>>,
    G: Fn(R, Dates, Head, T::Response) -> B,
    B: Future<Output = Result<Success<R::Output>, Miss>>,
{
    /// A 2xx whose head is enough ends the attempt here; the rest is out of line.
    #[inline(always)]
    pub(super) fn fly(
        &mut self,
        mut attempt: Pin<&mut Attempt<'a, T, S, B>>,
        context: &mut Context<'_>,
    ) -> Poll<Result<R::Output, Failed>> {
        let this = attempt.as_mut().project();
        let Flown::Sending { sending } = this.leg.project() else {
            return self.fly_on(attempt, context);
        };
        let arrival = redirects::watch(this.redirected, || sending.poll(context));
        // Looked at where it is, and moved once.
        let take = match (R::AT_HEAD, &arrival) {
            (_, Poll::Pending) if this.timer.is_set() || self.ground.deadline.is_set() => {
                return self.hold(attempt, None, context);
            }
            (_, Poll::Pending) => return Poll::Pending,
            (Some(take), Poll::Ready(Ok(response))) if is_success(T::status(response)) => {
                self.flight.head();
                let status = T::status(response);
                // Only for those who are told.
                let bytes =
                    if self.flight.is_watched() { T::content_length(response) } else { None };
                attempt.as_mut().end();
                self.succeed(status, bytes);
                Some(take)
            }
            (_, Poll::Ready(_)) => None,
        };
        match (take, arrival) {
            (Some(take), Poll::Ready(Ok(response))) => Poll::Ready(Ok(take(response))),
            (_, Poll::Ready(Ok(response))) => self.read(attempt, response, context),
            (_, Poll::Ready(Err(error))) => Poll::Ready(Err(self.lost(attempt, error))),
            (_, Poll::Pending) => Poll::Pending,
        }
    }

    #[inline(never)]
    fn fly_on(
        &mut self,
        mut attempt: Pin<&mut Attempt<'a, T, S, B>>,
        context: &mut Context<'_>,
    ) -> Poll<Result<R::Output, Failed>> {
        let (head, rest) = match attempt.as_mut().project().leg.project() {
            Flown::Clearing { clearing } => {
                let (ground, cleared) = ready!(clearing.as_mut().poll(context));
                self.ground = ground;
                return match cleared {
                    Ok(clearance) => self.leave(attempt, clearance, context),
                    Err(failed) => Poll::Ready(Err(failed)),
                };
            }
            Flown::Reading { head, rest } => (*head, rest),
            Flown::Grounded { failed } => {
                return failed.take().map_or(Poll::Pending, |failed| Poll::Ready(Err(*failed)));
            }
            Flown::Sending { .. } | Flown::Over => return Poll::Pending,
        };
        match rest.as_mut().poll(context) {
            Poll::Ready(Ok(Success { output, status, bytes })) => {
                attempt.end();
                self.succeed(status, bytes);
                Poll::Ready(Ok(output))
            }
            Poll::Ready(Err(miss)) => Poll::Ready(Err(self.miss(attempt, miss))),
            Poll::Pending => self.hold(attempt, Some(head), context),
        }
    }

    /// Takes off after a wait.
    fn leave(
        &mut self,
        mut attempt: Pin<&mut Attempt<'a, T, S, B>>,
        clearance: Clearance<'a>,
        context: &mut Context<'_>,
    ) -> Poll<Result<R::Output, Failed>> {
        let airborne = self.take_off(clearance);
        attempt.set(airborne);
        self.fly(attempt, context)
    }

    /// Starts to read the body of a response.
    #[inline(never)]
    fn read(
        &mut self,
        mut attempt: Pin<&mut Attempt<'a, T, S, B>>,
        response: T::Response,
        context: &mut Context<'_>,
    ) -> Poll<Result<R::Output, Failed>> {
        self.flight.head();
        let dates = self.ground.policy.dates();
        let head = Head::of::<T>(&response, dates);
        let rest = Box::pin((self.read)(self.receive, dates, head, response));
        attempt.as_mut().project().leg.set(Leg::Reading { head, rest });
        self.fly_on(attempt, context)
    }

    /// No response head arrived.
    #[cold]
    fn lost(&mut self, mut attempt: Pin<&mut Attempt<'a, T, S, B>>, error: T::Error) -> Failed {
        let error = T::explain(error);
        // The last leg's error does not hide that the server had seen the request.
        let redirected = *attempt.as_mut().project().redirected;
        let error = if redirected { error.redirected() } else { error };
        self.miss(attempt, error.into())
    }

    /// Drops the request and whatever came of it, then settles.
    #[cold]
    fn miss(&mut self, mut attempt: Pin<&mut Attempt<'a, T, S, B>>, miss: Miss) -> Failed {
        attempt.as_mut().end();
        self.fail(miss, attempt.repeatable)
    }

    /// Ends the attempt if its time is up. `head` is what has arrived.
    fn hold(
        &mut self,
        mut attempt: Pin<&mut Attempt<'a, T, S, B>>,
        head: Option<Head>,
        context: &mut Context<'_>,
    ) -> Poll<Result<R::Output, Failed>> {
        let miss = if attempt.as_mut().project().timer.poll_elapsed(context).is_ready() {
            let timeout = self.ground.policy.attempt_timeout().unwrap_or_default();
            let text = format!("attempt timed out after {timeout:?}");
            let error = TransportError::new(Fault::TimedOut, text);
            match head {
                Some(head) => head.without_body(error),
                None => Miss::Nothing(error),
            }
        } else if self.ground.deadline.poll_elapsed(context).is_ready() {
            Miss::Late
        } else {
            return Poll::Pending;
        };
        Poll::Ready(Err(self.miss(attempt, miss)))
    }
}
