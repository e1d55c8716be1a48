//! One attempt, from the gate to its terminal event.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use pin_project_lite::pin_project;
use retry_core::Failure;
use retry_core::http::Health;

use super::answer::{Miss, Success};
use super::call::Call;
use super::clear::{Clearance, clear, clear_at_once};
use super::exchange::{Head, Triage, depart, triage};
use super::flight::{Flight, Landing};
use super::receive::Receive;
use super::timer::Timer;
use super::{Inner, Redirects};
use crate::auth::Credential;
use crate::breaker::Transition;
use crate::clock;
use crate::error::{ClientError, ErrorKind};
use crate::policy::CallPolicy;
use crate::transport::{Fault, Transport, TransportError};

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

/// Runs one attempt: clears it for take-off, sends, receives and settles.
///
/// Everything big is moved through functions that are not `async`: the future of a call holds what
/// it needs while it waits, and not what it needed before.
pub(super) async fn run<T, F, R>(call: &mut Call<'_, T, F, R>) -> Result<R::Output, Failed>
where
    T: Transport,
    F: Fn(&T) -> T::RequestBuilder,
    R: Receive<T>,
{
    let clearance = match clear_at_once(call) {
        Some(clearance) => clearance,
        None => Box::pin(clear(call)).await?,
    };
    let mut repeatable = true;
    let mut flight = Flight::start(call.inner.watcher.as_ref());
    let sending = match take_off(call, clearance, &mut flight, &mut repeatable) {
        Ok(sending) => sending,
        Err(miss) => return Err(fail(call, &mut flight, miss, repeatable)),
    };
    // From here: setting up the HTTP client is not the server's delay.
    let mut limits = Limits::of(call.policy);
    let arrival = limits.hold(&mut call.deadline, None, sending).await;
    let (head, rest) = match triage(call, &mut flight, arrival) {
        Triage::Over(output) => return Ok(output),
        Triage::Missed(miss) => return Err(fail(call, &mut flight, miss, repeatable)),
        Triage::Unread(head, rest) => (head, rest),
    };
    match limits.hold(&mut call.deadline, Some(head), rest).await {
        Ok(Success { output, status, bytes }) => {
            succeed(call, &mut flight, status, bytes);
            Ok(output)
        }
        Err(miss) => Err(fail(call, &mut flight, miss, repeatable)),
    }
}

/// Loads the attempt with what it holds and sends the request off.
fn take_off<'a, T, F, R>(
    call: &mut Call<'a, T, F, R>,
    clearance: Clearance<'a>,
    flight: &mut Flight<'a>,
    repeatable: &mut bool,
) -> Result<impl Future<Output = Result<T::Response, TransportError>> + use<T, F, R>, Miss>
where
    T: Transport,
    F: Fn(&T) -> T::RequestBuilder,
{
    let Clearance { permit, admission, credential } = clearance;
    let sent_before = call.made;
    call.made += 1;
    flight.carry(permit, admission, credential.as_ref().map(Credential::generation));
    let departure = depart(call.inner, call.build, credential, flight, sent_before, repeatable);
    flight.sent();
    departure
}

/// Settles a success with queue and breaker, and reports it.
pub(super) fn succeed<T, F, R>(
    call: &Call<'_, T, F, R>,
    flight: &mut Flight<'_>,
    status: u16,
    bytes: Option<u64>,
) where
    T: Transport,
{
    let inner = call.inner;
    if let (Some(credentials), Some(generation)) = (&inner.credentials, flight.generation) {
        credentials.accepted(generation);
    }
    let transition = flight.settle(Some(Health::Up));
    flight.land(Landing::Succeeded { status, bytes }, None);
    announce(inner, transition);
}

/// Settles a failure with queue and breaker, reports it, and says what may follow.
#[cold]
#[inline(never)]
fn fail<T, F, R>(
    call: &mut Call<'_, T, F, R>,
    flight: &mut Flight<'_>,
    miss: Miss,
    repeatable: bool,
) -> Failed
where
    T: Transport,
    F: Fn(&T) -> T::RequestBuilder,
    R: Receive<T>,
{
    let inner = call.inner;
    let replay = match (&inner.credentials, flight.generation, miss.status()) {
        (Some(credentials), Some(generation), Some(status)) => {
            call.auth.answered(credentials, generation, status)
        }
        _ => false,
    };
    let transition = flight.settle(miss.health());
    let number = call.retries + 1;
    let (error, after) = if replay {
        (ClientError::new(ErrorKind::Status(401), number), After::Replay)
    } else {
        miss.judge(number, inner.credentials.as_ref())
    };
    // On the way that a redirect showed, the request may have failed to arrive a second time.
    let error = if inner.redirects == Redirects::Unseen && !repeatable {
        error.at_least_maybe_processed()
    } else {
        error
    };
    flight.land(Landing::Failed(&error), None);
    announce(inner, transition);
    Failed { error, after, repeatable }
}

/// The limits of one attempt in time.
struct Limits {
    timer: Timer,
    timeout: Duration,
}

impl Limits {
    #[inline]
    fn of(policy: &CallPolicy) -> Self {
        let timeout = policy.attempt_timeout();
        let timer = Timer::at(timeout.map(|timeout| clock::after(clock::now(), timeout)));
        Self { timer, timeout: timeout.unwrap_or_default() }
    }

    /// Runs a part of the attempt within its limits and the call's. `head` is what has arrived
    /// before.
    #[inline]
    fn hold<'t, P>(
        &'t mut self,
        deadline: &'t mut Timer,
        head: Option<Head>,
        part: P,
    ) -> Held<'t, P> {
        Held { part, head, limits: self, deadline }
    }
}

pin_project! {
    /// A part of an attempt, within limits. Its end at the instant of a limit counts.
    struct Held<'t, P> {
        #[pin]
        part: P,
        head: Option<Head>,
        limits: &'t mut Limits,
        deadline: &'t mut Timer,
    }
}

impl<O, E: Into<Miss>, P: Future<Output = Result<O, E>>> Future for Held<'_, P> {
    type Output = Result<O, Miss>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        if let Poll::Ready(outcome) = this.part.poll(context) {
            return Poll::Ready(outcome.map_err(Into::into));
        }
        if this.limits.timer.poll_elapsed(context).is_ready() {
            let text = format!("attempt timed out after {:?}", this.limits.timeout);
            let error = TransportError::new(Fault::TimedOut, text);
            return Poll::Ready(Err(match this.head {
                Some(head) => head.without_body(error),
                None => Miss::Nothing(error),
            }));
        }
        this.deadline.poll_elapsed(context).map(|()| Err(Miss::Late))
    }
}

#[inline]
fn announce<T: Transport>(inner: &Inner<T>, transition: Option<Transition>) {
    if let (Some(transition), Some(watcher)) = (transition, &inner.watcher) {
        watcher.report(transition.into());
    }
}
