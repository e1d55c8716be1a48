//! A scripted response.

use core::fmt;
use std::collections::VecDeque;
use std::future::pending;
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;

use crate::clock;
use crate::transport::{Fault, TransportError};

/// A response whose body comes as the script says.
///
/// `Debug` shows the names of the header fields and the lengths of the body's parts: either may
/// hold what is no reader's of a log.
pub struct Response {
    status: u16,
    headers: HeaderMap,
    length: Option<u64>,
    body: VecDeque<BodyStep>,
}

/// One thing that a body does.
pub(super) enum BodyStep {
    Chunk(Bytes),
    Cut,
    Endless(Bytes),
    Pause(Duration),
}

impl Response {
    pub(super) fn new(status: u16) -> Self {
        Self { status, headers: HeaderMap::new(), length: None, body: VecDeque::new() }
    }

    /// The status code.
    #[must_use]
    pub const fn status(&self) -> u16 {
        self.status
    }

    /// The header fields.
    #[must_use]
    pub const fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// The length of the body, where the head tells it.
    #[must_use]
    pub const fn content_length(&self) -> Option<u64> {
        self.length
    }

    /// Reads the whole body.
    ///
    /// # Errors
    ///
    /// The script cuts the body off.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future drops the response.
    pub async fn bytes(mut self) -> Result<Bytes, TransportError> {
        let mut body = Vec::new();
        while let Some(chunk) = self.chunk().await? {
            body.extend_from_slice(&chunk);
        }
        Ok(body.into())
    }

    pub(super) async fn chunk(&mut self) -> Result<Option<Bytes>, TransportError> {
        loop {
            match self.body.front() {
                None => return Ok(None),
                Some(BodyStep::Cut) => {
                    return Err(TransportError::new(Fault::Broken, "body cut off"));
                }
                // On a wire there would be nothing to see of it.
                Some(BodyStep::Endless(chunk)) if chunk.is_empty() => pending().await,
                Some(BodyStep::Endless(chunk)) => return Ok(Some(chunk.clone())),
                Some(BodyStep::Pause(pause)) => clock::sleep(*pause).await,
                Some(BodyStep::Chunk(chunk)) => {
                    let chunk = chunk.clone();
                    self.body.pop_front();
                    return Ok(Some(chunk));
                }
            }
            self.body.pop_front();
        }
    }

    pub(super) const fn headers_mut(&mut self) -> &mut HeaderMap {
        &mut self.headers
    }

    pub(super) fn set_content_length(&mut self, length: usize) {
        self.length = u64::try_from(length).ok();
    }

    pub(super) fn push(&mut self, step: BodyStep) {
        self.body.push_back(step);
    }
}

impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Response")
            .field("status", &self.status)
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .field("length", &self.length)
            .field("body", &self.body)
            .finish()
    }
}

impl fmt::Debug for BodyStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chunk(chunk) => write!(f, "Chunk({} bytes)", chunk.len()),
            Self::Cut => f.write_str("Cut"),
            Self::Endless(chunk) => write!(f, "Endless({} bytes)", chunk.len()),
            Self::Pause(pause) => write!(f, "Pause({pause:?})"),
        }
    }
}
