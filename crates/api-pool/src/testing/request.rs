//! What a scripted transport is sent.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};

use crate::transport::{Address, Fault, TransportError};

/// A request as the script received it.
#[derive(Clone, Debug)]
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
        let scheme = self.uri.scheme_str().unwrap_or_default();
        let known = match scheme {
            "http" => Some(80),
            "https" => Some(443),
            _ => None,
        };
        let host = self.uri.host().unwrap_or_default();
        Address::new(scheme, host, self.uri.port_u16().or(known))
    }

    pub(super) const fn headers_mut(&mut self) -> &mut HeaderMap {
        &mut self.headers
    }
}

/// Builds a [`Request`]. A malformed part fails the call, once and for good, as it does with a
/// real client.
#[derive(Debug)]
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
