//! Where tokens come from.

use std::{error::Error, fmt, future::Future, sync::Arc, time::Duration};

use async_trait::async_trait;

use crate::transport::http_clients;

/// Fetches tokens for a client: from a sign-in, a token endpoint, a keychain.
///
/// The client calls it when it has no token, when the server refused the one it has, and shortly
/// before a known expiry. However many calls wait for a token, it is asked once. A failure ends
/// those calls, and the next attempt to fetch a token waits: 100 ms after the first failure in a
/// row, doubling up to 10 s.
///
/// While it runs, calls that it makes through the client it works for are sent without
/// credentials, so a refresh may go through the same client. That holds for the task it runs in; a
/// task it spawns would wait for the token that is being fetched.
///
/// Nothing but the deadlines of the calls that wait limits its time, and calls without one wait as
/// long as it hangs. One that may hang should have a limit of its own, such as
/// `tokio::time::timeout(Duration::from_secs(10), sign_in()).await?`.
///
/// Any `Fn() -> impl Future<Output = Result<impl Into<Token>, E>>` is a source, for every error
/// type `E` that converts into `Box<dyn Error + Send + Sync>`.
///
/// # Panics
///
/// A panic of the future is one of the call that polled it; the others get an error. Timers and
/// sockets are of the Tokio runtime that they were made in, and when that one shuts down they
/// panic or fail in the calls of all others. A source that serves several runtimes does its work
/// in a task of one that outlives them.
///
/// # Cancel safety
///
/// The future is dropped when the last call that waits for it is. It may be polled from different
/// tasks in turn.
///
/// # Examples
///
/// A closure:
///
/// ```
/// use api_pool::TokenSource;
/// use std::convert::Infallible;
///
/// fn source() -> impl TokenSource {
///     || async { Ok::<_, Infallible>("a token that never expires") }
/// }
/// ```
///
/// A type of its own, whose tokens expire:
///
/// ```
/// use api_pool::{Token, TokenError, TokenSource};
/// use std::time::Duration;
///
/// struct Keychain;
///
/// #[async_trait::async_trait]
/// impl TokenSource for Keychain {
///     async fn token(&self) -> Result<Token, TokenError> {
///         let secret = std::env::var("API_TOKEN").map_err(TokenError::new)?;
///         Ok(Token::new(secret).expires_in(Duration::from_secs(3600)))
///     }
/// }
/// ```
#[async_trait]
pub trait TokenSource: Send + Sync {
    /// Fetches a token.
    ///
    /// # Errors
    ///
    /// [`TokenError`], which ends the calls that wait. Its text becomes part of their error, so it
    /// must not hold a secret. The URL of an error of reqwest's is taken off; where such an error
    /// is inside another, take it off first, with its `without_url`.
    async fn token(&self) -> Result<Token, TokenError>;
}

#[async_trait]
impl<F, Fut, T, E> TokenSource for F
where
    F: Fn() -> Fut + Send + Sync,
    Fut: Future<Output = Result<T, E>> + Send,
    T: Into<Token>,
    E: Into<Box<dyn Error + Send + Sync>>,
{
    async fn token(&self) -> Result<Token, TokenError> {
        self().await.map(Into::into).map_err(TokenError::new)
    }
}

/// A bare token, without the scheme that goes before it, and how long it lives.
///
/// `Debug` does not show the token.
#[derive(Clone)]
pub struct Token {
    secret: String,
    lifetime: Option<Duration>,
}

impl Token {
    /// A token that is good until the server refuses it.
    #[must_use]
    pub fn new(secret: impl Into<String>) -> Self {
        Self { secret: secret.into(), lifetime: None }
    }

    /// Sets how long the token is good from the moment it was fetched.
    ///
    /// It is replaced before that: once nine tenths of its life are over, or a minute before its
    /// end where that is later. Should that fail while it is still good, it stays in use. Default:
    /// no limit.
    #[must_use]
    pub fn expires_in(self, lifetime: Duration) -> Self {
        Self { lifetime: Some(lifetime), ..self }
    }

    pub(super) fn lifetime(&self) -> Option<Duration> {
        self.lifetime
    }

    pub(super) fn secret(&self) -> &str {
        &self.secret
    }
}

impl From<String> for Token {
    fn from(secret: String) -> Self {
        Self::new(secret)
    }
}

impl From<&str> for Token {
    fn from(secret: &str) -> Self {
        Self::new(secret)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Token").field("lifetime", &self.lifetime).finish_non_exhaustive()
    }
}

/// Why a [`TokenSource`] has no token: an error of any type, seen through.
///
/// Text and source are those of the error inside; one of reqwest's is kept without its URL, whose
/// query may be a secret.
pub struct TokenError(Box<dyn Error + Send + Sync>);

impl TokenError {
    /// Wraps an error, or a text.
    ///
    /// # Examples
    ///
    /// ```
    /// use api_pool::TokenError;
    ///
    /// assert_eq!(TokenError::new("the user closed the window").to_string(), "the user closed the window");
    /// ```
    pub fn new(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self(http_clients::discreet(error.into()))
    }

    /// The error inside.
    #[must_use]
    pub fn into_inner(self) -> Box<dyn Error + Send + Sync> {
        self.0
    }
}

impl fmt::Debug for TokenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl fmt::Display for TokenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl Error for TokenError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}

/// Supplies the bearer token of a single request, or none.
///
/// The adapters ask it once per attempt, retries included.
pub type BearerSource = Arc<dyn Fn() -> Option<String> + Send + Sync>;

/// What an [`AuthRefresher`] returns.
#[cfg(feature = "anyhow")]
#[cfg_attr(docsrs, doc(cfg(feature = "anyhow")))]
pub type AuthFuture = std::pin::Pin<Box<dyn Future<Output = anyhow::Result<String>> + Send>>;

/// Fetches a bare token; [`TokenSource`] is the richer form.
#[cfg(feature = "anyhow")]
#[cfg_attr(docsrs, doc(cfg(feature = "anyhow")))]
pub type AuthRefresher = Arc<dyn Fn() -> AuthFuture + Send + Sync>;

/// An [`AuthRefresher`] as the source it is.
#[cfg(feature = "anyhow")]
pub(crate) fn from_refresher(refresher: AuthRefresher) -> Arc<dyn TokenSource> {
    Arc::new(move || {
        let token = refresher();
        async { token.await.map_err(boxed) }
    })
}

/// The error for a [`TokenError`], which must see the type inside of one that has a URL to take off.
#[cfg(feature = "anyhow")]
fn boxed(error: anyhow::Error) -> Box<dyn Error + Send + Sync> {
    if http_clients::is_reqwest(&*error) {
        error.reallocate_into_boxed_dyn_error_without_backtrace()
    } else {
        error.into()
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Error as Inner;

    use super::*;

    #[derive(Debug)]
    struct Outer(Inner);

    impl fmt::Display for Outer {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("no keychain")
        }
    }

    impl Error for Outer {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            Some(&self.0)
        }
    }

    #[test]
    fn an_error_is_seen_through() {
        let error = TokenError::new(Outer(Inner));
        assert_eq!(error.to_string(), "no keychain");
        assert_eq!(format!("{error:?}"), "Outer(Error)");
        assert!(error.source().is_some_and(<dyn Error>::is::<Inner>));
        assert!(error.into_inner().is::<Outer>());
    }
}
