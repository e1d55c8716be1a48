//! reqwest as the transport: 0.12 by default, 0.13 by feature. Both speak alike, so both
//! implementations are written once.

use std::error::Error;

use bytes::Bytes;
use http::{HeaderMap, Method};

use super::{
    Address, Fault, Transport, TransportError, TransportOptions, cause, redirects, sealed, text,
};

/// Implements [`Transport`] for the client of one major version.
macro_rules! reqwest_transport {
    ($reqwest:ident) => {
        pub(crate) mod $reqwest {
            use super::{
                Address, Bytes, Error, Fault, HeaderMap, Method, Transport, TransportError,
                TransportOptions, cause, redirects, sealed, text,
            };

            impl sealed::Sealed for $reqwest::Client {}

            impl Transport for $reqwest::Client {
                type RequestBuilder = $reqwest::RequestBuilder;
                /// With the client that built it, which need not be the one passed to the closure.
                type Request = (Self, $reqwest::Request);
                type Response = $reqwest::Response;
                type Error = $reqwest::Error;

                const MAY_REDIRECT: bool = true;

                fn connect(options: &TransportOptions) -> Result<Self, TransportError> {
                    settings(options).build().map_err(into_error)
                }

                #[inline(always)]
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

                fn address((_, request): &Self::Request) -> Address<'_> {
                    address_of(request)
                }

                fn headers_mut((_, request): &mut Self::Request) -> &mut HeaderMap {
                    request.headers_mut()
                }

                #[inline(always)]
                fn send(
                    &self,
                    (client, request): Self::Request,
                ) -> impl Future<Output = Result<Self::Response, Self::Error>> + Send + use<>
                {
                    // Started here, so that the future does not hold the request.
                    client.execute(request)
                }

                fn explain(error: Self::Error) -> TransportError {
                    into_error(error)
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

            /// Where a request goes.
            pub(crate) fn address_of(request: &$reqwest::Request) -> Address<'_> {
                let url = request.url();
                let host = url.host_str().unwrap_or_default();
                Address::new(url.scheme(), host, url.port_or_known_default())
            }

            /// A client without hidden retries that takes nothing to another origin.
            pub(in crate::transport) fn settings(
                options: &TransportOptions,
            ) -> $reqwest::ClientBuilder {
                let builder = $reqwest::Client::builder()
                    .retry($reqwest::retry::never())
                    .redirect($reqwest::redirect::Policy::custom(redirect));
                match options.request_timeout {
                    Some(timeout) => builder.timeout(timeout),
                    None => builder,
                }
            }

            fn redirect(attempt: $reqwest::redirect::Attempt<'_>) -> $reqwest::redirect::Action {
                let (next, previous) = (attempt.url().origin(), attempt.previous());
                let same_origin = previous.first().is_some_and(|first| first.origin() == next);
                match redirects::judge(same_origin, previous.len()) {
                    redirects::Verdict::Follow => attempt.follow(),
                    redirects::Verdict::GiveUp => attempt.error("too many redirects"),
                    redirects::Verdict::Stop => attempt.stop(),
                }
            }

            /// Whether a cause shows a URL, which may hold secrets and cannot be taken out of it.
            fn names_url(error: &$reqwest::Error) -> bool {
                let causes = core::iter::successors(error.source(), |&cause| cause.source());
                let mut inner = causes.filter_map(|cause| cause.downcast_ref::<$reqwest::Error>());
                inner.any(|cause| cause.url().is_some())
            }

            /// What the error says about how far the request got.
            pub(in crate::transport) fn fault_of(error: &$reqwest::Error) -> Fault {
                if error.is_builder() || error.is_redirect() {
                    Fault::Local
                } else if let Some(fault) = cause::fault(error) {
                    fault
                } else if error.is_connect() {
                    Fault::Unreachable
                } else if error.is_timeout() {
                    Fault::TimedOut
                } else {
                    Fault::Broken
                }
            }

            /// The error without its URL.
            pub(crate) fn into_error(error: $reqwest::Error) -> TransportError {
                let error = error.without_url();
                // Only an answer redirects: the server has seen the request.
                if error.is_redirect() { told(error).redirected() } else { told(error) }
            }

            fn told(error: $reqwest::Error) -> TransportError {
                let fault = fault_of(&error);
                if names_url(&error) {
                    return TransportError::new(fault, error.to_string());
                }
                let told = TransportError::new(fault, text::chain(&error));
                if cause::quotes_server(&error) { told } else { told.with_source(error) }
            }

            /// The error as it is, but for any URL and for what the server wrote.
            pub(super) fn discreet(error: $reqwest::Error) -> Box<dyn Error + Send + Sync> {
                let error = error.without_url();
                let tells = names_url(&error) || cause::quotes_server(&error);
                if tells { error.to_string().into() } else { error.into() }
            }
        }
    };
}

reqwest_transport!(reqwest);
#[cfg(feature = "reqwest013")]
reqwest_transport!(reqwest013);

/// `error` without its URL and what the server wrote, if it is one of reqwest's.
pub(crate) fn discreet(error: Box<dyn Error + Send + Sync>) -> Box<dyn Error + Send + Sync> {
    let error = match error.downcast() {
        Ok(error) => return reqwest::discreet(*error),
        Err(other) => other,
    };
    #[cfg(feature = "reqwest013")]
    let error = match error.downcast() {
        Ok(error) => return reqwest013::discreet(*error),
        Err(other) => other,
    };
    error
}

/// Whether `error` itself is one of reqwest's.
#[cfg(feature = "anyhow")]
pub(crate) fn is_reqwest(error: &(dyn Error + Send + Sync + 'static)) -> bool {
    #[cfg(feature = "reqwest013")]
    if error.is::<::reqwest013::Error>() {
        return true;
    }
    error.is::<::reqwest::Error>()
}
