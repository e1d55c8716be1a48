//! The request on its way out, and the response on its way in.

use std::pin::Pin;
use std::time::Duration;

use http::HeaderName;

use super::answer::{Miss, Success};
use super::attempt::{PATIENCE, succeed};
use super::call::Call;
use super::flight::Flight;
use super::receive::{Receive, Unreceived, error_body};
use super::timer::Timer;
use super::{Inner, hint};
use crate::auth::Credential;
use crate::clock;
use crate::observer::AttemptInfo;
use crate::transport::{Transport, TransportError};

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// Builds the request and hands it to the transport. `resend_count` is how many attempts the
/// call has made before.
///
/// Not `async`: builder and request would be part of the call's future otherwise.
#[inline]
pub(super) fn depart<T, F>(
    inner: &Inner<T>,
    build: &F,
    credential: Option<Credential>,
    flight: &mut Flight<'_>,
    resend_count: usize,
    repeatable: &mut bool,
) -> Result<impl Future<Output = Result<T::Response, TransportError>> + use<T, F>, Miss>
where
    T: Transport,
    F: Fn(&T) -> T::RequestBuilder,
{
    let transport = inner.transport.get().map_err(Miss::NoClient)?;
    let mut request = transport.prepare(build(transport)).map_err(Miss::Nothing)?;
    if let Some(credential) = credential {
        let (name, value) = credential.into_header();
        T::headers_mut(&mut request).insert(name, value);
    }
    *repeatable = retry_core::http::is_idempotent_method(T::method(&request).as_str())
        || T::headers_mut(&mut request).contains_key(IDEMPOTENCY_KEY);
    flight.leaving(|| AttemptInfo {
        method: T::method(&request).as_str(),
        address: T::address(&request),
        resend_count,
    });
    Ok(transport.send(request))
}

/// What there is to do with what arrived.
pub(super) enum Triage<O, F> {
    /// Nothing: the attempt is settled.
    Over(O),
    /// Nothing but to settle it.
    Missed(Miss),
    /// Reading the body. Boxed: a call that wants the head need not make room for it.
    Unread(Head, Pin<Box<F>>),
}

/// What the head of a response says, whatever becomes of its body.
#[derive(Clone, Copy)]
pub(super) struct Head {
    status: u16,
    hint: Option<Duration>,
}

impl Head {
    /// What an attempt comes to that timed out after this.
    pub(super) fn without_body(self, timed_out: TransportError) -> Miss {
        let Self { status, hint } = self;
        if is_success(status) {
            Miss::Cut(timed_out)
        } else {
            Miss::Status { status, hint, body: None }
        }
    }
}

/// Takes a 2xx whose head is enough and settles with it, else reads on.
#[inline]
pub(super) fn triage<T, F, R>(
    call: &Call<'_, T, F, R>,
    flight: &mut Flight<'_>,
    arrival: Result<T::Response, Miss>,
) -> Triage<R::Output, impl Future<Output = Result<Success<R::Output>, Miss>> + use<T, F, R>>
where
    T: Transport,
    R: Receive<T>,
{
    let response = match arrival {
        Ok(response) => response,
        Err(miss) => return Triage::Missed(miss),
    };
    flight.head();
    let status = T::status(&response);
    let bytes = T::content_length(&response);
    let (receive, dates) = (call.receive, call.policy.dates());
    let response = if is_success(status) {
        match receive.at_head(response) {
            Ok(output) => {
                succeed(call, flight, status, bytes);
                return Triage::Over(output);
            }
            Err(response) => response,
        }
    } else {
        response
    };
    let head = Head { status, hint: hint::read(T::headers(&response), dates) };
    let rest = async move {
        if !is_success(status) {
            return Err(refusal::<T>(head, response).await);
        }
        match receive.read(response).await {
            Ok(output) => Ok(Success { output, status, bytes }),
            Err(Unreceived::Broken(error)) => Err(Miss::Cut(error)),
            Err(Unreceived::TooLarge(limit)) => Err(Miss::TooLarge { status, limit }),
            Err(Unreceived::Means { status, headers, body }) => {
                Err(Miss::Status { status, hint: hint::read(&headers, dates), body })
            }
        }
    };
    Triage::Unread(head, Box::pin(rest))
}

const fn is_success(status: u16) -> bool {
    matches!(status, 200..300)
}

/// Reads what a response other than 2xx has to say, for a bounded time.
async fn refusal<T: Transport>(head: Head, mut response: T::Response) -> Miss {
    let mut patience = Timer::at(Some(clock::after(clock::now(), PATIENCE)));
    let body = patience.bound(error_body::<T>(&mut response)).await.ok().flatten();
    let Head { status, hint } = head;
    Miss::Status { status, hint, body }
}
