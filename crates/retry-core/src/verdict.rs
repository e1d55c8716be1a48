//! What a failure means for the next attempt.

use core::time::Duration;

/// The class of a failure.
///
/// # Examples
///
/// ```
/// use core::time::Duration;
/// use retry_core::{Failure, Verdict};
///
/// let failure = Failure::rate_limited(Some(Duration::from_secs(5)));
/// assert_eq!(failure.verdict(), Verdict::RateLimited { hint: Some(Duration::from_secs(5)) });
/// assert!(failure.is_retryable());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Verdict {
    /// It may pass: a lost connection, a timeout, a server error.
    Transient,
    /// The server asks for fewer requests.
    RateLimited {
        /// How long it asks to wait, if it says so.
        hint: Option<Duration>,
    },
    /// The credentials were refused. Repeating the same ones cannot help.
    Auth,
    /// Repeating cannot help.
    Permanent,
}

/// One failed attempt, as a policy sees it: its class, and the server's hint if there is
/// one.
///
/// A hint of zero is no hint: it never makes a retry immediate.
///
/// # Examples
///
/// A 503 may carry `Retry-After` as well as a 429:
///
/// ```
/// use core::time::Duration;
/// use retry_core::Failure;
///
/// let unavailable = Failure::transient().with_hint(Some(Duration::from_secs(30)));
/// assert_eq!(unavailable.hint(), Some(Duration::from_secs(30)));
/// assert_eq!(Failure::transient().with_hint(Some(Duration::ZERO)).hint(), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Failure {
    kind: Kind,
    hint: Option<Duration>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Auth,
    Permanent,
    RateLimited,
    Transient,
}

impl Failure {
    /// The failure a verdict describes.
    #[must_use]
    pub const fn new(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Transient => Self::transient(),
            Verdict::RateLimited { hint } => Self::rate_limited(hint),
            Verdict::Auth => Self::auth(),
            Verdict::Permanent => Self::permanent(),
        }
    }

    /// What an error says of itself.
    ///
    /// # Examples
    ///
    /// ```
    /// use retry_core::{Failure, Retryable};
    ///
    /// struct TimedOut;
    ///
    /// impl Retryable for TimedOut {
    ///     fn is_transient(&self) -> bool {
    ///         true
    ///     }
    /// }
    ///
    /// assert_eq!(Failure::of(&TimedOut), Failure::transient());
    /// ```
    #[must_use]
    pub fn of<E: Retryable + ?Sized>(error: &E) -> Self {
        let kind = if error.is_transient() { Kind::Transient } else { Kind::Permanent };
        Self { kind, hint: None }.with_hint(error.retry_after())
    }

    /// A failure that may pass.
    #[must_use]
    pub const fn transient() -> Self {
        Self { kind: Kind::Transient, hint: None }
    }

    /// A refusal because of too many requests, with the wait the server asks for.
    #[must_use]
    pub const fn rate_limited(hint: Option<Duration>) -> Self {
        Self { kind: Kind::RateLimited, hint: None }.with_hint(hint)
    }

    /// Refused credentials: not retryable.
    #[must_use]
    pub const fn auth() -> Self {
        Self { kind: Kind::Auth, hint: None }
    }

    /// A failure that no repetition can mend: not retryable.
    #[must_use]
    pub const fn permanent() -> Self {
        Self { kind: Kind::Permanent, hint: None }
    }

    /// Sets the wait the server asks for, on any class of failure; zero counts as none.
    #[must_use]
    pub const fn with_hint(self, hint: Option<Duration>) -> Self {
        let hint = match hint {
            Some(hint) if !hint.is_zero() => Some(hint),
            _ => None,
        };
        Self { hint, ..self }
    }

    /// The wait the server asks for, never zero.
    #[must_use]
    pub const fn hint(&self) -> Option<Duration> {
        self.hint
    }

    /// Whether another attempt can help.
    ///
    /// # Examples
    ///
    /// ```
    /// use retry_core::Failure;
    ///
    /// assert!(Failure::transient().is_retryable());
    /// assert!(!Failure::auth().is_retryable());
    /// ```
    #[must_use]
    pub const fn is_retryable(&self) -> bool {
        matches!(self.kind, Kind::Transient | Kind::RateLimited)
    }

    /// The class of this failure.
    ///
    /// # Examples
    ///
    /// ```
    /// use retry_core::{Failure, Verdict};
    ///
    /// assert_eq!(Failure::auth().verdict(), Verdict::Auth);
    /// ```
    #[must_use]
    pub const fn verdict(&self) -> Verdict {
        match self.kind {
            Kind::Auth => Verdict::Auth,
            Kind::Permanent => Verdict::Permanent,
            Kind::RateLimited => Verdict::RateLimited { hint: self.hint },
            Kind::Transient => Verdict::Transient,
        }
    }
}

impl From<Verdict> for Failure {
    fn from(verdict: Verdict) -> Self {
        Self::new(verdict)
    }
}

/// An error that knows whether another attempt can help.
///
/// Implement it for an error type of your own; for one you do not own, write a
/// [`Classify`].
///
/// # Examples
///
/// ```
/// use core::time::Duration;
/// use retry_core::Retryable;
///
/// enum FetchError {
///     Offline,
///     TooMany { retry_after: Option<Duration> },
///     NoSuchPage,
/// }
///
/// impl Retryable for FetchError {
///     fn is_transient(&self) -> bool {
///         matches!(self, Self::Offline | Self::TooMany { .. })
///     }
///
///     fn retry_after(&self) -> Option<Duration> {
///         match self {
///             Self::TooMany { retry_after } => *retry_after,
///             Self::Offline | Self::NoSuchPage => None,
///         }
///     }
/// }
///
/// assert!(FetchError::Offline.is_transient());
/// assert!(!FetchError::NoSuchPage.is_transient());
/// ```
pub trait Retryable {
    /// Whether the failure may pass.
    fn is_transient(&self) -> bool;

    /// How long the server asks to wait, if it does. Default: it does not.
    fn retry_after(&self) -> Option<Duration> {
        None
    }
}

impl<E: Retryable + ?Sized> Retryable for &E {
    fn is_transient(&self) -> bool {
        (**self).is_transient()
    }

    fn retry_after(&self) -> Option<Duration> {
        (**self).retry_after()
    }
}

/// Judges errors of a type one does not own.
///
/// Closures from `&E` to [`Failure`] are classifiers.
///
/// # Examples
///
/// ```
/// use retry_core::{Classify, Failure};
///
/// fn by_kind(error: &core::num::ParseIntError) -> Failure {
///     let _ = error;
///     Failure::permanent()
/// }
///
/// let error = "x".parse::<u8>().unwrap_err();
/// assert!(!by_kind.classify(&error).is_retryable());
/// ```
pub trait Classify<E: ?Sized> {
    /// What `error` means for the next attempt.
    fn classify(&self, error: &E) -> Failure;
}

impl<E: ?Sized, F: Fn(&E) -> Failure + ?Sized> Classify<E> for F {
    fn classify(&self, error: &E) -> Failure {
        self(error)
    }
}

/// The classifier that asks the error itself, through [`Retryable`].
///
/// # Examples
///
/// ```
/// use retry_core::{BySelf, Classify, Retryable};
///
/// struct Lost;
///
/// impl Retryable for Lost {
///     fn is_transient(&self) -> bool {
///         true
///     }
/// }
///
/// assert!(BySelf.classify(&Lost).is_retryable());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "a marker without state")]
pub struct BySelf;

impl<E: Retryable + ?Sized> Classify<E> for BySelf {
    fn classify(&self, error: &E) -> Failure {
        Failure::of(error)
    }
}
