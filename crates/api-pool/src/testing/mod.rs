//! For tests without sockets: a transport that answers from a script, and futures dropped half-way.
//!
//! With a paused Tokio clock, time in such a test is exact: waits take no real time and their
//! lengths can be asserted with `==`.
//!
//! # Examples
//!
//! ```
//! use std::time::Duration;
//! use api_pool::testing::{Reply, Script};
//! use api_pool::{ResilientClient, RetryPolicy};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap()
//! # .block_on(async {
//! let script = Script::new([Reply::status(503), Reply::ok("hello")]);
//! let client = ResilientClient::builder().transport(script.clone()).build();
//!
//! let response = client.execute(|http| http.get("http://api.test/greeting")).await.unwrap();
//!
//! assert_eq!(response.status(), 200);
//! assert_eq!(script.requests().len(), 2);
//! script.assert_finished();
//! # });
//! ```

mod cancel;
mod reply;
mod request;
mod response;

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, Method};

pub use self::cancel::{CancelAt, pending_count};
pub use self::reply::Reply;
pub use self::request::{Request, RequestBuilder};
pub use self::response::Response;
use crate::clock;
use crate::sync::{Mutex, lock};
use crate::transport::{Address, Fault, Transport, TransportError, TransportOptions, sealed};

/// A transport whose replies are written beforehand, or computed from each request.
///
/// Clones share the script and the record of requests.
#[derive(Clone)]
pub struct Script {
    shared: Arc<Mutex<Shared>>,
}

struct Shared {
    source: Source,
    requests: Vec<Request>,
}

/// Where replies come from.
enum Source {
    List(VecDeque<Reply>),
    Function(Box<dyn FnMut(&Request) -> Reply + Send>),
}

impl Script {
    /// Answers the requests with these replies, in order. A request after the last one fails for
    /// good.
    pub fn new(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self::over(Source::List(replies.into_iter().collect()))
    }

    /// Answers each request with what `reply` returns for it.
    pub fn answering(reply: impl FnMut(&Request) -> Reply + Send + 'static) -> Self {
        Self::over(Source::Function(Box::new(reply)))
    }

    fn over(source: Source) -> Self {
        Self { shared: Arc::new(Mutex::new(Shared { source, requests: Vec::new() })) }
    }

    /// The requests sent so far, in order.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        lock(&self.shared).requests.clone()
    }

    /// Checks that every reply of the list was used.
    ///
    /// # Panics
    ///
    /// If one was not.
    #[track_caller]
    pub fn assert_finished(&self) {
        if let Source::List(replies) = &lock(&self.shared).source {
            assert!(replies.is_empty(), "{} replies were not asked for", replies.len());
        }
    }

    /// Builds a `GET` request.
    pub fn get(&self, url: impl Into<String>) -> RequestBuilder {
        self.request(Method::GET, url)
    }

    /// Builds a `POST` request.
    pub fn post(&self, url: impl Into<String>) -> RequestBuilder {
        self.request(Method::POST, url)
    }

    /// Builds a request.
    pub fn request(&self, method: Method, url: impl Into<String>) -> RequestBuilder {
        RequestBuilder::new(method, url.into())
    }

    fn next(&self, request: Request) -> Result<Reply, TransportError> {
        let mut shared = lock(&self.shared);
        let reply = match &mut shared.source {
            Source::List(replies) => replies
                .pop_front()
                .ok_or_else(|| TransportError::new(Fault::Local, "the script has no more replies")),
            Source::Function(reply) => Ok(reply(&request)),
        };
        shared.requests.push(request);
        reply
    }
}

impl core::fmt::Debug for Script {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Script")
            .field("requests", &lock(&self.shared).requests.len())
            .finish_non_exhaustive()
    }
}

impl sealed::Sealed for Script {}

impl Transport for Script {
    type RequestBuilder = RequestBuilder;
    type Request = Request;
    type Response = Response;
    type Error = TransportError;

    const MAY_REDIRECT: bool = false;

    fn connect(_: &TransportOptions) -> Result<Self, TransportError> {
        Ok(Self::new([]))
    }

    fn prepare(&self, builder: RequestBuilder) -> Result<Request, TransportError> {
        builder.build()
    }

    fn method(request: &Request) -> &Method {
        request.method()
    }

    fn address(request: &Request) -> Address<'_> {
        request.address()
    }

    fn headers_mut(request: &mut Request) -> &mut HeaderMap {
        request.headers_mut()
    }

    fn send(
        &self,
        request: Request,
    ) -> impl Future<Output = Result<Response, TransportError>> + Send + use<> {
        let reply = self.next(request);
        async move {
            let (latency, outcome) = reply?.into_parts();
            match latency {
                Some(latency) if latency.is_zero() => (),
                Some(latency) => clock::sleep(latency).await,
                None => std::future::pending().await,
            }
            outcome
        }
    }

    fn explain(error: TransportError) -> TransportError {
        error
    }

    fn status(response: &Response) -> u16 {
        response.status()
    }

    fn headers(response: &Response) -> &HeaderMap {
        response.headers()
    }

    fn response_headers_mut(response: &mut Response) -> &mut HeaderMap {
        response.headers_mut()
    }

    fn content_length(response: &Response) -> Option<u64> {
        response.content_length()
    }

    async fn chunk(response: &mut Response) -> Result<Option<Bytes>, TransportError> {
        response.chunk().await
    }
}
