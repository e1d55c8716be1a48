//! Secrets in what a server sends back.

use core::ops::Range;

/// What stands in the place of a secret.
const HIDDEN: &str = "…";

/// A text that is no longer than this is not looked for: it would tear ordinary words apart, and
/// is no secret.
const LONGEST_WORD: usize = 7;

/// Whether a text is the start of a longer one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// It is, and may end within a secret.
    Off,
    /// It is all there is.
    Nowhere,
}

/// What is shown to nobody, wherever a server repeats it.
#[derive(Default)]
pub(crate) struct Secrets(Vec<String>);

impl Secrets {
    /// Adds what a header field was sent with: as a whole, and each part that a server may repeat
    /// by itself. Nobody knows which of them is the secret.
    pub(crate) fn add(&mut self, value: &[u8]) {
        let value = String::from_utf8_lossy(value);
        let value = value.trim();
        let (first, rest) = value.split_once(' ').unwrap_or((value, ""));
        let rest = rest.trim();
        // What follows a scheme is hidden; the scheme may be seen.
        if !is_scheme(first) || rest.len() <= LONGEST_WORD {
            self.push(value);
        }
        self.push(rest);
        for part in value.split([' ', '\t', ';', ',']) {
            self.push(part);
            // Of a cookie or a parameter (RFC 9110 §11.2).
            if let Some((_, value)) = part.split_once('=') {
                self.push(value.trim_matches('"'));
            }
        }
    }

    fn push(&mut self, secret: &str) {
        if secret.len() <= LONGEST_WORD {
            return;
        }
        if secret.contains('/') {
            // As many a server writes it in JSON.
            self.0.push(secret.replace('/', r"\/"));
        }
        self.0.push(secret.to_owned());
    }

    /// `text` without them. The text does not get longer.
    pub(crate) fn hide(&self, text: String, cut: Cut) -> String {
        let spans = self.0.iter().flat_map(|secret| spans(&text, secret, cut));
        let mut spans: Vec<_> = spans.collect();
        spans.sort_unstable_by_key(|span| span.start);
        let (mut shown, mut end) = (String::new(), 0);
        for span in spans {
            // Of those that overlap, each is hidden to its end.
            if end <= span.start {
                shown.push_str(&text[end..span.start]);
                shown.push_str(HIDDEN);
            }
            end = end.max(span.end);
        }
        if end == 0 {
            return text;
        }
        shown.push_str(&text[end..]);
        shown
    }
}

/// Whether a first word may be a scheme (RFC 9110 §11.1) and is too short to be a secret.
fn is_scheme(word: &str) -> bool {
    word.len() <= LONGEST_WORD && word.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Where `text` shows `secret`.
fn spans(text: &str, secret: &str, cut: Cut) -> impl Iterator<Item = Range<usize>> {
    let whole = text.match_indices(secret).map(|(start, _)| start..start + secret.len());
    let begun = if cut == Cut::Off { start_at_end(text, secret) } else { None };
    whole.chain(begun.map(|length| text.len() - length..text.len()))
}

/// How much of the end of `text` is the start of `secret`; nothing that is shorter than the mark.
fn start_at_end(text: &str, secret: &str) -> Option<usize> {
    let starts = secret.char_indices().map(|(end, _)| end).rev();
    starts
        .take_while(|&length| HIDDEN.len() <= length)
        .find(|&length| secret.get(..length).is_some_and(|start| text.ends_with(start)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "s3cr3t-t0ken";

    /// What is shown of `text` to whom was sent `values`.
    fn shown(text: &str, values: &[&str], cut: Cut) -> String {
        let mut secrets = Secrets::default();
        values.iter().for_each(|value| secrets.add(value.as_bytes()));
        secrets.hide(text.to_owned(), cut)
    }

    #[test]
    fn a_token_is_hidden_wherever_it_stands() {
        let echo = format!(r#"{{"authorization":"Bearer {TOKEN}","again":"{TOKEN}{TOKEN}"}}"#);
        let hidden = r#"{"authorization":"Bearer …","again":"……"}"#;
        assert_eq!(shown(&echo, &[TOKEN], Cut::Nowhere), hidden);
        assert_eq!(shown("no such order", &[TOKEN], Cut::Nowhere), "no such order");
    }

    #[test]
    fn a_token_cut_anywhere_shows_less_than_the_mark_that_hides_it() {
        for length in 1..TOKEN.len() {
            let text = format!("sent: {}", &TOKEN[..length]);
            let cut = if length < HIDDEN.len() { text.as_str() } else { "sent: …" };
            assert_eq!(shown(&text, &[TOKEN], Cut::Off), cut);
            assert_eq!(shown(&text, &[TOKEN], Cut::Nowhere), text, "the end of what is complete");
        }
    }

    #[test]
    fn of_a_header_value_the_scheme_may_be_seen() {
        for scheme in ["Bearer", "Basic", "DPoP", "ApiKey"] {
            for sent in [format!("{scheme} {TOKEN}"), format!("{scheme}  {TOKEN} ")] {
                let echo = format!("{scheme} {TOKEN}, {TOKEN}");
                assert_eq!(shown(&echo, &[&sent], Cut::Nowhere), format!("{scheme} …, …"));
            }
        }
    }

    #[test]
    fn a_first_word_that_may_be_the_secret_is_no_scheme() {
        let cases = [
            ("SECRETSECRET1 v1", "…"),
            ("SECRETSECRET1 version-1", "…"),
            ("Basic YTpi", "…"),
            ("a=x; b=y", "…"),
            ("a=x; b=SECRETSECRET1", "…"),
            ("a SECRETSECRET1", "a …"),
        ];
        for (sent, hidden) in cases {
            assert_eq!(shown(&format!("{sent}."), &[sent], Cut::Nowhere), format!("{hidden}."));
        }
    }

    #[test]
    fn a_part_of_a_header_value_is_hidden_by_itself() {
        let sent = [
            "sid=SECRETSECRET1; b=2",
            "b=2;sid=SECRETSECRET1",
            r#"Digest username="me", nonce="SECRETSECRET1", qop=auth"#,
            "AWS4-HMAC-SHA256 Credential=me,Signature=SECRETSECRET1",
            "v1 of SECRETSECRET1",
        ];
        for sent in sent {
            let echo = shown("SECRETSECRET1 is unknown", &[sent], Cut::Nowhere);
            assert_eq!(echo, "… is unknown", "{sent}");
        }
    }

    #[test]
    fn the_rest_of_a_secret_that_starts_as_another_does_is_hidden_too() {
        let (short, long) = ("SECRETSECRET1", "SECRETSECRET1-and-more");
        for sent in [[short, long], [long, short]] {
            assert_eq!(shown("no SECRETSECRET1-and-more", &sent, Cut::Nowhere), "no …");
            assert_eq!(shown("no SECRETSECRET1-and", &sent, Cut::Off), "no …");
            assert_eq!(shown("no SECRETSECRET1, none", &sent, Cut::Nowhere), "no …, none");
        }
    }

    #[test]
    fn of_secrets_that_overlap_neither_shows_the_other() {
        let sent = ["first-and-last", "last-and-first"];
        for text in ["first-and-last-and-first", "last-and-first-and-last"] {
            assert_eq!(shown(text, &sent, Cut::Nowhere), "…");
        }
        // The end may be the start of another.
        assert_eq!(shown("so first-and-last", &sent, Cut::Off), "so …");
    }

    #[test]
    fn a_slash_may_be_written_as_in_json() {
        let echo = r#"{"sent":"ab\/cd+SECRET==","again":"ab/cd+SECRET=="}"#;
        let hidden = r#"{"sent":"…","again":"…"}"#;
        assert_eq!(shown(echo, &["Bearer ab/cd+SECRET=="], Cut::Nowhere), hidden);
        assert_eq!(shown(r"sent: ab\/cd", &["ab/cd+SECRET=="], Cut::Off), "sent: …");
    }

    #[test]
    fn a_short_word_is_no_secret() {
        assert_eq!(shown("a cat sat", &["a"], Cut::Off), "a cat sat");
        assert_eq!(shown("a letter", &["letters"], Cut::Off), "a letter");
        assert_eq!(shown("a sentence", &["sentence"], Cut::Off), "a …");
    }

    #[test]
    fn a_token_of_other_letters_is_cut_between_them() {
        assert_eq!(shown("sent: żółw", &["żółwiątko"], Cut::Off), "sent: …");
    }
}
