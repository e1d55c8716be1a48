//! JSON values as GraphQL input literals.

use std::fmt::Write as _;

use serde_json::Value as Json;
use vantage_core::Result;

use crate::{
    bytes::{ESCAPED, kinds},
    name::NameKind,
};

/// Appends `value` as an input literal: objects carry bare keys, so check
/// them first with [`check_keys`].
pub(crate) fn write_value(out: &mut String, value: &Json) {
    match value {
        Json::Null => out.push_str("null"),
        Json::Bool(true) => out.push_str("true"),
        Json::Bool(false) => out.push_str("false"),
        // The JSON grammar of numbers is a subset of GraphQL's.
        Json::Number(number) => {
            let _ = write!(out, "{number}");
        }
        Json::String(text) => write_string(out, text),
        Json::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                write_value(out, item);
            }
            out.push(']');
        }
        Json::Object(fields) => {
            out.push('{');
            for (index, (key, item)) in fields.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                out.push_str(key);
                out.push_str(": ");
                write_value(out, item);
            }
            out.push('}');
        }
    }
}

/// Appends `text` as a quoted string: no text can end the literal early.
fn write_string(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    // Escaped bytes are ASCII, so both ends of each piece are character boundaries.
    while let Some(at) = rest.bytes().position(|byte| kinds(byte) & ESCAPED != 0) {
        let (plain, from) = rest.split_at(at);
        out.push_str(plain);
        let (escaped, after) = from.split_at(1);
        match escaped {
            "\"" => out.push_str("\\\""),
            "\\" => out.push_str("\\\\"),
            "\n" => out.push_str("\\n"),
            "\r" => out.push_str("\\r"),
            "\t" => out.push_str("\\t"),
            control => {
                for byte in control.bytes() {
                    let _ = write!(out, "\\u{byte:04X}");
                }
            }
        }
        rest = after;
    }
    out.push_str(rest);
    out.push('"');
}

/// Refuses `value` if an object in it, at any depth, has a key that is not a
/// GraphQL name.
pub(crate) fn check_keys(kind: NameKind, value: &Json) -> Result<()> {
    match value {
        Json::Array(items) => items.iter().try_for_each(|item| check_keys(kind, item)),
        Json::Object(fields) => fields.iter().try_for_each(|(key, item)| {
            kind.check(key)?;
            check_keys(kind, item)
        }),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn literal(value: &Json) -> String {
        let mut out = String::new();
        write_value(&mut out, value);
        out
    }

    #[test]
    fn renders_every_kind_of_value() {
        for (value, expected) in [
            (json!(null), "null"),
            (json!(true), "true"),
            (json!(false), "false"),
            (json!(0), "0"),
            (json!(-7), "-7"),
            (json!(u64::MAX), "18446744073709551615"),
            (json!(1.5), "1.5"),
            (json!(1e300), "1e+300"),
            (json!("text"), r#""text""#),
            (json!([]), "[]"),
            (json!([1, "a", null]), r#"[1, "a", null]"#),
            (json!({}), "{}"),
            (json!({"b": 1, "a": {"c": [true]}}), "{b: 1, a: {c: [true]}}"),
        ] {
            assert_eq!(literal(&value), expected);
        }
    }

    #[test]
    fn escapes_what_could_end_or_break_a_string_and_nothing_else() {
        for (text, expected) in [
            (r#"a"b"#, r#""a\"b""#),
            (r"a\b", r#""a\\b""#),
            ("a\nb\rc\td", r#""a\nb\rc\td""#),
            ("\0\u{1}\u{8}\u{c}\u{1f}\u{7f}", r#""\u0000\u0001\u0008\u000C\u001F\u007F""#),
            ("é 漢 🛫 \u{2028}", "\"é 漢 🛫 \u{2028}\""),
            ("", r#""""#),
            (r#"""""#, r#""\"\"\"""#),
        ] {
            assert_eq!(literal(&json!(text)), expected);
        }
    }

    #[test]
    fn finds_a_bad_key_at_any_depth() {
        let value = json!({"a": [{"b": {"c d": 1}}]});
        let error = check_keys(NameKind::RootArgumentKey, &value).unwrap_err();
        assert_eq!(error.context["name"], "\"c d\"");
        assert!(check_keys(NameKind::RootArgumentKey, &json!([{"a": [1]}, "c d"])).is_ok());
    }
}
