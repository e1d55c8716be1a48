//! From a response to rows: pure, without knowing who asked.

use ciborium::Value as Cbor;
use indexmap::{IndexMap, map::Entry};
use vantage_core::{Result, error};
use vantage_types::Record;

use crate::{config::ResponseShape, row_keys::row_key};

/// A row as the framework carries it.
pub(crate) type Row = Record<Cbor>;

/// Takes the rows out of `body`.
///
/// # Errors
///
/// The shape's error when the array is not where the shape says, and "API data
/// item is not an object" with the `index`.
pub(crate) fn rows(body: Cbor, shape: &ResponseShape, table_name: &str) -> Result<Vec<Row>> {
    let items = match shape {
        ResponseShape::BareArray => match body {
            Cbor::Array(items) => items,
            object @ Cbor::Map(_) => vec![object],
            _ => {
                return Err(error!(
                    "Expected response body to be a JSON array or object (BareArray shape)"
                ));
            }
        },
        ResponseShape::Wrapped { array_key } => array(take(body, array_key)).ok_or_else(|| {
            error!("Response missing array under wrapper key", array_key = array_key)
        })?,
        ResponseShape::WrappedByTableName => by_table_name(body, table_name).ok_or_else(|| {
            error!("Response missing array under table-name key", table_name = table_name)
        })?,
    };
    let row = |(index, item)| match item {
        Cbor::Map(entries) => Ok(record(entries)),
        _ => Err(error!("API data item is not an object", index = index)),
    };
    items.into_iter().enumerate().map(row).collect()
}

/// Takes the one row of a response to `GET <table>/<id>`: what the shape wraps
/// (an object, or an array of one), else the body itself.
pub(crate) fn item(body: Cbor, shape: &ResponseShape, table_name: &str) -> Option<Row> {
    let wrapped = match shape {
        ResponseShape::BareArray => None,
        ResponseShape::Wrapped { array_key } => find(&body, array_key).cloned(),
        ResponseShape::WrappedByTableName => find(&body, table_name)
            .or_else(|| find(&body, last_literal_segment(table_name)?))
            .cloned(),
    };
    match wrapped.unwrap_or(body) {
        Cbor::Map(entries) => Some(record(entries)),
        Cbor::Array(items) => match items.into_iter().next() {
            Some(Cbor::Map(entries)) => Some(record(entries)),
            _ => None,
        },
        _ => None,
    }
}

/// The whole number of rows under `key` of `body`; `None` when there is none.
pub(crate) fn total(body: &Cbor, key: &str) -> Option<u64> {
    match find(body, key)? {
        Cbor::Integer(total) => u64::try_from(*total).ok(),
        _ => None,
    }
}

/// The next cursor under `key` of `body`; `None` at the end of the listing.
pub(crate) fn cursor(body: &Cbor, key: &str) -> Option<String> {
    crate::row_keys::id_text(find(body, key)?)
}

/// `rows` under their keys, the first of them at `position` of the whole set.
///
/// # Errors
///
/// "Two rows in the response share an id", with the `id`.
pub(crate) fn keyed(
    rows: Vec<Row>,
    id_field: Option<&str>,
    position: usize,
) -> Result<IndexMap<String, Row>> {
    let mut keyed = IndexMap::with_capacity(rows.len());
    for (index, row) in rows.into_iter().enumerate() {
        let key = row_key(&row, id_field, position.saturating_add(index));
        match keyed.entry(key) {
            Entry::Vacant(place) => place.insert(row),
            Entry::Occupied(taken) => {
                return Err(error!("Two rows in the response share an id", id = taken.key()));
            }
        };
    }
    Ok(keyed)
}

fn record(entries: Vec<(Cbor, Cbor)>) -> Row {
    let mut row = Record::with_capacity(entries.len());
    for (key, value) in entries {
        if let Cbor::Text(key) = key {
            row.insert(key, value);
        }
    }
    row
}

fn array(value: Option<Cbor>) -> Option<Vec<Cbor>> {
    match value? {
        Cbor::Array(items) => Some(items),
        _ => None,
    }
}

fn by_table_name(body: Cbor, table_name: &str) -> Option<Vec<Cbor>> {
    if find(&body, table_name).is_some() {
        return array(take(body, table_name));
    }
    array(take(body, last_literal_segment(table_name)?))
}

/// The last segment of a path template that is not a placeholder: `albums` of
/// `users/{id}/albums?sort=name`.
fn last_literal_segment(table_name: &str) -> Option<&str> {
    let path = table_name.split('?').next().unwrap_or(table_name);
    path.rsplit('/').find(|segment| !segment.is_empty() && !segment.contains('{'))
}

/// The value under `key`, else under the dotted path `key`.
fn find<'a>(body: &'a Cbor, key: &str) -> Option<&'a Cbor> {
    entry(body, key).or_else(|| key.split('.').try_fold(body, entry))
}

fn entry<'a>(body: &'a Cbor, key: &str) -> Option<&'a Cbor> {
    let Cbor::Map(entries) = body else { return None };
    entries.iter().find_map(|(name, value)| (name.as_text() == Some(key)).then_some(value))
}

/// [`find`], taking the value out of the body.
fn take(body: Cbor, key: &str) -> Option<Cbor> {
    if entry(&body, key).is_some() {
        return take_entry(body, key);
    }
    key.split('.').try_fold(body, take_entry)
}

fn take_entry(body: Cbor, key: &str) -> Option<Cbor> {
    let Cbor::Map(entries) = body else { return None };
    entries.into_iter().find_map(|(name, value)| (name.as_text() == Some(key)).then_some(value))
}

#[cfg(test)]
mod tests;
