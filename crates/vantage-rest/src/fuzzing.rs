//! What must hold for any bytes that a server sends or a caller puts into a request.
//!
//! For the fuzzer, which sets `cfg(fuzzing)`, and for the tests: no part of the crate's interface.

use url::Url;

use crate::{
    config::ResponseShape,
    decode, json,
    lower::{Pair, Target, join},
};

/// Where requests of [`lower`] must go.
const BASE: &str = "http://api.example:8080/v1";

/// Reads the bytes after the first, which chooses the shape, as a response.
///
/// # Panics
///
/// If a body does not become rows or an error.
pub fn decode(data: &[u8]) {
    let Some((choice, body)) = data.split_first() else { return };
    let shape = match choice % 3 {
        0 => ResponseShape::BareArray,
        1 => ResponseShape::Wrapped { array_key: "data".to_owned() },
        _ => ResponseShape::WrappedByTableName,
    };
    let Ok(value) = json::parse(body) else { return };
    let _ = decode::total(&value, "total");
    let _ = decode::cursor(&value, "next.token");
    let _ = decode::item(value.clone(), &shape, "users/{id}/data");
    let Ok(rows) = decode::rows(value, &shape, "users/{id}/data") else { return };
    let count = rows.len();
    if let Ok(keyed) = decode::keyed(rows, Some("id"), 7) {
        assert_eq!(keyed.len(), count, "a row is lost");
    }
}

/// Reads the bytes as a path template, a row's key, two conditions and a parameter, each a length
/// and its text.
///
/// # Panics
///
/// If a request would go to another origin.
pub fn lower(data: &[u8]) {
    let mut rest = data;
    let mut text = || {
        let (length, after) = rest.split_first()?;
        let (own, after) = after.split_at_checked(usize::from(*length))?;
        rest = after;
        Some(String::from_utf8_lossy(own).into_owned())
    };
    let mut text = || text().unwrap_or_default();
    let (template, key) = (text(), text());
    let conditions: [Pair; 2] = std::array::from_fn(|_| (text(), text()));

    stays(&join(BASE, &template).unwrap_or_default());
    let Ok(target) = Target::of(BASE, &template, &conditions) else { return };
    let url = target.url(&conditions);
    stays(&url);
    if let Ok(item) = target.item(&key) {
        stays(&item.url([]));
    }
    // Values are encoded: only a template can bring what ends a path or a query. What it has in the
    // name of a placeholder goes with it.
    for mark in ['#', '\r', '\n', ' '] {
        assert!(!url.contains(mark) || template.contains(mark), "{url}");
    }
}

/// Whoever sends to `url` sends to where [`BASE`] is, or nowhere.
fn stays(url: &str) {
    if let Ok(parsed) = Url::parse(url) {
        let base = Url::parse(BASE).map(|base| base.origin());
        assert_eq!(Ok(parsed.origin()), base, "{url}");
        assert!(parsed.username().is_empty() && parsed.password().is_none(), "{url}");
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::*;

    /// Pieces of JSON and of noise.
    fn body() -> impl Strategy<Value = Vec<u8>> {
        let pieces = prop::sample::select(vec![
            &b"{"[..],
            b"}",
            b"[",
            b"]",
            b",",
            b":",
            b"\"data\"",
            b"\"id\"",
            b"\"total\"",
            b"\"\\ud800\"",
            b"12345678901234567890123",
            b"1e400",
            b"-0.1234567890123456789",
            b"null",
            b"true",
            b"\xff",
            b"\xef\xbb\xbf",
            b"{\"id\":1}",
            b"{\"data\":[{\"id\":1},{\"id\":2}]}",
        ]);
        vec(pieces, 0..24).prop_map(|pieces| pieces.concat())
    }

    /// Text that means something in a URL.
    fn text() -> impl Strategy<Value = String> {
        let pieces = prop::sample::select(vec![
            "/",
            "\\",
            "..",
            ".",
            "?",
            "#",
            "@",
            ":",
            "%2f",
            "%2e",
            "{id}",
            "{",
            "}",
            "\r\n",
            "\t",
            " ",
            "evil.example",
            "http:",
            "é",
            "\u{ff0e}",
            "&",
            "=",
            "id",
            "users",
            "",
        ]);
        vec(pieces, 0..8).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn any_body_becomes_rows_or_an_error(choice: u8, body in body()) {
            decode(&[&[choice], body.as_slice()].concat());
        }

        #[test]
        fn no_text_takes_a_request_to_another_origin(texts in vec(text(), 6)) {
            let mut data = Vec::new();
            for text in texts {
                data.push(u8::try_from(text.len()).unwrap());
                data.extend_from_slice(text.as_bytes());
            }
            lower(&data);
        }
    }

    #[test]
    fn a_placeholder_may_be_named_by_what_ends_a_line() {
        let texts = ["{\r\n}", "", "\r\n", "?#"].map(str::as_bytes);
        let data: Vec<u8> =
            texts.iter().flat_map(|text| [&[text.len() as u8], *text].concat()).collect();
        lower(&data);
    }

    #[test]
    fn depth_is_refused_and_not_followed() {
        for (open, close) in [("[", "]"), ("{\"data\":", "}")] {
            for levels in [10, 127, 128, 129, 100_000] {
                // A long number takes the other way through the parser.
                for inner in ["1", "12345678901234567890123"] {
                    let body = format!("\0{}{inner}{}", open.repeat(levels), close.repeat(levels));
                    decode(body.as_bytes());
                }
            }
        }
    }
}
