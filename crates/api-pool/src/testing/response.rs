//! A scripted response.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;

use crate::clock;
use crate::transport::{Fault, TransportError};

/// A response whose body comes as the script says.
#[derive(Debug)]
pub struct Response {
    status: u16,
    headers: HeaderMap,
    length: Option<u64>,
    body: VecDeque<BodyStep>,
}

/// One thing that a body does.
#[derive(Debug)]
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
