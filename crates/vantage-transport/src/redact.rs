//! URLs without their credentials, for error contexts and logs.

use std::{borrow::Cow, fmt, sync::Arc};

use url::form_urlencoded;

/// What a masked value is replaced with.
const MASK: &str = "…";

/// Words that make a query key credential-like when they stand alone in it
/// (`key`, `api_key`, `X-Amz-Signature`).
const WORDS: &[&str] = &[
    "apikey",
    "auth",
    "authorization",
    "credential",
    "credentials",
    "jwt",
    "key",
    "passwd",
    "password",
    "pwd",
    "secret",
    "session",
    "sig",
    "signature",
    "token",
];

/// Endings that make a key credential-like although it is written as one word
/// (`accesstoken`).
const ENDINGS: &[&str] = &["apikey", "accesskey", "password", "secret", "signature", "token"];

/// Keys that are credentials only as the whole key: `code` is an OAuth
/// credential, `country_code` is data.
const WHOLE: &[&str] = &["code"];

/// Which parts of a URL are masked before it is shown.
///
/// User-info always is. Of the query (and of a fragment written like one), the
/// values of credential-like keys are: `key`, `token`, `secret`, `signature`,
/// `password`, `code` and their usual spellings. The rest of the URL stays
/// readable. Any text is accepted: a URL that does not parse is masked by the
/// same rules.
///
/// # Examples
///
/// ```
/// use vantage_transport::Redaction;
///
/// let redaction = Redaction::new();
/// assert_eq!(
///     redaction.url("https://me:pw@api.example.com/users?_page=2&api_key=s3cret").as_str(),
///     "https://…@api.example.com/users?_page=2&api_key=…"
/// );
///
/// let strict = redaction.with_key("member");
/// assert_eq!(strict.url("http://h/p?member=7&page=1").as_str(), "http://h/p?member=…&page=1");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Redaction {
    keys: Arc<[String]>,
    values: Values,
}

#[derive(Clone, Copy, Debug, Default)]
enum Values {
    #[default]
    CredentialLike,
    All,
}

/// A URL that may be shown: its credentials are masked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedactedUrl(String);

impl Redaction {
    /// Masks user-info and the values of credential-like keys.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Masks the values of `key` as well, whatever its case.
    #[must_use]
    pub fn with_key(self, key: impl Into<String>) -> Self {
        let keys = self.keys.iter().cloned().chain([key.into()]).collect();
        Self { keys, ..self }
    }

    /// Masks every query value.
    #[must_use]
    pub fn with_all_values(self) -> Self {
        Self { values: Values::All, ..self }
    }

    /// `url` with its credentials masked.
    #[must_use]
    pub fn url(&self, url: &str) -> RedactedUrl {
        let (url, fragment) = split_at(url, '#');
        let (address, query) = split_at(url, '?');
        let mut shown = mask_user_info(address);
        if let Some(query) = query {
            shown.push('?');
            self.mask_pairs(query, &mut shown);
        }
        if let Some(fragment) = fragment {
            shown.push('#');
            self.mask_pairs(fragment, &mut shown);
        }
        RedactedUrl(shown)
    }

    fn mask_pairs(&self, pairs: &str, shown: &mut String) {
        for (index, pair) in pairs.split('&').enumerate() {
            if index > 0 {
                shown.push('&');
            }
            match pair.split_once('=') {
                Some((key, value)) if !value.is_empty() && self.masks(key) => {
                    shown.push_str(key);
                    shown.push('=');
                    shown.push_str(MASK);
                }
                _ => shown.push_str(pair),
            }
        }
    }

    fn masks(&self, encoded_key: &str) -> bool {
        if matches!(self.values, Values::All) {
            return true;
        }
        let key = decoded(encoded_key);
        let lower = key.to_lowercase();
        self.keys.iter().any(|own| own.to_lowercase() == lower)
            || WHOLE.contains(&lower.as_str())
            || ENDINGS.iter().any(|ending| lower.ends_with(ending))
            || words(&key).any(|word| WORDS.contains(&word.as_str()))
    }
}

impl RedactedUrl {
    /// The URL as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RedactedUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn split_at(text: &str, separator: char) -> (&str, Option<&str>) {
    match text.split_once(separator) {
        Some((before, after)) => (before, Some(after)),
        None => (text, None),
    }
}

/// `address` (scheme, authority and path) without its user-info.
///
/// A password may hold an unescaped `/`, with which the text is no URL any
/// more. So everything up to the last `@` is taken as user-info when what
/// precedes the first `/` could not be a host and port.
fn mask_user_info(address: &str) -> String {
    let start = address.find("://").map_or(0, |at| at + "://".len());
    let (scheme, rest) = address.split_at(start);
    let authority = rest.split(['/', '\\']).next().unwrap_or(rest);
    let reach = match authority.rsplit_once(':') {
        Some((_, port)) if !authority.contains('@') && !is_port(port) => rest,
        _ => authority,
    };
    match reach.rfind('@') {
        Some(at) => format!("{scheme}{MASK}{}", rest.get(at..).unwrap_or_default()),
        None => address.to_owned(),
    }
}

fn is_port(text: &str) -> bool {
    text.ends_with(']') || (!text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()))
}

fn decoded(key: &str) -> Cow<'_, str> {
    match form_urlencoded::parse(key.as_bytes()).next() {
        Some((name, _)) => Cow::Owned(name.into_owned()),
        None => Cow::Borrowed(key),
    }
}

/// The words of `key`, lower case: split at anything that is not a letter or a
/// digit, and where camel case starts a word.
fn words(key: &str) -> impl Iterator<Item = String> {
    let mut words = vec![String::new()];
    let mut after_lower = false;
    for c in key.chars() {
        let boundary = !c.is_alphanumeric() || (c.is_uppercase() && after_lower);
        if boundary {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        after_lower = c.is_lowercase() || c.is_numeric();
    }
    words.into_iter()
}

#[cfg(test)]
mod tests;
