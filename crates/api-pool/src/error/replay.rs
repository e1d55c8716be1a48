//! Requests that can be sent only once.

/// The request was sent once, since its body cannot be sent again.
///
/// The error of such a request says so; a response that would have been retried has this among its
/// extensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the request's body cannot be sent again")]
#[expect(clippy::exhaustive_structs, reason = "it is a mark and says all there is")]
pub struct BodyNotRepeatable;
