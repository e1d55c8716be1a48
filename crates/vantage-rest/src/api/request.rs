//! [`RestRequest`]: a request as a value.

use std::fmt;

use reqwest::{
    Method, RequestBuilder,
    header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue},
};
use serde_json::Value as Json;
use vantage_core::{Result, error};

/// A request for [`RestApi::send`](crate::RestApi::send).
///
/// # Examples
///
/// ```
/// use reqwest::Method;
/// use vantage_rest::RestRequest;
///
/// let request = RestRequest::new(Method::POST, "imports")
///     .header("X-Tag", "a")
///     .header("X-Tag", "b")
///     .body("text/csv", "id,name\n1,one\n");
/// assert_eq!(request.path(), "imports");
/// ```
#[derive(Clone)]
#[must_use = "a request does nothing until it is sent"]
pub struct RestRequest {
    method: Method,
    path: String,
    headers: Vec<(String, String)>,
    body: Option<Body>,
}

#[derive(Clone)]
enum Body {
    Bytes { content_type: String, bytes: Vec<u8> },
    Json(Json),
}

impl RestRequest {
    /// A request without headers or a body.
    pub fn new(method: Method, path: impl Into<String>) -> Self {
        Self { method, path: path.into(), headers: Vec::new(), body: None }
    }

    /// Adds a header. A repeated name is on the wire once per value; a name
    /// given here replaces the configured credentials.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Sends `bytes` as `content_type`.
    pub fn body(self, content_type: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        let body = Body::Bytes { content_type: content_type.into(), bytes: bytes.into() };
        Self { body: Some(body), ..self }
    }

    /// Sends `body` as JSON.
    pub fn json(self, body: Json) -> Self {
        Self { body: Some(Body::Json(body)), ..self }
    }

    /// The method.
    #[must_use]
    pub fn method(&self) -> &Method {
        &self.method
    }

    /// The path, relative to the API's base URL.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The headers, checked; repeated names keep all their values.
    pub(super) fn checked_headers(&self) -> Result<HeaderMap> {
        let mut map = HeaderMap::with_capacity(self.headers.len() + 1);
        if let Some(Body::Bytes { content_type, .. }) = &self.body {
            map.insert(CONTENT_TYPE, value("Content-Type", content_type)?);
        }
        let mut own = HeaderMap::with_capacity(self.headers.len());
        for (name, text) in &self.headers {
            let key = HeaderName::from_bytes(name.as_bytes())
                .map_err(|_| error!("HTTP header name is not valid", name = name))?;
            own.append(key, value(name, text)?);
        }
        for name in own.keys() {
            map.remove(name);
        }
        map.extend(own);
        Ok(map)
    }

    pub(super) fn apply(&self, request: RequestBuilder, headers: &HeaderMap) -> RequestBuilder {
        let request = match &self.body {
            None => request,
            Some(Body::Json(json)) => request.json(json),
            Some(Body::Bytes { bytes, .. }) => request.body(bytes.clone()),
        };
        request.headers(headers.clone())
    }
}

fn value(name: &str, text: &str) -> Result<HeaderValue> {
    HeaderValue::from_str(text).map_err(|_| error!("HTTP header value is not valid", name = name))
}

impl fmt::Debug for RestRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.headers.iter().map(|(name, _)| name).collect();
        f.debug_struct("RestRequest")
            .field("method", &self.method)
            .field("headers", &names)
            .finish_non_exhaustive()
    }
}
