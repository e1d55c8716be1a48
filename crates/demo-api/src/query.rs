//! From a listing's parameters to its rows: filters, search, order.

use core::cmp::Ordering;

use serde_json::Value;

use crate::data::{Row, Table, text_of};

/// Which rows of a table are wanted, and in which order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Query {
    filters: Vec<Filter>,
    search: Option<String>,
    order: Vec<SortKey>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Filter {
    field: String,
    test: Test,
    operand: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Test {
    Equal,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
    Like,
    NotEqual,
}

/// The parameters that ask for more than equality end like this.
const SUFFIXES: [(&str, Test); 6] = [
    ("_gte", Test::GreaterOrEqual),
    ("_gt", Test::Greater),
    ("_like", Test::Like),
    ("_lte", Test::LessOrEqual),
    ("_lt", Test::Less),
    ("_ne", Test::NotEqual),
];

#[derive(Clone, Debug, PartialEq, Eq)]
struct SortKey {
    field: String,
    direction: Direction,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Ascending,
    Descending,
}

impl Query {
    /// Reads the parameters that concern this table and ignores all others, as most servers do.
    pub(crate) fn read(table: &Table, params: &[(String, String)]) -> Self {
        let mut query = Self::default();
        for (name, value) in params {
            match name.as_str() {
                "q" => query.search = Some(value.to_lowercase()),
                "order" => {
                    query.order = sort_keys(value);
                    query.order.retain(|key| table.has_field(&key.field));
                }
                name => query.filters.extend(filter(table, name, value)),
            }
        }
        query
    }

    /// All rows, in the order of these fields; a `-` before a field sorts downward.
    pub(crate) fn ordered_by(fields: &str) -> Self {
        Self { order: sort_keys(fields), ..Self::default() }
    }

    /// Keeps only rows whose field has exactly this text.
    pub(crate) fn with_equal(mut self, field: &str, operand: &str) -> Self {
        let operand = operand.to_owned();
        self.filters.push(Filter { field: field.to_owned(), test: Test::Equal, operand });
        self
    }

    /// The wanted rows. Rows that compare equal keep the table's order.
    pub(crate) fn run<'a>(&self, rows: &'a [Row]) -> Vec<&'a Row> {
        let mut found: Vec<_> = rows.iter().filter(|row| self.wants(row)).collect();
        self.sort(&mut found);
        found
    }

    /// Sorts by the wanted order. Rows that compare equal stay as they are.
    pub(crate) fn sort(&self, rows: &mut [&Row]) {
        if !self.order.is_empty() {
            rows.sort_by(|a, b| self.compare(a, b));
        }
    }

    fn wants(&self, row: &Row) -> bool {
        self.filters.iter().all(|filter| filter.accepts(row))
            && self.search.as_ref().is_none_or(|text| contains(row, text))
    }

    fn compare(&self, a: &Row, b: &Row) -> Ordering {
        let by_key = self.order.iter().map(|key| {
            let ordering = compare(field(a, &key.field), field(b, &key.field));
            match key.direction {
                Direction::Ascending => ordering,
                Direction::Descending => ordering.reverse(),
            }
        });
        by_key.fold(Ordering::Equal, Ordering::then)
    }
}

impl Filter {
    fn accepts(&self, row: &Row) -> bool {
        let value = field(row, &self.field);
        match self.test {
            Test::Equal => text_of(value) == self.operand,
            Test::NotEqual => text_of(value) != self.operand,
            Test::Like => text_of(value).to_lowercase().contains(&self.operand.to_lowercase()),
            Test::Greater => self.ordering(value).is_gt(),
            Test::GreaterOrEqual => self.ordering(value).is_ge(),
            Test::Less => self.ordering(value).is_lt(),
            Test::LessOrEqual => self.ordering(value).is_le(),
        }
    }

    fn ordering(&self, value: &Value) -> Ordering {
        match (value.as_f64(), self.operand.parse::<f64>()) {
            (Some(number), Ok(operand)) => number.total_cmp(&operand),
            _ => text_of(value).cmp(&self.operand),
        }
    }
}

fn filter(table: &Table, name: &str, value: &str) -> Option<Filter> {
    let suffixed = SUFFIXES.iter().find_map(|(suffix, test)| {
        let field = name.strip_suffix(suffix)?;
        table.has_field(field).then_some((field, *test))
    });
    let (field, test) =
        suffixed.or_else(|| table.has_field(name).then_some((name, Test::Equal)))?;
    Some(Filter { field: field.to_owned(), test, operand: value.to_owned() })
}

fn sort_keys(text: &str) -> Vec<SortKey> {
    let keys = text.split(',').map(|key| match key.strip_prefix('-') {
        Some(field) => SortKey { field: field.to_owned(), direction: Direction::Descending },
        None => SortKey { field: key.to_owned(), direction: Direction::Ascending },
    });
    keys.collect()
}

fn field<'a>(row: &'a Row, name: &str) -> &'a Value {
    row.get(name).unwrap_or(&Value::Null)
}

fn contains(row: &Row, text: &str) -> bool {
    row.values().filter_map(Value::as_str).any(|value| value.to_lowercase().contains(text))
}

/// Numbers by size, everything else by its text.
pub(crate) fn compare(a: &Value, b: &Value) -> Ordering {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        _ => text_of(a).cmp(&text_of(b)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(table: &'static Table, params: &[(&str, &str)]) -> Vec<&'static Row> {
        let params: Vec<_> =
            params.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Query::read(table, &params).run(table.rows())
    }

    #[test]
    fn equality_compares_numbers_by_their_text() {
        let flights = run(Table::flights(), &[("distance", "1797"), ("origin", "LAX")]);
        assert!(!flights.is_empty());
        assert!(flights.iter().all(|row| row["distance"] == 1797 && row["origin"] == "LAX"));
    }

    #[test]
    fn ranges_compare_numbers_by_size() {
        let near = run(Table::flights(), &[("distance_gte", "88"), ("distance_lt", "100")]);
        let by_hand = Table::flights()
            .rows()
            .iter()
            .filter(|row| (88..100).contains(&row["distance"].as_i64().unwrap()));
        assert!(near.len() > 1);
        assert_eq!(near, by_hand.collect::<Vec<_>>());
    }

    #[test]
    fn a_minus_sorts_downward_and_later_keys_break_ties() {
        let flights = run(Table::flights(), &[("order", "-distance,origin")]);
        assert_eq!(flights.len(), 2_000);
        let keys: Vec<_> = flights
            .iter()
            .map(|row| (-row["distance"].as_i64().unwrap(), row["origin"].as_str().unwrap()))
            .collect();
        assert!(keys.is_sorted());
    }

    #[test]
    fn search_ignores_case_and_looks_into_every_text() {
        let found = run(Table::airports(), &[("q", "o'hare")]);
        assert!(found.iter().any(|row| row["iata"] == "ORD"), "{found:?}");
        assert!(found.len() < 5);
    }

    #[test]
    fn unknown_parameters_change_nothing() {
        assert_eq!(run(Table::airports(), &[("nope", "1"), ("nope_gte", "1")]).len(), 3_376);
    }
}
