//! How long the server asks to wait.

use std::time::Duration;

use http::header::RETRY_AFTER;
use http::{HeaderMap, HeaderValue};
use retry_core::retry_after;

use crate::policy::Dates;

/// The longest usable `Retry-After` of a response.
pub(crate) fn read(headers: &HeaderMap, dates: Dates) -> Option<Duration> {
    let lines = headers.get_all(RETRY_AFTER).iter().map(HeaderValue::as_bytes);
    match dates {
        Dates::Ignored => retry_after::longest(lines),
        #[cfg(feature = "http-date")]
        Dates::Read => {
            let date = headers.get(http::header::DATE).map(HeaderValue::as_bytes);
            let now = retry_core::http_date::server_time(date, crate::clock::since_epoch());
            retry_after::longest_at(lines, now)
        }
    }
}
