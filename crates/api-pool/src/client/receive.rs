//! What a call wants of a successful response: its head, or all of it.

use core::convert::Infallible;
use core::fmt;

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, Method, StatusCode};

use crate::auth::Cut;
use crate::transport::{Fault, Transport, TransportError};

/// Turns a 2xx into what the caller gets, inside the attempt.
pub(super) trait Receive<T: Transport>: Copy {
    type Output;
    /// Reads the body. A type of no values where the head is enough.
    type Reader: Reader<T>;

    /// For an answer to a request with this method.
    fn answering(self, _: &Method) -> Self {
        self
    }

    /// Whether the head is enough.
    fn wanted(self) -> Wanted<T, Self>;

    /// Makes what the caller gets of what was read.
    fn finish(content: Content<T, Self>) -> Self::Output;
}

/// What of a 2xx the caller wants.
pub(super) enum Wanted<T: Transport, R: Receive<T>> {
    /// The head, with the body unread: this makes what the caller gets.
    Head(fn(T::Response) -> R::Output),
    /// The body, which this reads.
    Body(R::Reader),
}

/// Reads the body of a 2xx.
pub(super) trait Reader<T: Transport>: Copy {
    type Content;

    fn read(self, response: T::Response)
    -> impl Future<Output = Result<Self::Content, Unreceived>>;
}

/// What is read of a body.
pub(super) type Content<T, R> = <<R as Receive<T>>::Reader as Reader<T>>::Content;

impl<T: Transport> Reader<T> for Infallible {
    type Content = Self;

    async fn read(self, _: T::Response) -> Result<Self, Unreceived> {
        match self {}
    }
}

/// Why a 2xx did not become a result.
pub(super) enum Unreceived {
    /// The body was cut off or stalled.
    Broken(TransportError),
    /// The body is longer than this many bytes.
    TooLarge(usize),
    /// The body tells another status.
    Means { status: u16, headers: HeaderMap, body: Option<String> },
}

/// The response as it is; its body is the caller's to read.
#[derive(Clone, Copy)]
pub(super) struct Head;

impl<T: Transport> Receive<T> for Head {
    type Output = T::Response;
    type Reader = Infallible;

    #[inline(always)]
    fn wanted(self) -> Wanted<T, Self> {
        Wanted::Head(|response| response)
    }

    fn finish(content: Infallible) -> T::Response {
        match content {}
    }
}

/// The response with its whole body, up to a limit in bytes.
#[derive(Clone, Copy)]
pub(super) struct Whole {
    limit: usize,
    is_head: bool,
}

impl Whole {
    pub(super) const fn up_to(limit: usize) -> Self {
        Self { limit, is_head: false }
    }

    /// How much follows the head, where that is told. The length in an answer to `HEAD` is that of
    /// another answer (RFC 9110 §8.6), and a 204 has nothing to come, whatever it says (§15.3.5).
    fn announced<T: Transport>(self, response: &T::Response) -> Option<usize> {
        if self.is_head || T::status(response) == StatusCode::NO_CONTENT {
            return None;
        }
        T::content_length(response).map(|length| usize::try_from(length).unwrap_or(usize::MAX))
    }
}

impl<T: Transport> Receive<T> for Whole {
    type Output = ReadResponse;
    type Reader = Self;

    fn answering(self, method: &Method) -> Self {
        Self { is_head: method == Method::HEAD, ..self }
    }

    #[inline(always)]
    fn wanted(self) -> Wanted<T, Self> {
        Wanted::Body(self)
    }

    #[inline(always)]
    fn finish(content: ReadResponse) -> ReadResponse {
        content
    }
}

impl<T: Transport> Reader<T> for Whole {
    type Content = ReadResponse;

    async fn read(self, mut response: T::Response) -> Result<ReadResponse, Unreceived> {
        let announced = self.announced::<T>(&response).unwrap_or(0);
        within(announced, self.limit)?;
        let body = read::<T>(&mut response, self.limit).await?;
        complete(body.len(), announced)?;
        let status = T::status(&response);
        let headers = std::mem::take(T::response_headers_mut(&mut response));
        Ok(ReadResponse { status, headers, body })
    }
}

async fn read<T: Transport>(response: &mut T::Response, limit: usize) -> Result<Bytes, Unreceived> {
    let Some(first) = T::chunk(response).await.map_err(Unreceived::Broken)? else {
        return Ok(Bytes::new());
    };
    let Some(second) = T::chunk(response).await.map_err(Unreceived::Broken)? else {
        return within(first.len(), limit).map(|()| first);
    };
    let mut body = BytesMut::from(first);
    let mut next = Some(second);
    while let Some(chunk) = next {
        within(body.len() + chunk.len(), limit)?;
        body.extend_from_slice(&chunk);
        next = T::chunk(response).await.map_err(Unreceived::Broken)?;
    }
    Ok(body.freeze())
}

fn within(length: usize, limit: usize) -> Result<(), Unreceived> {
    if length <= limit { Ok(()) } else { Err(Unreceived::TooLarge(limit)) }
}

/// Over HTTP/2 the end of a stream or of its connection can pass for that of the body: it need not
/// be an error of either.
fn complete(length: usize, announced: usize) -> Result<(), Unreceived> {
    if announced <= length {
        return Ok(());
    }
    let text = format!("the body ended after {length} of {announced} bytes");
    Err(Unreceived::Broken(TransportError::new(Fault::Broken, text)))
}

/// A 2xx response with its whole body.
///
/// `Debug` shows the names of the header fields and the length of the body: either may hold what
/// is no reader's of a log.
#[derive(Clone)]
#[non_exhaustive]
pub struct ReadResponse {
    status: u16,
    headers: HeaderMap,
    body: Bytes,
}

impl ReadResponse {
    /// The status code, 2xx.
    #[must_use]
    pub const fn status(&self) -> u16 {
        self.status
    }

    /// The header fields.
    #[must_use]
    pub const fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// The body.
    #[must_use]
    pub const fn body(&self) -> &Bytes {
        &self.body
    }

    /// The body, without a copy.
    #[must_use]
    pub fn into_body(self) -> Bytes {
        self.body
    }

    pub(super) fn into_headers(self) -> HeaderMap {
        self.headers
    }
}

impl fmt::Debug for ReadResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadResponse")
            .field("status", &self.status)
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .field("body", &format_args!("{} bytes", self.body.len()))
            .finish()
    }
}

/// How much of an error body is kept, in bytes.
const ERROR_BODY: usize = 2048;

/// The start of an error body as text; `None` where it is empty or cannot be read. Stops reading
/// at the cap, whatever the server goes on to send.
pub(super) async fn error_body<T: Transport>(response: &mut T::Response) -> Option<String> {
    let mut start = Vec::new();
    while start.len() < ERROR_BODY {
        let Some(chunk) = T::chunk(response).await.ok()? else { break };
        let room = ERROR_BODY - start.len();
        start.extend_from_slice(&chunk[..chunk.len().min(room)]);
    }
    (!start.is_empty()).then(|| text(start))
}

/// As [`error_body`], of a body that is here already.
pub(super) fn start_of(body: &[u8]) -> Option<String> {
    let start = &body[..body.len().min(ERROR_BODY)];
    (!start.is_empty()).then(|| text(start.to_vec()))
}

/// Whether more of an error body may have followed.
pub(super) fn cut(text: &str) -> Cut {
    // A character of four bytes, the last of which did not fit, is left out.
    if text.len() + 3 >= ERROR_BODY { Cut::Off } else { Cut::Nowhere }
}

/// Decodes lossily and cuts at a character, so that the text has at most [`ERROR_BODY`] bytes.
fn text(bytes: Vec<u8>) -> String {
    let cut = incomplete_tail(&bytes);
    let mut text = String::from_utf8_lossy(&bytes[..bytes.len() - cut]).into_owned();
    // Each byte that is not UTF-8 became a replacement character of three.
    let mut end = text.len().min(ERROR_BODY);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text
}

/// How many bytes at the end are the start of a character whose rest was cut off at the cap.
fn incomplete_tail(bytes: &[u8]) -> usize {
    if bytes.len() < ERROR_BODY {
        return 0;
    }
    let tail = bytes.utf8_chunks().last().map_or(&[][..], |chunk| chunk.invalid());
    match std::str::from_utf8(tail) {
        Err(error) if error.error_len().is_none() => tail.len(),
        _ => 0,
    }
}
