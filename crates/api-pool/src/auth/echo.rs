//! Tokens in what a server sends back.

use http::HeaderValue;

/// What stands in the place of a token.
const HIDDEN: &str = "…";

/// A text that is no longer than this is not looked for: it would tear ordinary words apart, and
/// is no secret.
const LONGEST_WORD: usize = 7;

/// Whether a text is the start of a longer one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// It is, and may end within a token.
    Off,
    /// It is all there is.
    Nowhere,
}

/// `text` without the secret of a header value: what follows its scheme, if it has one.
pub(crate) fn hide(text: String, value: &HeaderValue, cut: Cut) -> String {
    let value = String::from_utf8_lossy(value.as_bytes());
    let secret = value.split_once(' ').map_or(&*value, |(_, secret)| secret);
    redact(text, secret.trim(), cut)
}

/// `text` without `token`. The text does not get longer.
pub(super) fn redact(text: String, token: &str, cut: Cut) -> String {
    if token.len() <= LONGEST_WORD {
        return text;
    }
    let mut text = if text.contains(token) { text.replace(token, HIDDEN) } else { text };
    if cut == Cut::Off
        && let Some(length) = start_at_end(&text, token)
    {
        text.truncate(text.len() - length);
        text.push_str(HIDDEN);
    }
    text
}

/// How much of the end of `text` is the start of `token`; nothing that is shorter than the mark.
fn start_at_end(text: &str, token: &str) -> Option<usize> {
    let starts = token.char_indices().map(|(end, _)| end).rev();
    starts
        .take_while(|&length| HIDDEN.len() <= length)
        .find(|&length| token.get(..length).is_some_and(|start| text.ends_with(start)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "s3cr3t-t0ken";

    fn of(text: &str, cut: Cut) -> String {
        redact(text.to_owned(), TOKEN, cut)
    }

    #[test]
    fn a_token_is_hidden_wherever_it_stands() {
        let echo = format!(r#"{{"authorization":"Bearer {TOKEN}","again":"{TOKEN}{TOKEN}"}}"#);
        assert_eq!(of(&echo, Cut::Nowhere), r#"{"authorization":"Bearer …","again":"……"}"#);
        assert_eq!(of("no such order", Cut::Nowhere), "no such order");
    }

    #[test]
    fn a_token_cut_anywhere_shows_less_than_the_mark_that_hides_it() {
        for length in 1..TOKEN.len() {
            let text = format!("sent: {}", &TOKEN[..length]);
            let shown = if length < HIDDEN.len() { text.as_str() } else { "sent: …" };
            assert_eq!(of(&text, Cut::Off), shown);
            assert_eq!(of(&text, Cut::Nowhere), text, "what is complete ends as it ends");
        }
    }

    #[test]
    fn of_a_header_value_the_scheme_may_be_seen() {
        for value in [TOKEN.to_owned(), format!("Bearer {TOKEN}"), format!("Basic  {TOKEN}")] {
            let value = HeaderValue::try_from(value).unwrap();
            let echo = format!("sent: {}", value.to_str().unwrap());
            assert!(!hide(echo, &value, Cut::Nowhere).contains(TOKEN));
        }
        let value = HeaderValue::from_static("Bearer s3cr3t-t0ken");
        assert_eq!(hide("Bearer s3cr3t-t0ken".to_owned(), &value, Cut::Nowhere), "Bearer …");
    }

    #[test]
    fn a_short_word_is_no_secret() {
        assert_eq!(redact("a cat sat".to_owned(), "a", Cut::Off), "a cat sat");
        assert_eq!(redact("a letter".to_owned(), "letters", Cut::Off), "a letter");
        assert_eq!(redact("a sentence".to_owned(), "sentence", Cut::Off), "a …");
    }

    #[test]
    fn a_token_of_other_letters_is_cut_between_them() {
        assert_eq!(redact("sent: żółw".to_owned(), "żółwiątko", Cut::Off), "sent: …");
    }
}
