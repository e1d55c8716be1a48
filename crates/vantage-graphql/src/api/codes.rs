//! Error codes that mean what a status would.

use serde::{Deserialize, de::IgnoredAny};

/// Which error codes of a 200 are treated as the status they mean.
///
/// Servers report most failures in the body of a 200, where no transport sees
/// them. A response with one of these codes counts as the status instead: a
/// throttled one as a 429, which is retried under
/// [`Priority::Essential`](crate::Priority) and honours `Retry-After`; an
/// unauthenticated one as a 401, which makes a token refresher obtain another
/// token, once. If that does not help, the error is the status's.
///
/// # Examples
///
/// ```
/// use vantage_graphql::{ErrorCodes, GraphqlApi};
///
/// let api = GraphqlApi::builder("https://api.example/graphql")
///     .error_codes(ErrorCodes::common().with_throttled("MAX_COST_EXCEEDED"))
///     .build();
/// # drop(api);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErrorCodes {
    throttled: Vec<String>,
    unauthenticated: Vec<String>,
}

impl ErrorCodes {
    /// No codes yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// What widely used servers send: `THROTTLED`, `RATE_LIMITED` and
    /// `TOO_MANY_REQUESTS`; `UNAUTHENTICATED`.
    #[must_use]
    pub fn common() -> Self {
        ["THROTTLED", "RATE_LIMITED", "TOO_MANY_REQUESTS"]
            .into_iter()
            .fold(Self::new(), Self::with_throttled)
            .with_unauthenticated("UNAUTHENTICATED")
    }

    /// Takes `code` for a 429.
    #[must_use]
    pub fn with_throttled(mut self, code: impl Into<String>) -> Self {
        self.throttled.push(code.into());
        self
    }

    /// Takes `code` for a 401.
    #[must_use]
    pub fn with_unauthenticated(mut self, code: impl Into<String>) -> Self {
        self.unauthenticated.push(code.into());
        self
    }

    /// The status that the body of a 200 means, if one of its errors has a
    /// known code. A token is obtained before a wait is accepted.
    pub(crate) fn status(&self, body: &[u8]) -> Option<u16> {
        let reported: Reported<'_> = serde_json::from_slice(body).ok()?;
        let errors = reported.errors.unwrap_or_default();
        let has = |codes: &[String]| {
            errors.iter().filter_map(Entry::code).any(|code| codes.iter().any(|own| own == code))
        };
        if has(&self.unauthenticated) { Some(401) } else { has(&self.throttled).then_some(429) }
    }
}

/// The codes of a response, and nothing else of it.
#[derive(Deserialize)]
struct Reported<'b> {
    #[serde(borrow, default)]
    errors: Option<Vec<Entry<'b>>>,
    #[expect(dead_code, reason = "skipped without being built")]
    #[serde(default)]
    data: IgnoredAny,
}

#[derive(Deserialize)]
struct Entry<'b> {
    #[serde(borrow, default)]
    extensions: Option<Extensions<'b>>,
}

#[derive(Deserialize)]
struct Extensions<'b> {
    #[serde(borrow, default)]
    code: Option<Code<'b>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Code<'b> {
    Text(#[serde(borrow)] std::borrow::Cow<'b, str>),
    Other(IgnoredAny),
}

impl Entry<'_> {
    fn code(&self) -> Option<&str> {
        match self.extensions.as_ref()?.code.as_ref()? {
            Code::Text(code) => Some(code),
            Code::Other(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_body_makes_it_panic(body: Vec<u8>) {
            prop_assert_eq!(ErrorCodes::common().status(&body), None);
        }
    }

    #[test]
    fn codes_become_the_status_they_mean() {
        let codes = ErrorCodes::common().with_throttled("SLOW");
        for (body, status) in [
            (r#"{"errors":[{"message":"m","extensions":{"code":"THROTTLED"}}]}"#, Some(429)),
            (r#"{"data":{"a":[1]},"errors":[{},{"extensions":{"code":"SLOW"}}]}"#, Some(429)),
            (r#"{"errors":[{"extensions":{"code":"UNAUTHENTICATED","x":[{}]}}]}"#, Some(401)),
            (
                r#"{"errors":[{"extensions":{"code":"SLOW"}},{"extensions":{"code":"UNAUTHENTICATED"}}]}"#,
                Some(401),
            ),
            (r#"{"errors":[{"extensions":{"code":"OTHER"}}]}"#, None),
            (r#"{"errors":[{"extensions":{"code":429}}]}"#, None),
            (r#"{"errors":[{"extensions":null}]}"#, None),
            (r#"{"errors":null,"data":{}}"#, None),
            (r#"{"data":{}}"#, None),
            ("no json", None),
            ("", None),
        ] {
            assert_eq!(codes.status(body.as_bytes()), status, "{body}");
        }
        assert_eq!(
            ErrorCodes::new().status(br#"{"errors":[{"extensions":{"code":"THROTTLED"}}]}"#),
            None
        );
    }
}
