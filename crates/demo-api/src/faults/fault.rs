//! One way of misbehaving.

use std::time::Duration;

use axum::http::{HeaderValue, StatusCode};

/// What the server does to one request instead of answering it properly.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// Closes the connection in the orderly way, without a byte of an answer.
    Close,
    /// Answers with an error status and a body that never ends.
    EndlessBody(StatusCode),
    /// Answers 200 with a GraphQL error whose `extensions.code` this is, and without data.
    GraphqlError(String),
    /// Reads the request and never answers.
    Hang,
    /// Answers properly, after this time.
    Late(Duration),
    /// Answers with an error status.
    Refuse(Refusal),
    /// Resets the connection before the request is processed.
    Reset,
    /// Processes the request, then resets the connection instead of answering.
    ResetAfter,
    /// Answers 500, 502, 503 or 504; which one follows from the seed.
    ServerError,
    /// Sends the proper answer's body in eight pieces with this pause before each.
    SlowBody(Duration),
    /// Sends half of the proper answer's body and then nothing more.
    StalledBody,
    /// Announces the proper answer's full length, sends half of it and closes.
    TruncatedBody,
}

impl Fault {
    /// Answers with `status`; a status that does not exist becomes 500.
    #[must_use]
    pub fn status(status: u16) -> Self {
        Self::Refuse(Refusal::new(status))
    }

    /// Answers with `status` and one `Retry-After` line of exactly this text.
    #[must_use]
    pub fn retry_after(status: u16, text: &str) -> Self {
        Self::Refuse(Refusal::new(status).with_retry_after(text))
    }
}

/// An error status with the `Retry-After` lines that go with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    status: StatusCode,
    retry_after: Vec<HeaderValue>,
}

impl Refusal {
    /// Refuses with `status`; a status that does not exist becomes 500.
    #[must_use]
    pub fn new(status: u16) -> Self {
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Self { status, retry_after: Vec::new() }
    }

    /// Adds one `Retry-After` line of exactly these bytes, sensible or not.
    ///
    /// What no header line can hold (control characters) is left out.
    #[must_use]
    pub fn with_retry_after(mut self, line: impl AsRef<[u8]>) -> Self {
        self.retry_after.extend(HeaderValue::from_bytes(line.as_ref()));
        self
    }

    /// The status.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The `Retry-After` lines, in the order in which they are sent.
    #[must_use]
    pub fn retry_after(&self) -> &[HeaderValue] {
        &self.retry_after
    }
}
