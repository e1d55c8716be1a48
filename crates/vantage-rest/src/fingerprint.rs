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

#[cfg(test)]
mod tests {
    use ciborium::Value as Cbor;
    use serde_json::{Value, json};
    use vantage_types::json_to_cbor;

    use super::fingerprint;
    use crate::decode::Row;

    fn of(page: Value) -> u64 {
        let rows: Vec<Row> = match json_to_cbor(page) {
            Cbor::Array(rows) => rows.into_iter().map(Row::from).collect(),
            other => panic!("{other:?}"),
        };
        fingerprint(&rows)
    }

    #[test]
    fn equal_pages_have_equal_prints_and_every_difference_shows() {
        let page = || json!([{"a": "x", "b": [1, {"c": 0.5}], "d": true}]);
        assert_eq!(of(page()), of(page()));
        for other in [
            json!([{"a": "y", "b": [1, {"c": 0.5}], "d": true}]),
            json!([{"z": "x", "b": [1, {"c": 0.5}], "d": true}]),
            json!([{"a": "x", "b": [2, {"c": 0.5}], "d": true}]),
            json!([{"a": "x", "b": [1, {"c": 0.25}], "d": true}]),
            json!([{"a": "x", "b": [1, {"e": 0.5}], "d": true}]),
            json!([{"a": "x", "b": [1, {"c": 0.5}], "d": false}]),
            json!([{"a": "x", "b": [1, {"c": 0.5}]}]),
            json!([]),
        ] {
            assert_ne!(of(page()), of(other.clone()), "{other}");
        }
    }
}
