//! What a server wrote, as it may be shown.

use http::HeaderMap;

use super::ResilientClient;
use super::sensitive::Sensitive;
use crate::auth::Cut;

impl<T> ResilientClient<T> {
    /// `text` with `…` in the place of every token that the server was sent and repeats in it.
    ///
    /// [`ClientError::body`](crate::ClientError::body) has been through it. This is for texts that
    /// are taken from an answer of 2xx, whose body is the caller's to read.
    ///
    /// A token is what this client sent last of its own, and each value of `sent` that is marked as
    /// sensitive, without its scheme. `sent` is what the caller put on the request. What is shorter
    /// than eight bytes is no token. As `text` may be the start of a longer one, a token that begins
    /// at its end and is cut off there is hidden as well. The text does not get longer.
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
        let text = sensitive.redact(text.into(), Cut::Off);
        match &self.inner.credentials {
            Some(credentials) => credentials.redact(text, Cut::Off),
            None => text,
        }
    }
}
