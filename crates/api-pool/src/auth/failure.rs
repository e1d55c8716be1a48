//! Why a call has no credential.

use std::{error::Error, sync::Arc, time::Duration};

use super::source::TokenError;
use crate::error::ErrorKind;

/// The end of a call that could not be given a credential, in words without a secret of ours.
#[derive(Clone, Debug)]
pub(crate) struct AuthFailure {
    kind: ErrorKind,
    source: Option<Arc<dyn Error + Send + Sync>>,
    took: Duration,
}

impl AuthFailure {
    /// The credential's header can never be sent.
    pub(super) fn invalid_name() -> Self {
        let text = "the name of the credential's header is not a valid header name";
        Self::because(ErrorKind::Request(text.to_owned()))
    }

    /// The scheme, or the token that was fetched, cannot be sent in a header.
    pub(super) fn invalid_value() -> Self {
        let text = "the credential is not a valid header value";
        Self::because(ErrorKind::Request(text.to_owned()))
    }

    /// The source panicked.
    pub(super) fn panicked() -> Self {
        Self::because(ErrorKind::Auth("the token source panicked".to_owned()))
    }

    /// The source has no token, for a reason of its own.
    pub(super) fn refresh(error: TokenError) -> Self {
        let failure = Self::because(ErrorKind::Auth(error.to_string()));
        Self { source: Some(error.into_inner().into()), ..failure }
    }

    fn because(kind: ErrorKind) -> Self {
        Self { kind, source: None, took: Duration::ZERO }
    }

    /// Sets how long the source took to fail.
    pub(super) fn took_as_long_as(self, took: Duration) -> Self {
        Self { took, ..self }
    }

    /// `Auth` with the source's own text, or `Request` if the header cannot be sent.
    pub(crate) fn kind(&self) -> ErrorKind {
        self.kind.clone()
    }

    /// How long the source took, without any wait before it was asked.
    pub(crate) const fn took(&self) -> Duration {
        self.took
    }

    /// The source's error, if there is one.
    pub(crate) fn into_source(self) -> Option<Arc<dyn Error + Send + Sync>> {
        self.source
    }
}
