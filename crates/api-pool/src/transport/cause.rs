//! Reads the fault out of the causes of an HTTP library's error.

use core::iter::successors;
use std::error::Error as StdError;
use std::io;

use super::Fault;

/// What the causes of an error say about the request, where they say anything.
pub(super) fn fault(error: &(dyn StdError + 'static)) -> Option<Fault> {
    let mut next = error.source();
    while let Some(cause) = next {
        let inner = cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        let inner = inner.map(|inner| inner as &(dyn StdError + 'static));
        if let Some(fault) = inner.and_then(of_cause).or_else(|| of_cause(cause)) {
            return Some(fault);
        }
        // An `io::Error` answers `source` with the source of what it wraps.
        next = inner.or_else(|| cause.source());
    }
    None
}

/// Whether a cause shows what the server wrote.
pub(super) fn quotes_server(error: &(dyn StdError + 'static)) -> bool {
    successors(error.source(), |&cause| cause.source()).any(|cause| unquoted(cause).is_some())
}

/// What can be told of a cause that shows what the server wrote, which may be what it was sent: a
/// `GOAWAY` has room for any text (RFC 9113 §6.8).
#[cfg(feature = "http2")]
pub(super) fn unquoted(cause: &(dyn StdError + 'static)) -> Option<String> {
    let error: &h2::Error = cause.downcast_ref()?;
    let reason = error.reason()?.to_string();
    let quotes = error.is_go_away() && error.is_remote() && !error.to_string().ends_with(&reason);
    quotes.then(|| format!("connection error received: {reason}"))
}

/// As with HTTP/2. Whoever else asks reqwest for that brings an error whose type has no name here;
/// it shows bytes as they are written in Rust.
#[cfg(not(feature = "http2"))]
pub(super) fn unquoted(cause: &(dyn StdError + 'static)) -> Option<String> {
    let text = cause.to_string();
    let (unquoted, _) = text.split_once(" (b\"")?;
    Some(unquoted.to_owned())
}

fn of_cause(cause: &(dyn StdError + 'static)) -> Option<Fault> {
    tls(cause).or_else(|| http2(cause)).or_else(|| unstarted(cause)).or_else(|| unsendable(cause))
}

/// A certificate that is not trusted stays untrusted. Everything else that ends a handshake may
/// pass.
#[cfg(feature = "rustls")]
fn tls(cause: &(dyn StdError + 'static)) -> Option<Fault> {
    match cause.downcast_ref()? {
        rustls_crate::Error::InvalidCertificate(_)
        | rustls_crate::Error::UnsupportedNameType
        | rustls_crate::Error::NoCertificatesPresented => Some(Fault::Local),
        _ => None,
    }
}

#[cfg(not(feature = "rustls"))]
fn tls(_: &(dyn StdError + 'static)) -> Option<Fault> {
    None
}

/// `REFUSED_STREAM` promises that nothing was done (RFC 9113 §8.7). So does a `GOAWAY` without an
/// error, which names the last stream that was (§6.8): streams above it are the ones to fail.
#[cfg(feature = "http2")]
fn http2(cause: &(dyn StdError + 'static)) -> Option<Fault> {
    let error: &h2::Error = cause.downcast_ref()?;
    let refused = error.is_remote()
        && match error.reason() {
            Some(h2::Reason::REFUSED_STREAM) => true,
            Some(h2::Reason::NO_ERROR) => error.is_go_away(),
            _ => false,
        };
    refused.then_some(Fault::Refused)
}

#[cfg(not(feature = "http2"))]
fn http2(_: &(dyn StdError + 'static)) -> Option<Fault> {
    None
}

/// A connection that ended before it took the request up cancels it, whole.
fn unstarted(cause: &(dyn StdError + 'static)) -> Option<Fault> {
    let error: &hyper::Error = cause.downcast_ref()?;
    error.is_canceled().then_some(Fault::Unreachable)
}

/// The connector refuses `https` when no TLS is compiled in, and the client a version or a method
/// that it cannot speak. Their errors have no type, or one that says nothing.
fn unsendable(cause: &(dyn StdError + 'static)) -> Option<Fault> {
    let text = cause.to_string();
    let unsendable =
        text.ends_with("scheme is not http") || text.starts_with("client error (UserUnsupported");
    unsendable.then_some(Fault::Local)
}

#[cfg(test)]
mod tests;
