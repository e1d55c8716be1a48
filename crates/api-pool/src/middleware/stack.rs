//! The stacks of `reqwest-middleware`, one for each line of reqwest, written once.

use http::{Extensions, HeaderMap, Method};

use crate::transport::{Address, Transport};

/// A client of reqwest that stands below a stack of `reqwest-middleware`.
///
/// With feature `reqwest-middleware` that of reqwest 0.12 and `reqwest-middleware` 0.4, with
/// feature `reqwest013-middleware` that of 0.13 and 0.5. Sealed.
pub trait MiddlewareStack: Transport {
    /// A request as the middlewares see it.
    type Finished: Send + 'static;

    /// A copy of the request; `None` if its body can be sent only once.
    fn copy(request: &Self::Finished) -> Option<Self::Finished>;

    /// The method of a finished request.
    fn method_of(request: &Self::Finished) -> &Method;

    /// Where a finished request goes.
    fn address_of(request: &Self::Finished) -> Address<'_>;

    /// The header fields of a finished request.
    fn headers_of(request: &mut Self::Finished) -> &mut HeaderMap;

    /// A response with nothing in it.
    fn nothing() -> Self::Response;

    /// The extensions of a response.
    fn extensions_of(response: &mut Self::Response) -> &mut Extensions;
}

/// Implements the stack of one line of reqwest, and the middleware for it.
macro_rules! stack {
    ($reqwest:ident, $middleware:ident) => {
        mod $reqwest {
            use std::pin::pin;

            use bytes::Bytes;
            use http::{Extensions, HeaderMap, Method};
            use $middleware::{Error, Middleware, Next, Result};

            use super::MiddlewareStack;
            use crate::error::replay::BodyNotRepeatable;
            use crate::middleware::handoff::{Desk, Errand, Handoff};
            use crate::middleware::{PoolMiddleware, Template, Unanswered, conclude};
            use crate::transport::http_clients::$reqwest as line;
            use crate::transport::{Address, Fault, TransportError};

            impl MiddlewareStack for $reqwest::Client {
                type Finished = $reqwest::Request;

                fn copy(request: &Self::Finished) -> Option<Self::Finished> {
                    request.try_clone()
                }

                fn method_of(request: &Self::Finished) -> &Method {
                    request.method()
                }

                fn address_of(request: &Self::Finished) -> Address<'_> {
                    line::address_of(request)
                }

                fn headers_of(request: &mut Self::Finished) -> &mut HeaderMap {
                    request.headers_mut()
                }

                fn nothing() -> Self::Response {
                    http::Response::new(Bytes::new()).into()
                }

                fn extensions_of(response: &mut Self::Response) -> &mut Extensions {
                    response.extensions_mut()
                }
            }

            #[async_trait::async_trait]
            impl Middleware for PoolMiddleware<$reqwest::Client> {
                async fn handle(
                    &self,
                    request: $reqwest::Request,
                    extensions: &mut Extensions,
                    next: Next<'_>,
                ) -> Result<$reqwest::Response> {
                    let template = Template::of(request);
                    let policy = template.policy(extensions.get().unwrap_or(&self.policy));
                    let (desk, mut errands) = Desk::open();
                    let build = |_: &Handoff<_>| template.parcel(&desk);
                    let mut call = pin!(self.client.execute_with(&policy, build));
                    // The call decides and waits, this loop sends for it. Dropping it drops both.
                    let outcome = loop {
                        let errand = tokio::select! {
                            biased;
                            outcome = &mut call => break outcome,
                            Some(errand) = errands.recv() => errand,
                        };
                        let Errand { request, mut reply } = errand;
                        let sending = next.clone().run(request, extensions);
                        tokio::select! {
                            biased;
                            outcome = &mut call => break outcome,
                            // The attempt timed out, and the call goes on.
                            () = reply.closed() => (),
                            arrived = sending => {
                                // One who no longer listens has given up.
                                let _ = reply.send(arrived.map_err(into_error));
                            }
                        }
                    };
                    conclude(outcome, &template, &desk).map_err(|error| match error {
                        Unanswered::Ended(error) => Error::middleware(error),
                        Unanswered::Once(error) => {
                            let error = anyhow::Error::new(error).context(BodyNotRepeatable);
                            Error::Middleware(error)
                        }
                    })
                }
            }

            /// What the rest of the stack reports.
            fn into_error(error: Error) -> TransportError {
                match error {
                    Error::Reqwest(error) => line::into_error(error),
                    // Its text is its own, and nobody knows whether it sent anything.
                    error @ Error::Middleware(_) => {
                        TransportError::new(Fault::Broken, "a middleware failed").with_source(error)
                    }
                }
            }
        }
    };
}

#[cfg(feature = "reqwest-middleware")]
stack!(reqwest, reqwest_middleware);
#[cfg(feature = "reqwest013-middleware")]
stack!(reqwest013, reqwest013_middleware);
