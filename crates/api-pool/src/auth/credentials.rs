//! The credentials of a client: a token source, and the header its tokens travel in.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use http::{HeaderName, HeaderValue};

use super::{
    echo::Secrets,
    failure::AuthFailure,
    scope,
    shared::{Refresh, Shared},
    slot::Generation,
    source::{Token, TokenSource},
};
use crate::clock;

/// What goes on a request.
#[derive(Clone, Debug)]
pub(crate) struct Credential<'a> {
    header: &'a HeaderName,
    /// Marked as sensitive: its `Debug` does not show it.
    value: Arc<HeaderValue>,
    generation: Generation,
}

impl Credential<'_> {
    /// Which token it is made of.
    pub(crate) const fn generation(&self) -> Generation {
        self.generation
    }

    /// The header to set.
    pub(crate) fn to_header(&self) -> (HeaderName, HeaderValue) {
        (self.header.clone(), HeaderValue::clone(&self.value))
    }
}

/// A source of tokens and the header that carries them.
pub(crate) struct Credentials {
    source: Arc<dyn TokenSource>,
    /// `None` if the configured name is not a header name.
    header: Option<HeaderName>,
    /// Goes directly before the token. `None` if no token could make it a header value.
    scheme: Option<Arc<str>>,
    shared: Arc<Shared>,
    refreshes: Arc<AtomicU64>,
    /// The newest generation that got an answer other than 401.
    accepted: AtomicU64,
}

impl Credentials {
    /// Sends `header: <scheme><token>`. A header that cannot be sent is a failure of each call.
    pub(crate) fn new(
        source: Arc<dyn TokenSource>,
        header: impl Into<String>,
        scheme: impl Into<String>,
    ) -> Self {
        let scheme = scheme.into();
        let sendable = HeaderValue::from_bytes(scheme.as_bytes()).is_ok();
        Self {
            source,
            header: HeaderName::try_from(header.into()).ok(),
            scheme: sendable.then(|| scheme.into()),
            shared: Arc::new(Shared::new()),
            refreshes: Arc::new(AtomicU64::new(0)),
            accepted: AtomicU64::new(Generation::NONE.number()),
        }
    }

    /// Whether the current task is fetching a token for this client.
    pub(crate) fn is_fetching(&self) -> bool {
        scope::is_inside(self.client())
    }

    /// The credential for the next attempt, if it takes no wait.
    pub(crate) fn at_hand(&self) -> Option<Credential<'_>> {
        if self.is_fetching() {
            return None;
        }
        let header = self.header.as_ref()?;
        let (value, generation) = self.shared.at_hand()?;
        Some(Credential { header, value, generation })
    }

    /// The credential for the next attempt: the token at hand, or a wait for the one refresh in
    /// flight. `None` in a call that is part of that refresh.
    ///
    /// No slot may be held across it: a refresh may take as long as a sign-in does.
    ///
    /// # Errors
    ///
    /// [`AuthFailure`] if the refresh fails and no token is left that is still good, or if the
    /// header cannot be sent.
    ///
    /// # Panics
    ///
    /// If the source does, in the call that polled it. The others get an error.
    ///
    /// # Cancel safety
    ///
    /// Another waiter goes on with the refresh; if there is none, it is dropped.
    pub(crate) async fn ready(&self) -> Result<Option<Credential<'_>>, AuthFailure> {
        let header = self.header.as_ref().ok_or_else(AuthFailure::invalid_name)?;
        let scheme = self.scheme.as_ref().ok_or_else(AuthFailure::invalid_value)?;
        if self.is_fetching() {
            return Ok(None);
        }
        let (value, generation) = match self.shared.current(|| self.refresh(scheme)) {
            Ok(ready) => ready,
            Err(waiting) => waiting.answer().await?,
        };
        Ok(Some(Credential { header, value, generation }))
    }

    /// The server answered 401 to that generation: it is not used again. Nothing changes if there
    /// is a newer one.
    pub(crate) fn refused(&self, generation: Generation) {
        self.shared.refused(generation);
    }

    /// The server answered something other than 401 to that generation.
    pub(crate) fn accepted(&self, generation: Generation) {
        // Almost always known, and then nothing is written.
        if self.accepted.load(Ordering::Relaxed) < generation.number() {
            self.accepted.fetch_max(generation.number(), Ordering::Relaxed);
        }
    }

    /// The newest generation that was [`accepted`](Self::accepted).
    pub(crate) fn newest_accepted(&self) -> Option<Generation> {
        let newest = Generation::from_number(self.accepted.load(Ordering::Relaxed));
        Some(newest).filter(|&newest| newest > Generation::NONE)
    }

    /// Tells the tokens sent last.
    pub(crate) fn tell(&self, secrets: &mut Secrets) {
        let scheme = self.scheme.as_deref().unwrap_or_default();
        for value in self.shared.made() {
            secrets.add(value.as_bytes().strip_prefix(scheme.as_bytes()).unwrap_or_default());
        }
    }

    /// How often the source was asked.
    pub(crate) fn refreshes(&self) -> u64 {
        self.refreshes.load(Ordering::Relaxed)
    }

    fn refresh(&self, scheme: &Arc<str>) -> Refresh {
        let (source, scheme) = (Arc::clone(&self.source), Arc::clone(scheme));
        let refreshes = Arc::clone(&self.refreshes);
        let refresh = async move {
            refreshes.fetch_add(1, Ordering::Relaxed);
            let asked = clock::now();
            let token = source.token().await;
            let took = clock::now().saturating_duration_since(asked);
            let fetched = match token {
                Ok(token) => header_value(&scheme, &token).map(|value| (value, token.lifetime())),
                Err(error) => Err(AuthFailure::refresh(error)),
            };
            fetched.map_err(|failure| failure.took_as_long_as(took))
        };
        Box::pin(scope::enter(self.client(), refresh))
    }

    /// What tells this client from all others that exist.
    fn client(&self) -> usize {
        Arc::as_ptr(&self.shared).addr()
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials")
            .field("header", &self.header)
            .field("refreshes", &self.refreshes())
            .finish_non_exhaustive()
    }
}

fn header_value(scheme: &str, token: &Token) -> Result<HeaderValue, AuthFailure> {
    let mut value = HeaderValue::try_from([scheme, token.secret()].concat())
        .map_err(|_| AuthFailure::invalid_value())?;
    value.set_sensitive(true);
    Ok(value)
}

#[cfg(all(test, not(pool_loom)))]
mod model;
#[cfg(all(test, not(pool_loom)))]
mod tests;
