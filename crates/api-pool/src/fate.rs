//! What may have become of a request that failed.

use core::fmt;

/// How far a failed attempt got, seen from the server's side.
///
/// The difference decides whether repeating an operation with side effects is harmless. What
/// cannot be told apart is [`MaybeProcessed`](Self::MaybeProcessed).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Fate {
    /// No byte of the request reached the server, or the server says that it did not act on it.
    NotSent,
    /// The request may have been acted on; no answer tells.
    MaybeProcessed,
    /// The server answered, so it saw the request.
    Processed,
}

impl fmt::Display for Fate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotSent => "not sent",
            Self::MaybeProcessed => "maybe processed",
            Self::Processed => "processed",
        })
    }
}
