//! JSON text as CBOR values, with every digit of every number.
//!
//! A number becomes an integer or a double when that says exactly what the
//! text says, and keeps its digits as text otherwise: `12345678901234567890123`
//! and `0.1234567890123456789` arrive as written.
//!
//! `serde_json` rounds numbers before a visitor sees them, and its
//! `arbitrary_precision` feature would change `serde_json::Value` for the
//! whole program. So a body is scanned for numbers long enough to lose digits.
//! Without one (the usual case) it is read in one pass; with one it is read
//! value by value from its raw text.

use std::{collections::HashSet, fmt};

use ciborium::Value as Cbor;
use serde::{
    Deserialize, Deserializer,
    de::{Error as _, MapAccess, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

/// Every number of at most this many digits survives a double.
const SAFE_DIGITS: usize = 15;

/// How deep values may nest where they are read one by one; `serde_json` has
/// the same limit for its own pass.
const MAX_DEPTH: usize = 128;

/// The value `text` spells.
///
/// A byte-order mark before it is skipped (RFC 8259, section 8.1). Of repeated
/// keys the last value counts, at the first one's place.
///
/// # Errors
///
/// The parser's own error: text that is not JSON, is cut off, is not UTF-8 or
/// nests deeper than 128 levels.
pub(crate) fn parse(text: &[u8]) -> serde_json::Result<Cbor> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    if has_long_number(text) {
        let raw: &RawValue = serde_json::from_slice(text)?;
        exact(raw, 0)
    } else {
        serde_json::from_slice::<Value>(text).map(|value| value.0)
    }
}

/// Whether `text` may hold a number that a double cannot carry: more digits
/// than are safe, or an exponent. Strings are stepped over.
fn has_long_number(text: &[u8]) -> bool {
    let mut digits = 0_usize;
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'0'..=b'9' => {
                digits += 1;
                if digits > SAFE_DIGITS {
                    return true;
                }
            }
            b'.' => (),
            b'e' | b'E' if digits > 0 => return true,
            b'"' => {
                digits = 0;
                step_over_string(&mut bytes);
            }
            _ => digits = 0,
        }
    }
    false
}

/// Moves past the end of a string whose opening quote was just read.
fn step_over_string(bytes: &mut std::slice::Iter<'_, u8>) {
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => return,
            b'\\' => {
                bytes.next();
            }
            _ => (),
        }
    }
}

/// The value of `raw`, read from its text.
fn exact(raw: &RawValue, depth: usize) -> serde_json::Result<Cbor> {
    if depth >= MAX_DEPTH {
        return Err(serde_json::Error::custom("recursion limit exceeded"));
    }
    let text = raw.get();
    match text.as_bytes().first() {
        Some(b'{') => {
            let entries: RawEntries<'_> = serde_json::from_str(text)?;
            let entries = entries.0.into_iter().map(|(key, raw)| Ok((key, exact(raw, depth + 1)?)));
            Ok(map(entries.collect::<serde_json::Result<_>>()?))
        }
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(text)?;
            let items = items.into_iter().map(|raw| exact(raw, depth + 1));
            Ok(Cbor::Array(items.collect::<serde_json::Result<_>>()?))
        }
        Some(b'-' | b'0'..=b'9') => Ok(number(text)),
        _ => serde_json::from_str::<Value>(text).map(|value| value.0),
    }
}

/// The number `text` spells, as text when neither an integer nor a double is
/// exactly it.
fn number(text: &str) -> Cbor {
    if let Ok(whole) = text.parse::<i64>() {
        return Cbor::Integer(whole.into());
    }
    if let Ok(whole) = text.parse::<u64>() {
        return Cbor::Integer(whole.into());
    }
    match text.parse::<f64>() {
        Ok(double) if Decimal::of(text) == Decimal::of(&format!("{double:e}")) => {
            Cbor::Float(double)
        }
        _ => Cbor::Text(text.to_owned()),
    }
}

/// A decimal number as its significant digits and the power of ten of the
/// last one: equal numbers have equal forms.
#[derive(PartialEq, Eq)]
struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    fn of(text: &str) -> Option<Self> {
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let digits = all.trim_start_matches('0').trim_end_matches('0');
        if digits.is_empty() {
            return Some(Self { negative, digits: String::new(), exponent: 0 });
        }
        let trailing = all.len() - all.trim_end_matches('0').len();
        let shift = i64::try_from(trailing).ok()? - i64::try_from(fraction.len()).ok()?;
        let exponent = exponent.parse::<i64>().ok()?.checked_add(shift)?;
        Some(Self { negative, digits: digits.to_owned(), exponent })
    }
}

/// A CBOR map of `entries`: the last value of a repeated key, at the first
/// one's place.
fn map(mut entries: Vec<(String, Cbor)>) -> Cbor {
    const SMALL: usize = 16;
    let repeats = if entries.len() <= SMALL {
        entries
            .iter()
            .enumerate()
            .any(|(at, (key, _))| entries.iter().take(at).any(|(earlier, _)| earlier == key))
    } else {
        let mut seen = HashSet::with_capacity(entries.len());
        !entries.iter().all(|(key, _)| seen.insert(key.as_str()))
    };
    if repeats {
        entries = entries.into_iter().collect::<indexmap::IndexMap<_, _>>().into_iter().collect();
    }
    Cbor::Map(entries.into_iter().map(|(key, value)| (Cbor::Text(key), value)).collect())
}

/// A value read in one pass; its numbers are short enough for a double.
struct Value(Cbor);

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor).map(Self)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Cbor;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Cbor, E> {
        Ok(Cbor::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Cbor, E> {
        Ok(Cbor::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Cbor, E> {
        Ok(Cbor::Integer(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Cbor, E> {
        Ok(Cbor::Integer(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Cbor, E> {
        Ok(Cbor::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Cbor, E> {
        Ok(Cbor::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Cbor, E> {
        Ok(Cbor::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Cbor, A::Error> {
        let mut items = Vec::new();
        while let Some(Value(item)) = seq.next_element()? {
            items.push(item);
        }
        Ok(Cbor::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Cbor, A::Error> {
        let mut entries = Vec::new();
        while let Some((key, Value(value))) = access.next_entry()? {
            entries.push((key, value));
        }
        Ok(map(entries))
    }
}

/// The entries of an object, each value as raw text.
struct RawEntries<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for RawEntries<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(RawEntriesVisitor).map(RawEntries)
    }
}

struct RawEntriesVisitor;

impl<'de> Visitor<'de> for RawEntriesVisitor {
    type Value = Vec<(String, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = access.next_entry()? {
            entries.push(entry);
        }
        Ok(entries)
    }
}

#[cfg(test)]
mod tests;
