//! Caller headers, checked before anything is sent.

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use vantage_core::{Result, error};

/// `headers` as a header map: of several headers with one name, the last wins.
///
/// Put on a request with [`reqwest::RequestBuilder::headers`], each name
/// replaces what the request had under it, so every name is on the wire once.
///
/// # Errors
///
/// "HTTP header name is not valid" or "HTTP header value is not valid", with
/// the `name` in the context. A message never holds a value.
///
/// # Examples
///
/// ```
/// use vantage_transport::request_headers;
///
/// let headers = request_headers(&[("Accept", "text/csv"), ("accept", "text/html")]).unwrap();
/// assert_eq!(headers.get_all("Accept").iter().count(), 1);
/// assert_eq!(headers["accept"], "text/html");
///
/// let err = request_headers(&[("X-Token", "s3cret\n")]).unwrap_err();
/// assert_eq!(err.to_string(), r#"HTTP header value is not valid (name: "X-Token")"#);
/// ```
pub fn request_headers(headers: &[(&str, &str)]) -> Result<HeaderMap> {
    let mut map = HeaderMap::with_capacity(headers.len());
    for (name, value) in headers {
        let key = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| error!("HTTP header name is not valid", name = name))?;
        let value = HeaderValue::from_str(value)
            .map_err(|_| error!("HTTP header value is not valid", name = name))?;
        map.insert(key, value);
    }
    Ok(map)
}
