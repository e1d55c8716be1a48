//! The start of a body, as text for people.

use std::borrow::Cow;

/// At most the first `max_chars` characters of `body`, decoded lossily.
///
/// The cut never splits a character, and only the bytes that can reach the
/// result are decoded: a body of any size costs at most `4 * max_chars` bytes
/// of work.
///
/// # Examples
///
/// ```
/// use vantage_transport::snippet;
///
/// assert_eq!(snippet("zażółć".as_bytes(), 4), "zażó");
/// assert_eq!(snippet(b"\xff<html>", 3), "\u{fffd}<h");
/// ```
#[must_use]
pub fn snippet(body: &[u8], max_chars: usize) -> String {
    let reach = max_chars.saturating_mul(4).min(body.len());
    let text: Cow<'_, str> = String::from_utf8_lossy(body.get(..reach).unwrap_or(body));
    text.chars().take(max_chars).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::snippet;

    proptest! {
        // Kills a cut by bytes instead of characters, and a cut that decodes
        // only `max_chars` bytes.
        #[test]
        fn is_the_first_characters_of_the_lossy_text(
            body in proptest::collection::vec(any::<u8>(), 0..64),
            tail in "[a-zé€😀]{0,40}",
            max in 0..40_usize,
        ) {
            let body = [body.as_slice(), tail.as_bytes()].concat();
            let whole: String = String::from_utf8_lossy(&body).chars().take(max).collect();
            prop_assert_eq!(snippet(&body, max), whole);
        }
    }
}
