//! Whether two pages hold the same rows.

use std::hash::{DefaultHasher, Hash, Hasher};

use ciborium::Value as Cbor;

use crate::decode::Row;

/// A number that is equal for equal rows, and otherwise almost never.
pub(crate) fn fingerprint(rows: &[Row]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for row in rows {
        row.len().hash(&mut hasher);
        for (name, value) in row {
            name.hash(&mut hasher);
            hash(value, &mut hasher);
        }
    }
    hasher.finish()
}

fn hash(value: &Cbor, hasher: &mut DefaultHasher) {
    match value {
        Cbor::Integer(number) => i128::from(*number).hash(hasher),
        Cbor::Float(number) => number.to_bits().hash(hasher),
        Cbor::Text(text) => text.hash(hasher),
        Cbor::Bool(value) => value.hash(hasher),
        Cbor::Array(items) => {
            items.len().hash(hasher);
            items.iter().for_each(|item| hash(item, hasher));
        }
        Cbor::Map(entries) => {
            entries.len().hash(hasher);
            for (key, value) in entries {
                hash(key, hasher);
                hash(value, hasher);
            }
        }
        _ => 0_u8.hash(hasher),
    }
}
