//! One attempt, from the gate to its terminal event.

use std::time::Duration;

use http::HeaderName;
use retry_core::Failure;
use retry_core::http::Health;

use super::answer::{Miss, Success};
use super::call::Call;
use super::clear::{Clearance, clear};
use super::flight::{Flight, Landing};
use super::receive::{Receive, Unreceived, error_body};
use super::timer::{Elapsed, Timer};
use super::{Inner, hint};
use crate::auth::Credential;
use crate::breaker::{Admission, Transition};
use crate::clock;
use crate::error::{ClientError, ErrorKind};
use crate::policy::Dates;
use crate::transport::{Fault, Transport, TransportError};

/// How long a probe may take that has no timeout of its own, and how long an error body is read.
pub(super) const LEASE: Duration = Duration::from_secs(30);

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

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

/// Runs one attempt.
pub(super) async fn run<T, F, R>(call: &mut Call<'_, T, F, R>) -> Result<R::Output, Failed>
where
    T: Transport,
    F: Fn(&T) -> T::RequestBuilder,
    R: Receive<T>,
{
    let clearance = clear(call).await?;
    fly(call, clearance).await
}

/// Sends, receives and settles.
async fn fly<'a, T, F, R>(
    call: &mut Call<'a, T, F, R>,
    clearance: Clearance<'a>,
) -> Result<R::Output, Failed>
where
    T: Transport,
    F: Fn(&T) -> T::RequestBuilder,
    R: Receive<T>,
{
    let inner: &'a Inner<T> = call.inner;
    call.made += 1;
    // Declared before the holds, so that a drop reports `Cancelled` with all of them given back.
    let mut flight = Flight::start(inner.watcher.as_ref());
    let Clearance { permit, admission, credential } = clearance;
    let generation = credential.as_ref().map(Credential::generation);
    let timeout = call.policy.attempt_timeout();
    let mut timer = Timer::at(timeout.map(|timeout| clock::after(clock::now(), timeout)));
    let mut repeatable = true;

    let order = Order { build: call.build, receive: call.receive, dates: call.policy.dates() };
    let exchange = exchange(inner, order, credential, &mut flight, &mut repeatable);
    let outcome = match call.deadline.bound(timer.bound(exchange)).await {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(Elapsed)) => Err(Miss::Nothing(timed_out(timeout))),
        Err(Elapsed) => Err(Miss::Late),
    };
    drop(permit);

    match outcome {
        Ok(Success { output, status, bytes }) => {
            if let (Some(credentials), Some(generation)) = (&inner.credentials, generation) {
                credentials.accepted(generation);
            }
            let transition = settle(admission, Some(Health::Up));
            flight.land(Landing::Succeeded { status, bytes }, None);
            announce(inner, transition);
            Ok(output)
        }
        Err(miss) => {
            let replay = match (&inner.credentials, generation, miss.status()) {
                (Some(credentials), Some(generation), Some(status)) => {
                    call.auth.answered(credentials, generation, status)
                }
                _ => false,
            };
            let transition = settle(admission, miss.health());
            let number = call.retries + 1;
            let (error, after) = if replay {
                (ClientError::new(ErrorKind::Status(401), number), After::Replay)
            } else {
                miss.judge(number)
            };
            flight.land(Landing::Failed(&error), None);
            announce(inner, transition);
            Err(Failed { error, after, repeatable })
        }
    }
}

/// What the caller of a call wants to be sent and to get.
struct Order<'a, F, R> {
    build: &'a F,
    receive: R,
    dates: Dates,
}

/// Builds the request, sends it and receives what the call wants of the response.
async fn exchange<T, F, R>(
    inner: &Inner<T>,
    order: Order<'_, F, R>,
    credential: Option<Credential>,
    flight: &mut Flight<'_>,
    repeatable: &mut bool,
) -> Result<Success<R::Output>, Miss>
where
    T: Transport,
    F: Fn(&T) -> T::RequestBuilder,
    R: Receive<T>,
{
    let transport = inner.transport.get().map_err(Miss::NoClient)?;
    let mut request = transport.prepare((order.build)(transport)).map_err(Miss::Nothing)?;
    if let Some(credential) = credential {
        let (name, value) = credential.into_header();
        T::headers_mut(&mut request).insert(name, value);
    }
    *repeatable = retry_core::http::is_idempotent_method(T::method(&request).as_str())
        || T::headers_mut(&mut request).contains_key(IDEMPOTENCY_KEY);
    flight.sent();
    let mut response = transport.send(request).await.map_err(Miss::Nothing)?;
    flight.head();
    let status = T::status(&response);
    if (200..300).contains(&status) {
        let bytes = T::content_length(&response);
        return match order.receive.receive(response).await {
            Ok(output) => Ok(Success { output, status, bytes }),
            Err(Unreceived::Broken(error)) => Err(Miss::Cut(error)),
            Err(Unreceived::TooLarge(limit)) => Err(Miss::TooLarge { status, limit }),
            Err(Unreceived::Means { status, headers, body }) => {
                Err(Miss::Status { status, hint: hint::read(&headers, order.dates), body })
            }
        };
    }
    let hint = hint::read(T::headers(&response), order.dates);
    let mut patience = Timer::at(Some(clock::after(clock::now(), LEASE)));
    let body = patience.bound(error_body::<T>(&mut response)).await.ok().flatten();
    Err(Miss::Status { status, hint, body })
}

/// Tells the breaker. An answer that proves nothing only gives its place back.
fn settle(admission: Option<Admission<'_>>, health: Option<Health>) -> Option<Transition> {
    admission?.settle(health?)
}

fn announce<T: Transport>(inner: &Inner<T>, transition: Option<Transition>) {
    if let (Some(transition), Some(watcher)) = (transition, &inner.watcher) {
        watcher.report(transition.into());
    }
}

fn timed_out(timeout: Option<Duration>) -> TransportError {
    let timeout = timeout.unwrap_or_default();
    TransportError::new(Fault::TimedOut, format!("attempt timed out after {timeout:?}"))
}
