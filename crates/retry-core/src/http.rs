//! HTTP: what a status and a method mean for retries, as tables.
//!
//! Statuses are plain numbers, so any HTTP library fits.

use core::time::Duration;

use crate::Failure;

/// What an answer says about the health of a server, for a circuit breaker.
///
/// # Examples
///
/// ```
/// use retry_core::http::{Health, health};
///
/// assert_eq!(health(200), Health::Up);
/// assert_eq!(health(404), Health::Reachable);
/// assert_eq!(health(429), Health::Unknown);
/// assert_eq!(health(503), Health::Down);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Health {
    /// It counts toward opening the breaker.
    Down,
    /// It proves that the server is there, so it closes an open breaker; the count of
    /// failures in a row stays.
    Reachable,
    /// It proves nothing either way.
    Unknown,
    /// It closes the breaker and ends the run of failures.
    Up,
}

/// The stricter view of a status for a loop that reads a remote source to its end: what
/// kind of error is it?
///
/// [`Network`](Self::Network) and [`RateLimited`](Self::RateLimited) are transient, the
/// others are not. A 408 is not retried here, while [`is_retryable`] says it is: an
/// extract loop has a client below it that knows its own timeouts.
///
/// # Examples
///
/// ```
/// use retry_core::http::Class;
///
/// assert_eq!(Class::of(200), None);
/// assert_eq!(Class::of(502), Some(Class::Network));
/// assert_eq!(Class::of(403), Some(Class::Auth));
/// assert!(!Class::Parse.is_transient());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Class {
    /// The credentials were refused: 401 and 403.
    Auth,
    /// No answer, or one that says the server is in trouble: 5xx.
    Network,
    /// An answer whose body could not be understood. No status means this.
    Parse,
    /// Everything else that is not a success.
    Permanent,
    /// Too many requests: 429.
    RateLimited,
}

impl Class {
    /// The class of a status, or `None` for a success (2xx).
    #[must_use]
    pub const fn of(status: u16) -> Option<Self> {
        match status {
            200..=299 => None,
            401 | 403 => Some(Self::Auth),
            429 => Some(Self::RateLimited),
            500..=599 => Some(Self::Network),
            _ => Some(Self::Permanent),
        }
    }

    /// Whether another attempt can help.
    #[must_use]
    pub const fn is_transient(self) -> bool {
        matches!(self, Self::Network | Self::RateLimited)
    }

    /// The failure to give to a run, with the server's hint if there is one.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::time::Duration;
    /// use retry_core::{Failure, http::Class};
    ///
    /// let hint = Some(Duration::from_secs(2));
    /// assert_eq!(Class::RateLimited.failure(hint), Failure::rate_limited(hint));
    /// ```
    #[must_use]
    pub const fn failure(self, hint: Option<Duration>) -> Failure {
        match self {
            Self::Auth => Failure::auth(),
            Self::Network => Failure::transient(),
            Self::Parse | Self::Permanent => Failure::permanent(),
            Self::RateLimited => Failure::rate_limited(hint),
        }
        .with_hint(hint)
    }
}

/// Whether a request that got this status is worth another attempt: 408, 429 and 5xx.
///
/// # Examples
///
/// ```
/// use retry_core::http::is_retryable;
///
/// assert!(is_retryable(503) && is_retryable(408));
/// assert!(!is_retryable(200) && !is_retryable(404));
/// ```
#[must_use]
pub const fn is_retryable(status: u16) -> bool {
    matches!(status, 408 | 429 | 500..=599)
}

/// The failure that a status is, with the server's hint if there is one.
///
/// Follows [`is_retryable`]; a 401 is [`Auth`](crate::Verdict::Auth). A success is no
/// failure: asked about one, the answer is permanent, since there is nothing to repeat.
///
/// # Examples
///
/// ```
/// use core::time::Duration;
/// use retry_core::{Failure, Verdict, http};
///
/// let hint = Some(Duration::from_secs(9));
/// assert_eq!(http::failure(503, hint), Failure::transient().with_hint(hint));
/// assert_eq!(http::failure(429, None), Failure::rate_limited(None));
/// assert_eq!(http::failure(401, None).verdict(), Verdict::Auth);
/// assert_eq!(http::failure(404, None).verdict(), Verdict::Permanent);
/// ```
#[must_use]
pub const fn failure(status: u16, hint: Option<Duration>) -> Failure {
    match status {
        401 => Failure::auth(),
        429 => Failure::rate_limited(hint),
        _ if is_retryable(status) => Failure::transient(),
        _ => Failure::permanent(),
    }
    .with_hint(hint)
}

/// What a status says about the health of the server.
///
/// A 2xx is [up](Health::Up) and a 5xx [down](Health::Down). A 408 or 429 says nothing.
/// Any other answer shows that the server is [reachable](Health::Reachable); a number
/// below 100 is no status and shows nothing.
///
/// # Examples
///
/// ```
/// use retry_core::http::{Health, health};
///
/// assert_eq!([204, 301, 408, 500].map(health), [
///     Health::Up,
///     Health::Reachable,
///     Health::Unknown,
///     Health::Down,
/// ]);
/// ```
#[must_use]
pub const fn health(status: u16) -> Health {
    match status {
        200..=299 => Health::Up,
        500..=599 => Health::Down,
        0..=99 | 408 | 429 => Health::Unknown,
        _ => Health::Reachable,
    }
}

/// Whether a method is safe: GET, HEAD, OPTIONS and TRACE
/// ([RFC 9110, section 9.2.1](https://www.rfc-editor.org/rfc/rfc9110#section-9.2.1)).
///
/// Method names are case-sensitive; one that is not known is not safe.
///
/// # Examples
///
/// ```
/// use retry_core::http::is_safe_method;
///
/// assert!(is_safe_method("GET"));
/// assert!(!is_safe_method("PUT") && !is_safe_method("get"));
/// ```
#[must_use]
pub fn is_safe_method(method: &str) -> bool {
    matches!(method, "GET" | "HEAD" | "OPTIONS" | "TRACE")
}

/// Whether sending a request twice has the effect of sending it once: the
/// [safe](is_safe_method) methods, PUT and DELETE
/// ([RFC 9110, section 9.2.2](https://www.rfc-editor.org/rfc/rfc9110#section-9.2.2)).
///
/// # Examples
///
/// ```
/// use retry_core::http::is_idempotent_method;
///
/// assert!(is_idempotent_method("DELETE"));
/// assert!(!is_idempotent_method("POST") && !is_idempotent_method("PATCH"));
/// ```
#[must_use]
pub fn is_idempotent_method(method: &str) -> bool {
    is_safe_method(method) || matches!(method, "PUT" | "DELETE")
}
