//! What a scripted transport is sent.

use core::fmt;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};

use crate::transport::{Address, Fault, TransportError};

/// A request as the script received it.
///
/// `Debug` shows where it went, the names of its header fields and the length of its body: what
/// else there is may be a secret, here as in a request that was really sent.
#[derive(Clone)]
pub struct Request {
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
}

impl Request {
    /// The method.
    #[must_use]
    pub const fn method(&self) -> &Method {
        &self.method
    }

    /// The URL.
    #[must_use]
    pub const fn uri(&self) -> &Uri {
        &self.uri
    }

    /// The header fields, credentials included.
    #[must_use]
    pub const fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// The body.
    #[must_use]
    pub const fn body(&self) -> &Bytes {
        &self.body
    }

    pub(super) fn address(&self) -> Address<'_> {
        address(&self.uri)
    }

    pub(super) const fn headers_mut(&mut self) -> &mut HeaderMap {
        &mut self.headers
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("method", &self.method)
            .field("address", &self.address())
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .field("body", &format_args!("{} bytes", self.body.len()))
            .finish()
    }
}

fn address(uri: &Uri) -> Address<'_> {
    let scheme = uri.scheme_str().unwrap_or_default();
    let known = match scheme {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    };
    Address::new(scheme, uri.host().unwrap_or_default(), uri.port_u16().or(known))
}

/// Builds a [`Request`]. A malformed part fails the call, once and for good, as it does with a
/// real client.
///
/// `Debug` shows what that of [`Request`] does, and of a malformed URL nothing.
#[must_use = "a request builder does nothing until it is sent"]
pub struct RequestBuilder {
    method: Method,
    url: String,
    headers: Result<HeaderMap, TransportError>,
    body: Bytes,
}

impl RequestBuilder {
    pub(super) fn new(method: Method, url: String) -> Self {
        Self { method, url, headers: Ok(HeaderMap::new()), body: Bytes::new() }
    }

    /// Adds a header field.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        if let Ok(headers) = &mut self.headers {
            match (HeaderName::try_from(name), HeaderValue::try_from(value)) {
                (Ok(name), Ok(value)) => {
                    headers.append(name, value);
                }
                _ => self.headers = Err(TransportError::new(Fault::Local, "invalid header field")),
            }
        }
        self
    }

    /// Sets the body.
    pub fn body(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self
    }

    pub(super) fn build(self) -> Result<Request, TransportError> {
        let uri = Uri::try_from(&self.url).map_err(|error| {
            TransportError::new(Fault::Local, "malformed URL").with_source(error)
        })?;
        Ok(Request { method: self.method, uri, headers: self.headers?, body: self.body })
    }
}

impl fmt::Debug for RequestBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let uri = Uri::try_from(&self.url).ok();
        let names = self.headers.as_ref().map(|headers| headers.keys().collect::<Vec<_>>());
        f.debug_struct("RequestBuilder")
            .field("method", &self.method)
            .field("address", &uri.as_ref().map(address))
            .field("headers", &names)
            .field("body", &format_args!("{} bytes", self.body.len()))
            .finish()
    }
}
