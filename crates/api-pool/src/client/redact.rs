//! What a server wrote, as it may be shown.

use http::HeaderMap;

use super::sensitive::Sensitive;
use super::{Inner, ResilientClient};
use crate::auth::{Cut, Secrets};

impl<T> ResilientClient<T> {
    /// `text` with `…` in the place of every token that the server was sent and repeats in it.
    ///
    /// [`ClientError::body`](crate::ClientError::body) has been through it. This is for texts that
    /// are taken from an answer of 2xx, whose body is the caller's to read.
    ///
    /// A token is what this client sent last of its own, and each value of `sent` that is marked as
    /// sensitive: as a whole, and each part of it, such as what follows a scheme or the value of a
    /// cookie. `sent` is what the caller put on the request. What is shorter than eight bytes is no
    /// token. A token is looked for as it was sent and with each `/` as `\/`, which JSON allows, and
    /// not in other encodings, such as that of URLs. As `text` may be the start of a longer one, a
    /// token that begins at its end and is cut off there is hidden as well. The text does not get
    /// longer.
    ///
    /// # Examples
    ///
    /// ```
    /// use api_pool::ResilientClient;
    /// use http::{HeaderMap, HeaderValue};
    ///
    /// let mut key = HeaderValue::from_static("s3cr3t-k3y");
    /// key.set_sensitive(true);
    /// let sent = HeaderMap::from_iter([(http::HeaderName::from_static("x-api-key"), key)]);
    ///
    /// let client = ResilientClient::builder().build();
    /// assert_eq!(client.redact("no plan for s3cr3t-k3y", &sent), "no plan for …");
    /// assert_eq!(client.redact("no plan for s3cr3t", &sent), "no plan for …");
    /// ```
    #[must_use]
    pub fn redact(&self, text: impl Into<String>, sent: &HeaderMap) -> String {
        let mut sensitive = Sensitive::default();
        sensitive.remember(sent);
        self.inner.secrets(&sensitive).hide(text.into(), Cut::Off)
    }
}

impl<T> Inner<T> {
    /// What the server was sent and nobody is shown.
    pub(super) fn secrets(&self, sensitive: &Sensitive) -> Secrets {
        let mut secrets = Secrets::default();
        sensitive.tell(&mut secrets);
        if let Some(credentials) = &self.credentials {
            credentials.tell(&mut secrets);
        }
        secrets
    }
}
