//! Requests and responses that `tower` services exchange.

use http::{HeaderMap, HeaderName, Method};

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// A finished HTTP request: `http::Request`, or reqwest's. Sealed.
pub trait HttpRequest: sealed::Sealed {
    /// Its method.
    fn method(&self) -> &Method;
    /// Its header fields.
    fn headers(&self) -> &HeaderMap;
}

/// An HTTP response: `http::Response`, or reqwest's. Sealed.
pub trait HttpResponse: sealed::Sealed {
    /// Its status code.
    fn status(&self) -> u16;
    /// Its header fields.
    fn headers(&self) -> &HeaderMap;
    /// What travels with it.
    fn extensions_mut(&mut self) -> &mut http::Extensions;
}

mod sealed {
    #[expect(unnameable_types, reason = "what cannot be named cannot be implemented elsewhere")]
    /// Implemented for the types of `http` and reqwest only.
    pub trait Sealed {}

    impl<B> Sealed for http::Request<B> {}
    impl<B> Sealed for http::Response<B> {}
    impl Sealed for reqwest::Request {}
    impl Sealed for reqwest::Response {}
}

impl<B> HttpRequest for http::Request<B> {
    fn method(&self) -> &Method {
        self.method()
    }

    fn headers(&self) -> &HeaderMap {
        self.headers()
    }
}

impl HttpRequest for reqwest::Request {
    fn method(&self) -> &Method {
        self.method()
    }

    fn headers(&self) -> &HeaderMap {
        self.headers()
    }
}

impl<B> HttpResponse for http::Response<B> {
    fn status(&self) -> u16 {
        self.status().as_u16()
    }

    fn headers(&self) -> &HeaderMap {
        self.headers()
    }

    fn extensions_mut(&mut self) -> &mut http::Extensions {
        self.extensions_mut()
    }
}

impl HttpResponse for reqwest::Response {
    fn status(&self) -> u16 {
        self.status().as_u16()
    }

    fn headers(&self) -> &HeaderMap {
        self.headers()
    }

    fn extensions_mut(&mut self) -> &mut http::Extensions {
        self.extensions_mut()
    }
}

/// Whether sending the request again repeats no effect that its sender did not ask for.
pub(super) fn is_repeatable(request: &impl HttpRequest) -> bool {
    retry_core::http::is_idempotent_method(request.method().as_str())
        || request.headers().contains_key(IDEMPOTENCY_KEY)
}

/// Makes a second copy of a request, if it can be sent twice.
///
/// Closures are this too: they are for bodies that neither [`ByClone`] nor anybody else knows.
pub trait Replay<Q> {
    /// A copy of `request`; `None` where its body can be sent only once.
    fn replay(&self, request: &Q) -> Option<Q>;
}

/// Clones an `http::Request` whose body is `Clone`, and a `reqwest::Request` whose body is not a
/// stream.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "it has no settings")]
pub struct ByClone;

impl<B: Clone> Replay<http::Request<B>> for ByClone {
    fn replay(&self, request: &http::Request<B>) -> Option<http::Request<B>> {
        Some(request.clone())
    }
}

impl Replay<reqwest::Request> for ByClone {
    fn replay(&self, request: &reqwest::Request) -> Option<reqwest::Request> {
        request.try_clone()
    }
}

impl<Q, F: Fn(&Q) -> Option<Q>> Replay<Q> for F {
    fn replay(&self, request: &Q) -> Option<Q> {
        self(request)
    }
}
