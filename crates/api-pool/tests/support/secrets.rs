//! What no output may show, and everything that a program may print.

#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::error::Error as StdError;
use std::fmt::{Debug, Write as _};

/// One for each place that a secret can be in, and the encoded form of the user-info.
pub(crate) const CANARIES: [&str; 10] = [
    "canary-token",
    "canary-user",
    "canary-password",
    "Y2FuYXJ5LXVzZXI6Y2FuYXJ5LXBhc3N3b3Jk",
    "canary-query",
    "canary-key",
    "canary-idempotency",
    "canary-cookie",
    "canary-body",
    "canary-location",
];

/// Everything that a program may print.
#[derive(Default)]
pub(crate) struct Output(pub(crate) String);

impl Output {
    pub(crate) fn debug(&mut self, value: &dyn Debug) {
        let _ = writeln!(self.0, "{value:?}\n{value:#?}");
    }

    pub(crate) fn error(&mut self, error: &(dyn StdError + 'static)) {
        let chain = std::iter::successors(Some(error), |&error| error.source());
        for error in chain {
            let _ = writeln!(self.0, "{error}\n{error:#}");
            self.debug(&error);
        }
    }

    /// The canaries in it.
    pub(crate) fn leaks(&self) -> Vec<&'static str> {
        CANARIES.into_iter().filter(|canary| self.0.contains(canary)).collect()
    }
}

/// `http://h:1` with everything in it that should not be.
pub(crate) fn secret(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").expect("an absolute URL");
    format!("{scheme}://canary-user:canary-password@{rest}/?api_key=canary-query&page=2")
}

pub(crate) fn order(http: &reqwest::Client, url: &str) -> reqwest::RequestBuilder {
    http.post(url)
        .header("X-Api-Key", "canary-key")
        .header("Idempotency-Key", "canary-idempotency")
        .header("Cookie", "canary-cookie")
        .body("canary-body")
}
