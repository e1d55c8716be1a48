//! The request on its way out, and the response on its way in.

use std::pin::Pin;
use std::time::Duration;

use http::HeaderName;

use super::answer::{Miss, Success};
use super::attempt::{Attempt, PATIENCE};
use super::call::Call;
use super::hint;
use super::receive::{Content, Reader, Receive, Unreceived, Wanted, error_body};
use super::timer::Timer;
use crate::clock;
use crate::observer::Outgoing;
use crate::policy::Dates;
use crate::transport::{Address, Build, Transport, TransportError};

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

impl<'a, T, R, P, G, S> Call<'a, T, R, P, G>
where
    T: Transport,
    R: Receive<T>,
    P: Fn(&T, T::Request) -> S,
{
    /// Begins an attempt that holds what it needs and sends the request off.
    #[inline(always)]
    pub(super) fn take_off<B>(
        &mut self,
        build: Build<'_, T>,
        attempt: Pin<&mut Attempt<'a, T, S, B>>,
    ) {
        self.held.flight.start(self.ground.inner.watcher.as_ref());
        (self.outlook.repeatable, self.redirected) = (true, false);
        match self.depart(build) {
            Ok(sending) => {
                // From here: setting up the HTTP client is not the server's delay.
                self.held.flight.sent();
                let limit = self.ground.policy.attempt_timeout();
                attempt.send(sending, limit.map(|limit| clock::after(clock::now(), limit)));
            }
            Err(miss) => attempt.ground(self.fail(miss)),
        }
    }

    /// Builds the request and hands it to the transport.
    #[inline(always)]
    fn depart(&mut self, build: Build<'_, T>) -> Result<S, Miss> {
        let sent_before = self.ground.made;
        self.ground.made += 1;
        let transport = self.ground.inner.transport.get().map_err(Miss::NoClient)?;
        let mut request = transport.prepare(build(transport)).map_err(Miss::Nothing)?;
        self.held.flight.sensitive.remember(T::headers_mut(&mut request));
        if let Some(credential) = self.held.flight.credential() {
            let (name, value) = credential.to_header();
            T::headers_mut(&mut request).insert(name, value);
        }
        self.receive = self.receive.answering(T::method(&request));
        self.outlook.repeatable = is_repeatable::<T>(&mut request);
        self.held.flight.leaving(&Leaving::<T>(&request), sent_before);
        Ok((self.send)(transport, request))
    }
}

/// Answers for a method that every client knows without looking at its letters.
#[inline]
fn is_repeatable<T: Transport>(request: &mut T::Request) -> bool {
    T::method(request).is_idempotent() || is_repeatable_still::<T>(request)
}

#[cold]
fn is_repeatable_still<T: Transport>(request: &mut T::Request) -> bool {
    retry_core::http::is_idempotent_method(T::method(request).as_str())
        || T::headers_mut(request).contains_key(IDEMPOTENCY_KEY)
}

/// A request that is about to leave, for whoever asks where to.
struct Leaving<'a, T: Transport>(&'a T::Request);

impl<T: Transport> Outgoing for Leaving<'_, T> {
    fn method(&self) -> &str {
        T::method(self.0).as_str()
    }

    fn address(&self) -> Address<'_> {
        T::address(self.0)
    }
}

/// What the head of a response says, whatever becomes of its body.
#[derive(Clone, Copy)]
pub(super) struct Head {
    status: u16,
    hint: Option<Duration>,
}

impl Head {
    #[inline]
    pub(super) fn of<T: Transport>(response: &T::Response, dates: Dates) -> Self {
        let hint = hint::read(T::headers(response), dates);
        Self { status: T::status(response), hint }
    }

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

/// Reads what follows the head of a response.
pub(super) fn reading<T, R>(
    receive: R,
    dates: Dates,
    head: Head,
    response: T::Response,
) -> impl Future<Output = Result<Success<Content<T, R>>, Miss>> + use<T, R>
where
    T: Transport,
    R: Receive<T>,
{
    let (status, bytes) = (head.status, T::content_length(&response));
    async move {
        // Where the head is enough, a 2xx is not read.
        let reader = match receive.wanted() {
            Wanted::Body(reader) if is_success(status) => reader,
            _ => return Err(refusal::<T>(head, response).await),
        };
        match reader.read(response).await {
            Ok(output) => Ok(Success { output, status, bytes }),
            Err(Unreceived::Broken(error)) => Err(Miss::Cut(error)),
            Err(Unreceived::TooLarge(limit)) => Err(Miss::TooLarge { status, limit }),
            Err(Unreceived::Means { status, headers, body }) => {
                Err(Miss::Status { status, hint: hint::read(&headers, dates), body })
            }
        }
    }
}

pub(super) const fn is_success(status: u16) -> bool {
    matches!(status, 200..300)
}

/// Reads what a response other than 2xx has to say, for a bounded time.
async fn refusal<T: Transport>(head: Head, mut response: T::Response) -> Miss {
    let mut patience = Timer::at(Some(clock::after(clock::now(), PATIENCE)));
    let body = patience.bound(error_body::<T>(&mut response)).await.ok().flatten();
    let Head { status, hint } = head;
    Miss::Status { status, hint, body }
}
