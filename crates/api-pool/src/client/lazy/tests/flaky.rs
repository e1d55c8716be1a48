//! An HTTP client that cannot be set up at first.

use std::cell::Cell;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method};

use crate::testing::{Request, RequestBuilder, Response, Script};
use crate::transport::{Address, Fault, Transport, TransportError, TransportOptions, sealed};
use crate::{
    BreakerState, CallPolicy, Fate, ResilientClient, ResilientClientBuilder, RetryPolicy,
    StopReason,
};

thread_local! {
    /// How many attempts to set it up still fail, and how many were made.
    static FAILURES: Cell<usize> = const { Cell::new(0) };
    static CONNECTS: Cell<usize> = const { Cell::new(0) };
}

/// A script that answers 200, once it is set up.
#[derive(Clone)]
struct Flaky(Script);

impl sealed::Sealed for Flaky {}

impl Transport for Flaky {
    type RequestBuilder = RequestBuilder;
    type Request = Request;
    type Response = Response;
    type Error = TransportError;

    const MAY_REDIRECT: bool = false;

    fn connect(_: &TransportOptions) -> Result<Self, TransportError> {
        CONNECTS.set(CONNECTS.get() + 1);
        match FAILURES.get().checked_sub(1) {
            Some(left) => {
                FAILURES.set(left);
                Err(TransportError::new(Fault::Local, "no proxy"))
            }
            None => Ok(Self(Script::answering(|_| crate::testing::Reply::ok("fine")))),
        }
    }

    fn prepare(&self, builder: RequestBuilder) -> Result<Request, TransportError> {
        self.0.prepare(builder)
    }

    fn method(request: &Request) -> &Method {
        Script::method(request)
    }

    fn address(request: &Request) -> Address<'_> {
        Script::address(request)
    }

    fn headers_mut(request: &mut Request) -> &mut HeaderMap {
        Script::headers_mut(request)
    }

    fn send(
        &self,
        request: Request,
    ) -> impl Future<Output = Result<Response, TransportError>> + Send + use<> {
        self.0.send(request)
    }

    fn explain(error: TransportError) -> TransportError {
        error
    }

    fn status(response: &Response) -> u16 {
        Script::status(response)
    }

    fn headers(response: &Response) -> &HeaderMap {
        Script::headers(response)
    }

    fn response_headers_mut(response: &mut Response) -> &mut HeaderMap {
        Script::response_headers_mut(response)
    }

    fn content_length(response: &Response) -> Option<u64> {
        Script::content_length(response)
    }

    async fn chunk(response: &mut Response) -> Result<Option<Bytes>, TransportError> {
        Script::chunk(response).await
    }
}

/// A client whose transport cannot be set up so many times.
fn failing(times: usize) -> ResilientClientBuilder<Flaky> {
    FAILURES.set(times);
    CONNECTS.set(0);
    ResilientClient::builder().default_transport::<Flaky>().entropy(|| 0)
}

fn get(http: &Flaky) -> RequestBuilder {
    http.0.get("http://api.test/airports")
}

#[tokio::test(start_paused = true)]
async fn a_client_that_could_not_be_set_up_is_tried_again_by_the_retry() {
    let client = failing(2).build();

    client.execute(get).await.expect("the third attempt sets it up");
    client.execute(get).await.expect("it stays set up");

    assert_eq!(CONNECTS.get(), 3);
}

#[tokio::test(start_paused = true)]
async fn the_error_says_what_failed_and_that_nothing_was_sent() {
    let client = failing(1).build();

    let error = client.execute_with(&CallPolicy::background(), get).await.unwrap_err();

    let text = "building the HTTP client failed: no proxy after 1 attempt";
    assert_eq!((error.to_string().as_str(), error.kind_name()), (text, "transport"));
    assert_eq!((error.fate(), error.is_final()), (Fate::NotSent, false));
    assert_eq!(error.stop_reason(), Some(&StopReason::Attempts { made: 1 }));
    client.execute_with(&CallPolicy::background(), get).await.expect("the failure is not kept");
}

#[tokio::test(start_paused = true)]
async fn it_counts_against_the_server_as_no_answer_does() {
    let client = failing(2).circuit_breaker(2, Duration::from_secs(5)).build();
    let policy = RetryPolicy::new(1, Duration::from_millis(50), Duration::from_secs(1));

    let error = client.execute_with(&CallPolicy::bounded(policy), get).await.unwrap_err();

    assert_eq!(error.attempts, 2);
    assert!(matches!(client.breaker_state(), Some(BreakerState::Open { .. })));
    client.execute_with(&CallPolicy::essential(), get).await.expect("the probe sets it up");
    assert_eq!(client.breaker_state(), Some(BreakerState::Closed));
}
