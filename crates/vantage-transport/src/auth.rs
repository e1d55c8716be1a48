//! Where the credentials of a request come from.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use api_pool::{AuthRefresher, BearerSource};
use reqwest::{
    RequestBuilder,
    header::{AUTHORIZATION, HeaderMap, HeaderValue},
};
use vantage_core::{Result, error};

/// One source of credentials, or none. The `Debug` form never shows a token.
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum Auth {
    /// No credentials.
    #[default]
    None,
    /// The whole value of the `Authorization` header, on every request.
    Fixed(String),
    /// A bearer token the client obtains, keeps, and obtains again after a 401.
    Refresher(AuthRefresher),
    /// A bearer token asked for before every attempt; `None` sends none.
    Source(BearerSource),
}

/// The `Authorization` header of one call, checked before anything is sent.
#[derive(Clone)]
pub struct Authorization(Attached);

#[derive(Clone)]
enum Attached {
    Nothing,
    Value(HeaderValue),
    Source { source: BearerSource, last: Arc<Mutex<Option<HeaderValue>>> },
}

impl Auth {
    /// How a preview or a `Debug` form shows these credentials, if there are any.
    #[must_use]
    pub fn label(&self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Fixed(_) | Self::Refresher(_) => Some("<set>"),
            Self::Source(_) => Some("<per request>"),
        }
    }

    /// The header an adapter attaches to each attempt of one call. A refresher
    /// attaches nothing here: the client it belongs to does.
    ///
    /// # Errors
    ///
    /// "Configured Authorization header value is not valid", never with the value.
    pub fn authorization(&self) -> Result<Authorization> {
        Ok(Authorization(match self {
            Self::None | Self::Refresher(_) => Attached::Nothing,
            Self::Fixed(value) => {
                let mut value = HeaderValue::from_str(value)
                    .map_err(|_| error!("Configured Authorization header value is not valid"))?;
                value.set_sensitive(true);
                Attached::Value(value)
            }
            Self::Source(source) => {
                Attached::Source { source: source.clone(), last: Arc::default() }
            }
        }))
    }
}

impl Authorization {
    /// `request` with these credentials. A source is asked now.
    pub fn attach(&self, request: RequestBuilder) -> RequestBuilder {
        match &self.0 {
            Attached::Nothing => request,
            Attached::Value(value) => request.header(AUTHORIZATION, value),
            Attached::Source { source, last } => match source() {
                Some(token) => match bearer(&token) {
                    Some(value) => {
                        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
                        request.header(AUTHORIZATION, last.insert(value).clone())
                    }
                    // Refused by the client, in its own words.
                    None => request.bearer_auth(token),
                },
                None => request,
            },
        }
    }

    /// What was attached last, marked as sensitive: what
    /// [`ResilientClient::redact`](api_pool::ResilientClient::redact) is to hide in an answer.
    #[must_use]
    pub fn attached(&self) -> HeaderMap {
        let value = match &self.0 {
            Attached::Nothing => None,
            Attached::Value(value) => Some(value.clone()),
            Attached::Source { last, .. } => {
                last.lock().unwrap_or_else(PoisonError::into_inner).clone()
            }
        };
        value.map(|value| (AUTHORIZATION, value)).into_iter().collect()
    }
}

fn bearer(token: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::try_from(format!("Bearer {token}")).ok()?;
    value.set_sensitive(true);
    Some(value)
}

impl fmt::Debug for Auth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label().unwrap_or("None"))
    }
}

impl fmt::Debug for Authorization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authorization").finish_non_exhaustive()
    }
}
