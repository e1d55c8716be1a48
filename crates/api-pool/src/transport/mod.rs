//! The seam between a client and the wire.

mod address;
mod cause;
mod error;
pub(crate) mod http_clients;
pub(crate) mod redirects;
mod text;

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method};

pub use self::{
    address::Address,
    error::{Fault, TransportError},
};

/// What an error of reqwest says about how far its request got; `None` for any other error.
#[cfg(feature = "tower")]
pub(crate) fn fault_of(error: &dyn std::any::Any) -> Option<Fault> {
    #[cfg(feature = "reqwest013")]
    if let Some(error) = error.downcast_ref() {
        return Some(http_clients::reqwest013::fault_of(error));
    }
    error.downcast_ref().map(http_clients::reqwest::fault_of)
}

/// How a transport of the client's own is set up, when none was given.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TransportOptions {
    /// The limit of a whole request, body included.
    pub request_timeout: Option<Duration>,
}

pub(crate) mod sealed {
    #[expect(unnameable_types, reason = "what cannot be named cannot be implemented elsewhere")]
    /// Implemented by the transports of this crate only: what a transport must report may grow.
    pub trait Sealed {}
}

/// Builds a request with a transport.
pub(crate) type Build<'f, T> = &'f (dyn Fn(&T) -> <T as Transport>::RequestBuilder + 'f);

/// Sends requests for a [`ResilientClient`](crate::ResilientClient).
///
/// Implemented for `reqwest::Client` of reqwest 0.12, with feature `reqwest013` for that of 0.13,
/// and with feature `testing` for [`testing::Script`](crate::testing::Script). Sealed.
pub trait Transport: sealed::Sealed + Clone + Send + Sync + 'static {
    /// What the closure of a call returns.
    type RequestBuilder;
    /// A request that is ready to be sent.
    type Request: Send;
    /// A response whose body has not been read.
    type Response: Send;
    /// Why no response head arrived, in the HTTP client's own words.
    type Error: Send;

    /// Whether one that a user sets up may follow redirects unseen, so that a request which failed
    /// on its last leg may have arrived on an earlier one.
    const MAY_REDIRECT: bool;

    /// Sets up a transport of the client's own.
    ///
    /// # Errors
    ///
    /// Whatever keeps it from being set up, such as an unreadable proxy setting.
    fn connect(options: &TransportOptions) -> Result<Self, TransportError>;

    /// Finishes a request.
    ///
    /// # Errors
    ///
    /// A request that can never be sent, such as one with a malformed URL.
    fn prepare(&self, builder: Self::RequestBuilder) -> Result<Self::Request, TransportError>;

    /// The method of a request.
    fn method(request: &Self::Request) -> &Method;

    /// Where a request goes.
    fn address(request: &Self::Request) -> Address<'_>;

    /// The header fields of a request.
    fn headers_mut(request: &mut Self::Request) -> &mut HeaderMap;

    /// Sends a request and waits for the head of its response.
    ///
    /// # Errors
    ///
    /// No response head arrived.
    fn send(
        &self,
        request: Self::Request,
    ) -> impl Future<Output = Result<Self::Response, Self::Error>> + Send + use<Self>;

    /// What it means that no response head arrived.
    fn explain(error: Self::Error) -> TransportError;

    /// The status code of a response.
    fn status(response: &Self::Response) -> u16;

    /// The header fields of a response.
    fn headers(response: &Self::Response) -> &HeaderMap;

    /// The header fields of a response, to be taken.
    fn response_headers_mut(response: &mut Self::Response) -> &mut HeaderMap;

    /// The length of the body, where the head tells it.
    fn content_length(response: &Self::Response) -> Option<u64>;

    /// The next part of the body; `None` at its end.
    ///
    /// # Errors
    ///
    /// The body was cut off or stalled.
    fn chunk(
        response: &mut Self::Response,
    ) -> impl Future<Output = Result<Option<Bytes>, TransportError>> + Send;
}

#[cfg(all(test, any(feature = "http2", feature = "rustls")))]
mod tests;
