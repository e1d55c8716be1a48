//! Why a call ended without a usable response.

mod history;
#[cfg(any(feature = "reqwest-middleware", feature = "reqwest013-middleware", feature = "tower"))]
pub(crate) mod replay;

use core::fmt;
use std::error::Error as StdError;
use std::sync::Arc;

use retry_core::StopReason;

pub use self::history::{AttemptRecord, History};
use crate::fate::Fate;

/// What ended a call, or an attempt of it. Match on this, never on the text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No token could be had; the text is the token source's own.
    Auth(String),
    /// The body of a 2xx is longer than the client accepts; the limit in bytes.
    BodyTooLarge(usize),
    /// The breaker is shut; nothing was sent.
    BreakerOpen,
    /// The call's deadline passed.
    Deadline,
    /// The queue was closed while the call waited in it, or before.
    Disposed,
    /// The queue was full; nothing was sent.
    QueueFull,
    /// The call waited in the queue for as long as it may; nothing was sent.
    QueueTimeout,
    /// The request cannot be sent as it is, now or later: a malformed URL, an invalid header, a
    /// redirect loop, an untrusted certificate. Neither retried nor held against the server.
    Request(String),
    /// The server answered with this status, not 2xx.
    Status(u16),
    /// No complete answer arrived. The text names no URL.
    Transport(String),
}

impl ErrorKind {
    /// The kind as one word, for logs, labels and tests.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Auth(_) => "auth",
            Self::BodyTooLarge(_) => "body_too_large",
            Self::BreakerOpen => "breaker_open",
            Self::Deadline => "deadline",
            Self::Disposed => "disposed",
            Self::QueueFull => "queue_full",
            Self::QueueTimeout => "queue_timeout",
            Self::Request(_) => "request",
            Self::Status(_) => "status",
            Self::Transport(_) => "transport",
        }
    }

    /// The fate that follows from the kind alone, before a transport says more.
    const fn fate(&self) -> Fate {
        match self {
            Self::Auth(_)
            | Self::BreakerOpen
            | Self::Disposed
            | Self::QueueFull
            | Self::QueueTimeout
            | Self::Request(_) => Fate::NotSent,
            Self::Deadline | Self::Transport(_) => Fate::MaybeProcessed,
            Self::BodyTooLarge(_) | Self::Status(_) => Fate::Processed,
        }
    }
}

/// A call, or an attempt of one, that ended without a usable response.
///
/// Two errors are equal when kind, number of attempts and body are. The text never holds the
/// body, a URL or a credential, apart from what a token source says in its own words; `Debug` shows
/// the body's length.
///
/// # Examples
///
/// ```
/// use api_pool::{ClientError, ErrorKind};
///
/// let error = ClientError::new(ErrorKind::Status(503), 3);
/// assert_eq!(error.to_string(), "HTTP 503 after 3 attempts");
/// assert_eq!(error.status(), Some(503));
/// assert_eq!(error.kind_name(), "status");
/// assert!(!error.is_final());
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct ClientError {
    /// What ended the call.
    pub kind: ErrorKind,
    /// Retries made, plus 1; for a call that the breaker refused, the attempts really made.
    pub attempts: usize,
    /// The start of the last non-2xx body: at most 2,048 bytes, decoded lossily, cut at a
    /// character. `None` where it was empty or could not be read.
    ///
    /// A token that the client itself sent is replaced by `…` where a server repeats it, and so is a
    /// header value that the caller marked as sensitive, as reqwest's `bearer_auth` and
    /// `basic_auth` do, and each part of one; [`redact`](crate::ResilientClient::redact) tells more.
    /// What else is on the request is not looked for.
    pub body: Option<String>,
    detail: Option<Box<Detail>>,
}

/// What is known beyond the kind. Boxed: most errors of most programs carry none.
#[derive(Clone, Default)]
struct Detail {
    fate: Option<Fate>,
    stop: Option<StopReason>,
    history: History,
    source: Option<Arc<dyn StdError + Send + Sync>>,
}

impl ClientError {
    /// An error of this kind after `attempts` attempts.
    #[must_use]
    pub const fn new(kind: ErrorKind, attempts: usize) -> Self {
        Self { kind, attempts, body: None, detail: None }
    }

    /// Sets the body.
    #[must_use]
    pub fn with_body(mut self, body: Option<String>) -> Self {
        self.body = body;
        self
    }

    /// The status code, for [`ErrorKind::Status`] only.
    #[must_use]
    pub const fn status(&self) -> Option<u16> {
        match self.kind {
            ErrorKind::Status(status) => Some(status),
            _ => None,
        }
    }

    /// [`ErrorKind::name`] of the kind.
    #[must_use]
    pub const fn kind_name(&self) -> &'static str {
        self.kind.name()
    }

    /// Whether the same call would fail again later: true for a status that is not retryable,
    /// for a failed authentication and for a request that cannot be sent.
    #[must_use]
    pub fn is_final(&self) -> bool {
        match self.kind {
            ErrorKind::Status(status) => !retry_core::http::is_retryable(status),
            ErrorKind::Auth(_)
            | ErrorKind::BodyTooLarge(_)
            | ErrorKind::Disposed
            | ErrorKind::Request(_) => true,
            ErrorKind::BreakerOpen
            | ErrorKind::Deadline
            | ErrorKind::QueueFull
            | ErrorKind::QueueTimeout
            | ErrorKind::Transport(_) => false,
        }
    }

    /// What may have become of the request.
    ///
    /// The error of a call tells the furthest that any of its attempts got, so that
    /// [`Fate::NotSent`] means that nothing was sent at all; a 401 that was replayed is left out,
    /// since it refuses to act. The error of an event tells of its attempt alone.
    #[must_use]
    pub fn fate(&self) -> Fate {
        self.detail.as_ref().and_then(|detail| detail.fate).unwrap_or_else(|| self.kind.fate())
    }

    /// Whether the attempt ended by the client's own decision, before anything could be sent.
    #[cfg(any(feature = "health", feature = "metrics"))]
    pub(crate) fn came_before_sending(&self) -> bool {
        match self.kind {
            ErrorKind::Auth(_)
            | ErrorKind::BreakerOpen
            | ErrorKind::Disposed
            | ErrorKind::QueueFull
            | ErrorKind::QueueTimeout => true,
            ErrorKind::Deadline | ErrorKind::Request(_) => self.fate() == Fate::NotSent,
            ErrorKind::BodyTooLarge(_) | ErrorKind::Status(_) | ErrorKind::Transport(_) => false,
        }
    }

    /// Why there was no further attempt; `None` on the error of a single attempt.
    #[must_use]
    pub fn stop_reason(&self) -> Option<&StopReason> {
        self.detail.as_ref()?.stop.as_ref()
    }

    /// The call's last failed attempts, oldest first; at most [`History::LIMIT`].
    #[must_use]
    pub fn history(&self) -> &[AttemptRecord] {
        self.detail.as_ref().map_or(&[], |detail| detail.history.records())
    }

    pub(crate) fn with_fate(mut self, fate: Fate) -> Self {
        self.detail_mut().fate = Some(fate);
        self
    }

    /// What can be said of a request that may have arrived once without anybody here knowing.
    pub(crate) fn at_least_maybe_processed(self) -> Self {
        match (&self.kind, self.fate()) {
            (ErrorKind::Transport(_), Fate::NotSent) => self.with_fate(Fate::MaybeProcessed),
            _ => self,
        }
    }

    pub(crate) fn with_source(mut self, source: Option<Arc<dyn StdError + Send + Sync>>) -> Self {
        if source.is_some() {
            self.detail_mut().source = source;
        }
        self
    }

    pub(crate) fn stopped(mut self, reason: StopReason, history: History) -> Self {
        let detail = self.detail_mut();
        detail.stop = Some(reason);
        detail.history = history;
        self
    }

    fn detail_mut(&mut self) -> &mut Detail {
        self.detail.get_or_insert_default()
    }
}

impl PartialEq for ClientError {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind && self.attempts == other.attempts && self.body == other.body
    }
}

impl Eq for ClientError {}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let attempts = Attempts(self.attempts);
        match &self.kind {
            ErrorKind::Auth(text) => write!(f, "auth refresh failed: {text}"),
            ErrorKind::BodyTooLarge(limit) => {
                write!(f, "response body over {limit} bytes after {attempts}")
            }
            ErrorKind::BreakerOpen => f.write_str("circuit breaker open"),
            ErrorKind::Deadline => write!(f, "deadline passed after {attempts}"),
            ErrorKind::Disposed => f.write_str("queue disposed"),
            ErrorKind::QueueFull => f.write_str("queue full"),
            ErrorKind::QueueTimeout => f.write_str("queue wait timed out"),
            ErrorKind::Request(text) => write!(f, "request cannot be sent: {text}"),
            ErrorKind::Status(status) => write!(f, "HTTP {status} after {attempts}"),
            ErrorKind::Transport(text) => write!(f, "{text} after {attempts}"),
        }
    }
}

impl fmt::Debug for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientError")
            .field("kind", &self.kind)
            .field("attempts", &self.attempts)
            .field("body", &self.body.as_ref().map(|body| Bytes(body.len())))
            .field("fate", &self.fate())
            .field("stop_reason", &self.stop_reason())
            .field("history", &self.history())
            .finish()
    }
}

impl StdError for ClientError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        // What is in the `Arc`: the `Arc` itself is an error too, and of no type that anybody asks for.
        Some(&**self.detail.as_ref()?.source.as_ref()?)
    }
}

/// "12 bytes".
struct Bytes(usize);

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0)
    }
}

/// "1 attempt", "2 attempts".
struct Attempts(usize);

impl fmt::Display for Attempts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} attempt{}", self.0, if self.0 == 1 { "" } else { "s" })
    }
}
