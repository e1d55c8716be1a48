//! The two tables, read from the files in `data/`.

use std::{collections::HashMap, sync::LazyLock};

use serde_json::{Map, Value};

/// One row: its fields in the order of the file.
pub type Row = Map<String, Value>;

static AIRPORTS: LazyLock<Table> =
    LazyLock::new(|| Table::read("airports", "iata", include_str!("../data/airports.json")));
static FLIGHTS: LazyLock<Table> =
    LazyLock::new(|| Table::read("flights", "id", include_str!("../data/flights.json")));

/// The 3,376 airports, in file order.
#[must_use]
pub fn airports() -> &'static [Row] {
    &Table::airports().rows
}

/// The 2,000 flights, in file order.
#[must_use]
pub fn flights() -> &'static [Row] {
    &Table::flights().rows
}

/// A named list of rows with a unique key field.
#[derive(Debug)]
pub(crate) struct Table {
    name: &'static str,
    key: &'static str,
    rows: Vec<Row>,
    columns: Vec<Column>,
    by_key: HashMap<String, usize>,
}

impl Table {
    pub(crate) fn airports() -> &'static Self {
        &AIRPORTS
    }

    pub(crate) fn flights() -> &'static Self {
        &FLIGHTS
    }

    fn read(name: &'static str, key: &'static str, text: &str) -> Self {
        let rows: Vec<Row> = serde_json::from_str(text).expect("the embedded file is a JSON table");
        let columns = rows.first().into_iter().flatten();
        let columns =
            columns.map(|(name, value)| Column { name: name.clone(), kind: Kind::of(value) });
        let columns = columns.collect();
        let by_key = rows
            .iter()
            .enumerate()
            .filter_map(|(position, row)| Some((text_of(row.get(key)?), position)))
            .collect();
        Self { name, key, rows, columns, by_key }
    }

    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    /// The field that names a row.
    pub(crate) fn key(&self) -> &'static str {
        self.key
    }

    pub(crate) fn rows(&self) -> &[Row] {
        &self.rows
    }

    pub(crate) fn columns(&self) -> &[Column] {
        &self.columns
    }

    pub(crate) fn has_field(&self, name: &str) -> bool {
        self.columns.iter().any(|column| column.name == name)
    }

    /// The row with this key, written as in a URL.
    pub(crate) fn find(&self, key: &str) -> Option<&Row> {
        self.rows.get(*self.by_key.get(key)?)
    }
}

/// A field of every row of a table.
#[derive(Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: Kind,
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Float,
    Integer,
    Text,
}

impl Kind {
    fn of(value: &Value) -> Self {
        match value {
            Value::Number(number) if number.is_f64() => Self::Float,
            Value::Number(_) => Self::Integer,
            _ => Self::Text,
        }
    }
}

/// The flights that start at an airport, in file order.
pub(crate) fn departures(iata: &str) -> &'static [&'static Row] {
    static BY_ORIGIN: LazyLock<HashMap<String, Vec<&'static Row>>> = LazyLock::new(|| {
        let mut by_origin = HashMap::<_, Vec<_>>::new();
        for flight in flights() {
            by_origin.entry(text_of(&flight["origin"])).or_default().push(flight);
        }
        by_origin
    });
    BY_ORIGIN.get(iata).map(Vec::as_slice).unwrap_or_default()
}

/// A value as a URL spells it: text without quotes, everything else as JSON.
pub(crate) fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flight_joins_two_airports() {
        assert_eq!(airports().len(), 3_376);
        assert_eq!(flights().len(), 2_000);
        for flight in flights() {
            for end in ["origin", "destination"] {
                let iata = text_of(&flight[end]);
                assert!(Table::airports().find(&iata).is_some(), "{iata}");
            }
        }
    }

    #[test]
    fn keys_are_unique() {
        assert_eq!(Table::airports().by_key.len(), airports().len());
        assert_eq!(Table::flights().by_key.len(), flights().len());
    }
}
