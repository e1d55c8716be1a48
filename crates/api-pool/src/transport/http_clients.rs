//! reqwest as the transport: 0.12 by default, 0.13 by feature. Both speak alike, so both
//! implementations are written once.

use bytes::Bytes;
use http::{HeaderMap, Method};

use super::{Fault, Transport, TransportError, TransportOptions, cause, sealed, text};

/// Redirects followed before a request is given up, as RFC 9110 §15.4 asks clients to detect loops.
const MAX_REDIRECTS: usize = 10;

/// Implements [`Transport`] for the client of one major version.
macro_rules! reqwest_transport {
    ($reqwest:ident) => {
        mod $reqwest {
            use super::{
                Bytes, Fault, HeaderMap, MAX_REDIRECTS, Method, Transport, TransportError,
                TransportOptions, cause, sealed, text,
            };

            impl sealed::Sealed for $reqwest::Client {}

            impl Transport for $reqwest::Client {
                type RequestBuilder = $reqwest::RequestBuilder;
                /// With the client that built it, which need not be the one passed to the closure.
                type Request = (Self, $reqwest::Request);
                type Response = $reqwest::Response;

                fn connect(options: &TransportOptions) -> Result<Self, TransportError> {
                    let mut builder = Self::builder()
                        .retry($reqwest::retry::never())
                        .redirect($reqwest::redirect::Policy::custom(same_origin));
                    if let Some(timeout) = options.request_timeout {
                        builder = builder.timeout(timeout);
                    }
                    builder.build().map_err(into_error)
                }

                fn prepare(
                    &self,
                    builder: Self::RequestBuilder,
                ) -> Result<Self::Request, TransportError> {
                    let (client, request) = builder.build_split();
                    Ok((client, request.map_err(into_error)?))
                }

                fn method((_, request): &Self::Request) -> &Method {
                    request.method()
                }

                fn headers_mut((_, request): &mut Self::Request) -> &mut HeaderMap {
                    request.headers_mut()
                }

                fn send(
                    &self,
                    (client, request): Self::Request,
                ) -> impl Future<Output = Result<Self::Response, TransportError>> + Send + use<>
                {
                    // Started here, so that the future does not hold the request.
                    let pending = client.execute(request);
                    async move { pending.await.map_err(into_error) }
                }

                fn status(response: &Self::Response) -> u16 {
                    response.status().as_u16()
                }

                fn headers(response: &Self::Response) -> &HeaderMap {
                    response.headers()
                }

                fn response_headers_mut(response: &mut Self::Response) -> &mut HeaderMap {
                    response.headers_mut()
                }

                fn content_length(response: &Self::Response) -> Option<u64> {
                    response.content_length()
                }

                async fn chunk(
                    response: &mut Self::Response,
                ) -> Result<Option<Bytes>, TransportError> {
                    response.chunk().await.map_err(into_error)
                }
            }

            /// Follows a redirect only to where the first request went: reqwest takes header fields that it
            /// does not know to be sensitive along to other hosts, ports and schemes. Elsewhere the redirect
            /// is the response.
            fn same_origin(attempt: $reqwest::redirect::Attempt<'_>) -> $reqwest::redirect::Action {
                let same = attempt
                    .previous()
                    .first()
                    .is_some_and(|first| first.origin() == attempt.url().origin());
                if !same {
                    attempt.stop()
                } else if attempt.previous().len() > MAX_REDIRECTS {
                    attempt.error("too many redirects")
                } else {
                    attempt.follow()
                }
            }

            fn into_error(error: $reqwest::Error) -> TransportError {
                let error = error.without_url();
                let fault = if error.is_builder() || error.is_redirect() {
                    Fault::Local
                } else if let Some(fault) = cause::fault(&error) {
                    fault
                } else if error.is_connect() {
                    Fault::Unreachable
                } else if error.is_timeout() {
                    Fault::TimedOut
                } else {
                    Fault::Broken
                };
                TransportError::new(fault, text::chain(&error)).with_source(error)
            }
        }
    };
}

reqwest_transport!(reqwest);
#[cfg(feature = "reqwest013")]
reqwest_transport!(reqwest013);
