//! A client error as the error a Vantage application sees.

use api_pool::ClientError;
use vantage_core::{VantageError, error};

use crate::redact::RedactedUrl;

/// Characters of an error body that go into the context.
const BODY_CHARS: usize = 500;

/// `error` as a [`VantageError`] with this message.
///
/// The context holds, in this order: `url`, `status`, `attempts`, `kind` and,
/// when the answer had a body, its first 500 characters as `body`; or, when no
/// answer arrived, `url`, `attempts`, `kind` and `detail`, the client error's
/// own text.
///
/// # Examples
///
/// ```
/// use api_pool::{ClientError, ErrorKind};
/// use vantage_transport::{Redaction, request_error};
///
/// let url = Redaction::new().url("https://h/users?token=s3cret");
/// let err = request_error("API request failed", &url, &ClientError::new(ErrorKind::Status(503), 1));
/// assert_eq!(
///     err.to_string(),
///     r#"API request failed (url: "https://h/users?token=…", status: 503, attempts: 1, kind: "status")"#
/// );
/// ```
#[must_use]
pub fn request_error(
    message: &'static str,
    url: &RedactedUrl,
    error: &ClientError,
) -> VantageError {
    let (url, kind, attempts) = (url.as_str(), error.kind_name(), error.attempts);
    let Some(status) = error.status() else {
        let detail = error.to_string();
        return error!(message, url = url, attempts = attempts, kind = kind, detail = detail);
    };
    let mut failed = error!(message, url = url, status = status, attempts = attempts, kind = kind);
    if let Some(body) = &error.body {
        let body: String = body.chars().take(BODY_CHARS).collect();
        failed.context.insert("body".to_owned(), format!("{body:?}"));
    }
    failed
}

/// Logs a failed request: a warning when no retry can help, else at `debug`.
pub fn log_failure(url: &RedactedUrl, error: &ClientError) {
    let kind = error.kind_name();
    if error.is_final() {
        tracing::warn!(%url, kind, attempts = error.attempts, %error, "API request failed");
    } else {
        tracing::debug!(%url, kind, attempts = error.attempts, %error, "API request failed");
    }
}
