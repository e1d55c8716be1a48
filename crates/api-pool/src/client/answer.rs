//! What came back from the server, and what it means.

use std::time::Duration;

use retry_core::Failure;
use retry_core::http::Health;

use super::call::After;
use crate::error::{ClientError, ErrorKind};
use crate::fate::Fate;
use crate::transport::{Fault, TransportError};

/// A 2xx.
pub(super) struct Success<O> {
    pub(super) output: O,
    pub(super) status: u16,
    pub(super) bytes: Option<u64>,
}

/// Everything else.
pub(super) enum Miss {
    /// A 2xx whose body was cut off or stalled.
    Cut(TransportError),
    /// The call's deadline passed first.
    Late(Fate),
    /// No HTTP client could be set up.
    NoClient(TransportError),
    /// No complete response arrived.
    Nothing(TransportError),
    /// A status other than 2xx.
    Status { status: u16, hint: Option<Duration>, body: Option<String> },
    /// A 2xx whose body is longer than this many bytes.
    TooLarge { status: u16, limit: usize },
}

impl From<TransportError> for Miss {
    fn from(error: TransportError) -> Self {
        Self::Nothing(error)
    }
}

impl Miss {
    pub(super) const fn status(&self) -> Option<u16> {
        match self {
            Self::Status { status, .. } | Self::TooLarge { status, .. } => Some(*status),
            Self::Cut(_) | Self::Late(_) | Self::NoClient(_) | Self::Nothing(_) => None,
        }
    }

    /// What the answer says about the server; `None` where it says nothing.
    pub(super) fn health(&self) -> Option<Health> {
        match self {
            Self::Late(_) => None,
            Self::Cut(_) | Self::NoClient(_) => Some(Health::Down),
            Self::Nothing(error) => (error.fault() != Fault::Local).then_some(Health::Down),
            Self::Status { status, .. } => Some(retry_core::http::health(*status)),
            Self::TooLarge { .. } => Some(Health::Up),
        }
    }

    /// The error of the attempt, and what may follow it. `number` is the attempt's as the error
    /// tells it, and `hide` takes the secrets that were sent out of a body that repeats them.
    pub(super) fn judge(
        self,
        number: usize,
        hide: impl FnOnce(String) -> String,
    ) -> (ClientError, After) {
        match self {
            Self::Cut(error) => {
                let (_, text, source) = error.into_parts();
                let error = ClientError::new(ErrorKind::Transport(text), number)
                    .with_fate(Fate::Processed)
                    .with_source(source);
                (error, After::Retry(Failure::transient()))
            }
            Self::Late(fate) => {
                (ClientError::new(ErrorKind::Deadline, number).with_fate(fate), After::Stop)
            }
            Self::NoClient(error) => {
                let (_, text, source) = error.into_parts();
                let text = format!("building the HTTP client failed: {text}");
                let error = ClientError::new(ErrorKind::Transport(text), number)
                    .with_fate(Fate::NotSent)
                    .with_source(source);
                (error, After::Retry(Failure::transient()))
            }
            Self::Nothing(error) => {
                let fate = error.fate();
                let (fault, text, source) = error.into_parts();
                let (kind, after) = match fault {
                    Fault::Local => (ErrorKind::Request(text), After::Stop),
                    _ => (ErrorKind::Transport(text), After::Retry(Failure::transient())),
                };
                (ClientError::new(kind, number).with_fate(fate).with_source(source), after)
            }
            Self::Status { status, hint, body } => {
                let body = body.map(hide);
                let error = ClientError::new(ErrorKind::Status(status), number).with_body(body);
                let after = if retry_core::http::is_retryable(status) {
                    After::Retry(retry_core::http::failure(status, hint))
                } else {
                    After::Stop
                };
                (error, after)
            }
            Self::TooLarge { limit, .. } => {
                (ClientError::new(ErrorKind::BodyTooLarge(limit), number), After::Stop)
            }
        }
    }
}
