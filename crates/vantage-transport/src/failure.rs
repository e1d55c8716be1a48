//! What stopped a request, read back from the error an adapter returned.

use std::error::Error;

use vantage_core::VantageError;

use crate::quoted::unquote;

/// A failed API request, as the fields of the [`VantageError`] it became.
///
/// An adapter's error keeps its details in the context map, where text is
/// stored quoted. This reads them back as values, so that a program matches on
/// a kind instead of searching a message.
///
/// # Examples
///
/// ```
/// use vantage_core::error;
/// use vantage_transport::{FailureKind, RequestFailure};
///
/// let err = error!(
///     "API request failed",
///     url = "https://api.example.com/users",
///     status = 503,
///     attempts = 1,
///     kind = "status"
/// );
/// let failure = RequestFailure::of(&err).unwrap();
/// assert_eq!(failure.kind(), FailureKind::Status(503));
/// assert_eq!(failure.attempts(), 1);
///
/// let other = error!("Two rows in the response share an id", id = "7");
/// assert!(RequestFailure::of(&other).is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestFailure {
    url: String,
    kind: FailureKind,
    attempts: usize,
    body: Option<String>,
    detail: Option<String>,
}

/// What stopped a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FailureKind {
    /// No token could be obtained.
    Auth,
    /// The body of a good answer is longer than the client accepts.
    BodyTooLarge,
    /// The circuit breaker was open; nothing was sent.
    BreakerOpen,
    /// The call's total deadline passed.
    Deadline,
    /// The client was shut down while the call waited.
    Disposed,
    /// A kind this version has no name for.
    Other,
    /// The queue held as many calls as it may.
    QueueFull,
    /// The call waited in the queue as long as it may.
    QueueTimeout,
    /// The request itself is wrong (a malformed URL, an invalid header value);
    /// no retry can help and nothing was sent.
    Request,
    /// An answer with this status arrived.
    Status(u16),
    /// No usable answer arrived.
    Transport,
}

impl FailureKind {
    fn read(name: &str, status: Option<u16>) -> Self {
        match (name, status) {
            ("auth", _) => Self::Auth,
            ("body_too_large", _) => Self::BodyTooLarge,
            ("breaker_open", _) => Self::BreakerOpen,
            ("deadline", _) => Self::Deadline,
            ("disposed", _) => Self::Disposed,
            ("queue_full", _) => Self::QueueFull,
            ("queue_timeout", _) => Self::QueueTimeout,
            ("request", _) => Self::Request,
            ("status", Some(status)) => Self::Status(status),
            ("transport", _) => Self::Transport,
            _ => Self::Other,
        }
    }
}

impl RequestFailure {
    /// The failed request `error` reports, or the nearest one among its
    /// sources; `None` when no API request failed.
    #[must_use]
    pub fn of(error: &VantageError) -> Option<Self> {
        let mut source: Option<&(dyn Error + 'static)> = Some(error);
        while let Some(current) = source {
            if let Some(found) = current.downcast_ref().and_then(Self::read) {
                return Some(found);
            }
            source = current.source();
        }
        None
    }

    fn read(error: &VantageError) -> Option<Self> {
        let value = |key: &str| error.context.get(key);
        let text = |key: &str| value(key).and_then(|quoted| unquote(quoted));
        let status = value("status").and_then(|status| status.parse().ok());
        Some(Self {
            url: text("url")?,
            attempts: value("attempts")?.parse().ok()?,
            kind: FailureKind::read(&text("kind")?, status),
            body: text("body"),
            detail: text("detail"),
        })
    }

    /// The request's URL, its credentials masked.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What stopped the request.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        self.kind
    }

    /// The status of the last answer, when there was one.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        match self.kind {
            FailureKind::Status(status) => Some(status),
            _ => None,
        }
    }

    /// Requests sent.
    #[must_use]
    pub fn attempts(&self) -> usize {
        self.attempts
    }

    /// The start of the last answer's body.
    #[must_use]
    pub fn body(&self) -> Option<&str> {
        self.body.as_deref()
    }

    /// The transport's own words, when no answer arrived.
    #[must_use]
    pub fn detail(&self) -> Option<&str> {
        self.detail.as_deref()
    }
}
