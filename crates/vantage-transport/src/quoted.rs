//! Reading back text that was stored in its `Debug` form.

/// The text whose `Debug` form is `quoted`; `None` when it is not one.
pub(crate) fn unquote(quoted: &str) -> Option<String> {
    let inner = quoted.strip_prefix('"')?.strip_suffix('"')?;
    let mut text = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            text.push(c);
            continue;
        }
        text.push(match chars.next()? {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            '0' => '\0',
            'u' => unicode(&mut chars)?,
            plain @ ('\\' | '"' | '\'') => plain,
            _ => return None,
        });
    }
    Some(text)
}

/// The character of a `\u{…}` escape whose `u` was just read.
fn unicode(chars: &mut std::str::Chars<'_>) -> Option<char> {
    let (digits, rest) = chars.as_str().strip_prefix('{')?.split_once('}')?;
    let code = u32::from_str_radix(digits, 16).ok()?;
    *chars = rest.chars();
    char::from_u32(code)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::unquote;

    proptest! {
        #[test]
        fn undoes_debug(text in any::<String>()) {
            let quoted = format!("{text:?}");
            prop_assert_eq!(unquote(&quoted), Some(text));
        }

        #[test]
        fn never_panics(text in any::<String>()) {
            let _ = unquote(&text);
        }
    }

    #[test]
    fn refuses_text_that_is_not_quoted() {
        assert_eq!(unquote("503"), None);
        assert_eq!(unquote(r#""\q""#), None);
        assert_eq!(unquote("\""), None);
    }
}
