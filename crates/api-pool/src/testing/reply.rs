//! What a script answers with.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderName, HeaderValue};

use super::response::{BodyStep, Response};
use crate::transport::{Fault, TransportError};

/// One answer of a script. `Debug` shows no more of it than that of [`Response`] does.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use api_pool::testing::Reply;
///
/// let reply = Reply::status(429).with_header("retry-after", "5").after(Duration::from_millis(20));
/// # drop(reply);
/// ```
#[derive(Debug)]
pub struct Reply {
    latency: Option<Duration>,
    outcome: Result<Response, TransportError>,
}

impl Reply {
    /// A response with this status and no body.
    #[must_use]
    pub fn status(status: u16) -> Self {
        Self { latency: Some(Duration::ZERO), outcome: Ok(Response::new(status)) }
    }

    /// A 200 with a body.
    #[must_use]
    pub fn ok(body: impl Into<Bytes>) -> Self {
        Self::status(200).with_body(body)
    }

    /// No response, for this reason.
    #[must_use]
    pub fn fault(fault: Fault) -> Self {
        let text = match fault {
            Fault::Broken => "connection broken",
            Fault::Local => "request refused locally",
            Fault::Refused => "stream refused",
            Fault::TimedOut => "timed out",
            Fault::Unreachable => "connection refused",
        };
        Self { latency: Some(Duration::ZERO), outcome: Err(TransportError::new(fault, text)) }
    }

    /// No response, ever.
    #[must_use]
    pub fn hang() -> Self {
        Self { latency: None, ..Self::status(200) }
    }

    /// The reply arrives this long after the request.
    #[must_use]
    pub const fn after(mut self, latency: Duration) -> Self {
        self.latency = Some(latency);
        self
    }

    /// Adds a header field.
    ///
    /// # Panics
    ///
    /// If name or value is not valid in a header.
    #[must_use]
    #[track_caller]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value))
        else {
            panic!("{name:?} with {value:?} is no valid header field")
        };
        if let Ok(response) = &mut self.outcome {
            response.headers_mut().append(name, value);
        }
        self
    }

    /// Adds a header field whose value need not be text.
    ///
    /// # Panics
    ///
    /// If the name is not valid in a header.
    #[must_use]
    #[track_caller]
    pub fn with_raw_header(mut self, name: &str, value: HeaderValue) -> Self {
        let Ok(name) = HeaderName::try_from(name) else {
            panic!("{name:?} is no valid header field name")
        };
        if let Ok(response) = &mut self.outcome {
            response.headers_mut().append(name, value);
        }
        self
    }

    /// Sets the body, with its length in the head.
    #[must_use]
    pub fn with_body(self, body: impl Into<Bytes>) -> Self {
        let body = body.into();
        let length = body.len();
        self.step(BodyStep::Chunk(body)).with_length(length)
    }

    /// Adds a part to a body whose length the head does not tell.
    #[must_use]
    pub fn with_chunk(self, chunk: impl Into<Bytes>) -> Self {
        self.step(BodyStep::Chunk(chunk.into()))
    }

    /// Pauses the body.
    #[must_use]
    pub fn with_pause(self, pause: Duration) -> Self {
        self.step(BodyStep::Pause(pause))
    }

    /// Cuts the body off here.
    #[must_use]
    pub fn with_cut(self) -> Self {
        self.step(BodyStep::Cut)
    }

    /// Never ends the body: its last part comes again and again, without a pause. An empty one
    /// never comes: the body stalls.
    #[must_use]
    pub fn with_endless_body(self, chunk: impl Into<Bytes>) -> Self {
        self.step(BodyStep::Endless(chunk.into()))
    }

    fn with_length(mut self, length: usize) -> Self {
        if let Ok(response) = &mut self.outcome {
            response.set_content_length(length);
        }
        self
    }

    fn step(mut self, step: BodyStep) -> Self {
        if let Ok(response) = &mut self.outcome {
            response.push(step);
        }
        self
    }

    pub(super) fn into_parts(self) -> (Option<Duration>, Result<Response, TransportError>) {
        (self.latency, self.outcome)
    }
}
