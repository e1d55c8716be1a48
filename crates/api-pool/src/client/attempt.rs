//! One attempt, from the gate to its terminal event.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use pin_project_lite::pin_project;

use super::answer::{Miss, Success};
use super::call::{After, Call, Outlook};
use super::clear::Clearing;
use super::exchange::{Head, is_success};
use super::receive::{Content, Receive, Wanted};
use super::timer::Timer;
use crate::error::ClientError;
use crate::fate::Fate;
use crate::policy::Dates;
use crate::seldom::{Seldom, Vacant};
use crate::transport::{Build, Fault, Transport, TransportError, redirects};

/// How long a probe may take where no timeout is known, and how long an error body is read.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

pin_project! {
    /// An attempt under way, or none. What it holds of the client is in the call's flight.
    pub(super) struct Attempt<'a, T, S, B> {
        extras: Seldom<Extras<'a, T, B>>,
        // The wait for the head of the response. Apart from the rest, which most attempts need not
        // look at.
        #[pin]
        sending: Option<S>,
    }
}

/// What an attempt may have besides the wait for the head, and most have not.
struct Extras<'a, T, B> {
    /// The limit of the attempt in time. Its end at the instant of a limit counts.
    timer: Timer,
    /// What it is doing when it is not waiting for the head.
    leg: Option<Leg<'a, T, B>>,
}

impl<T, B> Default for Extras<'_, T, B> {
    #[inline(always)]
    fn default() -> Self {
        Self { timer: Timer::none(), leg: None }
    }
}

impl<T, B> Vacant for Extras<'_, T, B> {
    #[inline(always)]
    fn is_vacant(&self) -> bool {
        let Self { timer, leg } = self;
        !timer.is_set() && leg.is_vacant()
    }
}

/// What an attempt is doing when it is not waiting for the head of its response.
enum Leg<'a, T, B> {
    /// It is waiting for everything that it needs.
    Clearing(Clearing<'a, T>),
    /// It is reading the body. Boxed: a call that wants the head need not make room for it.
    Reading { head: Head, rest: Pin<Box<B>> },
    /// Nothing: it never left.
    Grounded(Box<ClientError>),
}

impl<T, S, B> Default for Attempt<'_, T, S, B> {
    #[inline]
    fn default() -> Self {
        Self { extras: Seldom::default(), sending: None }
    }
}

impl<'a, T, S, B> Attempt<'a, T, S, B> {
    /// Waits for what it needs.
    pub(super) fn clear(self: Pin<&mut Self>, clearing: Clearing<'a, T>) {
        self.project().extras.leg = Some(Leg::Clearing(clearing));
    }

    /// Waits for an answer, at most until `deadline`.
    #[inline(always)]
    pub(super) fn send(self: Pin<&mut Self>, sending: S, deadline: Option<Instant>) {
        let mut this = self.project();
        // The one before left no timer.
        if deadline.is_some() {
            this.extras.timer = Timer::at(deadline);
        }
        this.sending.set(Some(sending));
    }

    fn is_reading(&self) -> bool {
        matches!(self.extras.leg, Some(Leg::Reading { .. }))
    }

    /// Has failed already.
    #[cold]
    pub(super) fn ground(self: Pin<&mut Self>, error: ClientError) {
        self.project().extras.leg = Some(Leg::Grounded(Box::new(error)));
    }
}

impl<'a, T, R, P, G, S, B> Call<'a, T, R, P, G>
where
    T: Transport,
    R: Receive<T>,
    P: Fn(&T, T::Request) -> S,
    S: Future<Output = Result<T::Response, T::Error>>,
    G: Fn(R, Dates, Head, T::Response) -> B,
    B: Future<Output = Result<Success<Content<T, R>>, Miss>>,
{
    /// A 2xx whose head is enough ends the attempt here; the rest is out of line.
    #[inline(always)]
    pub(super) fn fly(
        &mut self,
        build: Build<'_, T>,
        mut attempt: Pin<&mut Attempt<'a, T, S, B>>,
        context: &mut Context<'_>,
    ) -> Poll<Result<R::Output, Box<ClientError>>> {
        if attempt.sending.is_none() {
            if attempt.is_reading() {
                return self.read_on(attempt, context).map_ok(R::finish);
            }
            if let Err(error) = ready!(self.leave(build, attempt.as_mut(), context)) {
                return Poll::Ready(Err(error));
            }
        }
        let this = attempt.as_mut().project();
        // Polled after its end it stays pending.
        let Some(sending) = this.sending.as_pin_mut() else { return Poll::Pending };
        let arrival = redirects::watch(&mut self.redirected, || sending.poll(context));
        // Looked at where it is, and moved once.
        let take = match (self.receive.wanted(), &arrival) {
            (_, Poll::Pending) if this.extras.timer.is_set() || self.ground.deadline.is_set() => {
                return self.hold(attempt, None, context).map(Err);
            }
            (_, Poll::Pending) => return Poll::Pending,
            (Wanted::Head(take), Poll::Ready(Ok(response))) if is_success(T::status(response)) => {
                self.held.flight.head();
                let status = T::status(response);
                // Only for those who are told.
                let bytes =
                    if self.held.flight.is_watched() { T::content_length(response) } else { None };
                attempt.as_mut().project().sending.set(None);
                self.succeed(status, bytes);
                Some(take)
            }
            (_, Poll::Ready(_)) => None,
        };
        if let Some(take) = take
            && let Poll::Ready(Ok(response)) = arrival
        {
            return Poll::Ready(Ok(take(response)));
        }
        match arrival {
            Poll::Ready(Ok(response)) => self.read(attempt, response, context).map_ok(R::finish),
            Poll::Ready(Err(error)) => Poll::Ready(Err(self.lost(attempt, error))),
            Poll::Pending => Poll::Pending,
        }
    }

    /// Waits for what the attempt needs. Ready once the request is on its way, or cannot leave.
    #[inline(never)]
    fn leave(
        &mut self,
        build: Build<'_, T>,
        mut attempt: Pin<&mut Attempt<'a, T, S, B>>,
        context: &mut Context<'_>,
    ) -> Poll<Result<(), Box<ClientError>>> {
        if let Some(Leg::Clearing(clearing)) = &mut attempt.as_mut().project().extras.leg {
            let (ground, cleared) = ready!(clearing.as_mut().poll(context));
            attempt.as_mut().project().extras.leg = None;
            self.ground = ground;
            match cleared {
                Ok(load) => {
                    self.held.flight.load(load);
                    self.take_off(build, attempt.as_mut());
                }
                Err(error) => {
                    self.outlook = Outlook { after: After::Stop, repeatable: false };
                    return Poll::Ready(Err(Box::new(error)));
                }
            }
        }
        match attempt.project().extras.leg.take() {
            Some(Leg::Grounded(error)) => Poll::Ready(Err(error)),
            _ => Poll::Ready(Ok(())),
        }
    }

    /// Reads what follows the head.
    #[inline(never)]
    fn read_on(
        &mut self,
        mut attempt: Pin<&mut Attempt<'a, T, S, B>>,
        context: &mut Context<'_>,
    ) -> Poll<Result<Content<T, R>, Box<ClientError>>> {
        let leg = &mut attempt.as_mut().project().extras.leg;
        let Some(Leg::Reading { head, rest }) = leg else { return Poll::Pending };
        let head = *head;
        let Poll::Ready(read) = rest.as_mut().poll(context) else {
            return self.hold(attempt, Some(head), context).map(Err);
        };
        *leg = None;
        match read {
            Ok(Success { output, status, bytes }) => {
                self.succeed(status, bytes);
                Poll::Ready(Ok(output))
            }
            Err(miss) => Poll::Ready(Err(self.miss(attempt, miss))),
        }
    }

    /// Starts to read the body of a response.
    #[inline(never)]
    fn read(
        &mut self,
        mut attempt: Pin<&mut Attempt<'a, T, S, B>>,
        response: T::Response,
        context: &mut Context<'_>,
    ) -> Poll<Result<Content<T, R>, Box<ClientError>>> {
        self.held.flight.head();
        let dates = self.ground.policy.dates();
        let head = Head::of::<T>(&response, dates);
        let rest = Box::pin((self.read)(self.receive, dates, head, response));
        let mut this = attempt.as_mut().project();
        this.extras.leg = Some(Leg::Reading { head, rest });
        // The request is over.
        this.sending.set(None);
        self.read_on(attempt, context)
    }

    /// No response head arrived.
    #[cold]
    fn lost(
        &mut self,
        attempt: Pin<&mut Attempt<'a, T, S, B>>,
        error: T::Error,
    ) -> Box<ClientError> {
        let error = T::explain(error);
        // The last leg's error does not hide that the server had seen the request.
        let error = if self.redirected { error.redirected() } else { error };
        self.miss(attempt, error.into())
    }

    /// Drops the request and whatever came of it, then settles.
    #[cold]
    fn miss(
        &mut self,
        mut attempt: Pin<&mut Attempt<'a, T, S, B>>,
        miss: Miss,
    ) -> Box<ClientError> {
        attempt.set(Attempt::default());
        Box::new(self.fail(miss))
    }

    /// Ends the attempt if its time is up. `head` is what has arrived.
    fn hold(
        &mut self,
        mut attempt: Pin<&mut Attempt<'a, T, S, B>>,
        head: Option<Head>,
        context: &mut Context<'_>,
    ) -> Poll<Box<ClientError>> {
        let miss = if attempt.as_mut().project().extras.timer.poll_elapsed(context).is_ready() {
            let timeout = self.ground.policy.attempt_timeout().unwrap_or_default();
            let text = format!("attempt timed out after {timeout:?}");
            let error = TransportError::new(Fault::TimedOut, text);
            match head {
                Some(head) => head.without_body(error),
                None => Miss::Nothing(error),
            }
        } else if self.ground.deadline.poll_elapsed(context).is_ready() {
            Miss::Late(head.map_or(Fate::MaybeProcessed, |_| Fate::Processed))
        } else {
            return Poll::Pending;
        };
        Poll::Ready(self.miss(attempt, miss))
    }
}
