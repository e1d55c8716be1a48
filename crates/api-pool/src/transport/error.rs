//! What a transport reports when no response arrived.

use core::fmt;
use std::error::Error as StdError;
use std::sync::Arc;

use crate::fate::Fate;

/// What kept a response from arriving.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fault {
    /// The connection broke, or what came over it is no HTTP, after the request may have left.
    Broken,
    /// The request can never be sent as it is.
    Local,
    /// The server refused the request without acting on it, such as an HTTP/2 stream with
    /// `REFUSED_STREAM` (RFC 9113 §8.7).
    Refused,
    /// The response, or the rest of it, did not arrive in time.
    TimedOut,
    /// No connection could be made, or it was gone before any of the request left.
    Unreachable,
}

impl Fault {
    /// What may have become of a request that was sent once.
    #[must_use]
    pub const fn fate(self) -> Fate {
        match self {
            Self::Local | Self::Refused | Self::Unreachable => Fate::NotSent,
            Self::Broken | Self::TimedOut => Fate::MaybeProcessed,
        }
    }
}

/// A request that got no response, or a body that did not end.
///
/// The text names the causes, outermost first, and never the URL or what the server wrote. A source
/// that would show either is left out.
#[derive(Clone, Debug)]
pub struct TransportError {
    fault: Fault,
    fate: Fate,
    text: String,
    source: Option<Arc<dyn StdError + Send + Sync>>,
}

impl TransportError {
    /// An error with a text for people.
    #[must_use]
    pub fn new(fault: Fault, text: impl Into<String>) -> Self {
        Self { fault, fate: fault.fate(), text: text.into(), source: None }
    }

    /// An error on the way that a redirect had shown: the server has seen the request before.
    pub(crate) fn redirected(mut self) -> Self {
        self.fate = Fate::MaybeProcessed;
        self
    }

    pub(crate) fn with_source(mut self, source: impl StdError + Send + Sync + 'static) -> Self {
        self.source = Some(Arc::new(source));
        self
    }

    /// What kept the response from arriving.
    #[must_use]
    pub const fn fault(&self) -> Fault {
        self.fault
    }

    /// What may have become of the request. After a redirect that was followed, more than the
    /// fault alone says: the request had arrived once.
    #[must_use]
    pub const fn fate(&self) -> Fate {
        self.fate
    }

    pub(crate) fn into_parts(self) -> (Fault, String, Option<Arc<dyn StdError + Send + Sync>>) {
        (self.fault, self.text, self.source)
    }
}

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl StdError for TransportError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        // What is in the `Arc`, not the `Arc`, which is an error too.
        Some(&**self.source.as_ref()?)
    }
}
