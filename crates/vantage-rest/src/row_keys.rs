//! The key of a row: its id, or its position in the set.

use ciborium::Value as Cbor;
use vantage_types::Record;

/// The key of `row`, which is at `position` of the whole set.
///
/// A row without a usable id (absent, null, a bool, an array, an empty string,
/// or no id column) is keyed by its position, so that keys do not collide
/// across pages.
pub(crate) fn row_key(row: &Record<Cbor>, id_field: Option<&str>, position: usize) -> String {
    id_field
        .and_then(|field| row.get(field))
        .and_then(id_text)
        .unwrap_or_else(|| format!("~row:{position}"))
}

/// An id as text: a string itself, a number as JSON writes it.
pub(crate) fn id_text(value: &Cbor) -> Option<String> {
    match value {
        Cbor::Text(text) if !text.is_empty() => Some(text.clone()),
        Cbor::Integer(number) => Some(i128::from(*number).to_string()),
        Cbor::Float(number) => serde_json::Number::from_f64(*number).map(|n| n.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use ciborium::Value as Cbor;
    use vantage_types::Record;

    use super::row_key;

    fn key(id: Cbor) -> String {
        let row = Record::from_iter([("id".to_owned(), id)]);
        row_key(&row, Some("id"), 41)
    }

    #[test]
    fn an_id_is_its_text_as_json_writes_it() {
        assert_eq!(key(Cbor::Text("007".into())), "007");
        assert_eq!(key(Cbor::Integer(7.into())), "7");
        assert_eq!(key(Cbor::Float(7.0)), "7.0");
        assert_eq!(key(Cbor::Float(1.5)), "1.5");
    }

    #[test]
    fn a_row_without_a_usable_id_is_keyed_by_its_position() {
        for id in [
            Cbor::Null,
            Cbor::Bool(true),
            Cbor::Array(vec![]),
            Cbor::Map(vec![]),
            Cbor::Text(String::new()),
        ] {
            assert_eq!(key(id), "~row:41");
        }
        let row = Record::from_iter([("id".to_owned(), Cbor::from("x"))]);
        assert_eq!(row_key(&row, None, 3), "~row:3");
        assert_eq!(row_key(&row, Some("other"), 3), "~row:3");
    }
}
