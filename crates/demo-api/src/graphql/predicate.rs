//! Hasura's boolean expressions over rows.

use core::cmp::Ordering;

use serde_json::{Map, Value};

use super::like::{Case, like};
use crate::{
    data::{Row, Table, departures},
    query::compare,
};

/// Whether a row satisfies an expression; an empty expression is true.
pub(super) fn holds(expression: &Map<String, Value>, table: &'static Table, row: &Row) -> bool {
    expression.iter().all(|(name, operand)| match name.as_str() {
        "_and" => all_of(operand).all(|part| holds(part, table, row)),
        "_or" => all_of(operand).any(|part| holds(part, table, row)),
        "_not" => !all_of(operand).all(|part| holds(part, table, row)),
        name => match row.get(name) {
            Some(value) => all_of(operand).all(|tests| passes(value, tests)),
            None => related(table, row, name)
                .into_iter()
                .any(|(table, row)| all_of(operand).all(|part| holds(part, table, row))),
        },
    })
}

/// The rows that a relation leads to.
fn related(table: &Table, row: &Row, relation: &str) -> Vec<(&'static Table, &'static Row)> {
    let text = |field: &str| row.get(field).and_then(Value::as_str).unwrap_or_default();
    let airport = |field: &str| {
        let airport = Table::airports().find(text(field));
        airport.map(|airport| (Table::airports(), airport)).into_iter().collect()
    };
    match (table.name(), relation) {
        ("airports", "flights") => {
            departures(text("iata")).iter().map(|flight| (Table::flights(), *flight)).collect()
        }
        ("flights", "origin_airport") => airport("origin"),
        ("flights", "destination_airport") => airport("destination"),
        _ => Vec::new(),
    }
}

/// The objects of a list, or the one object that stands for a list of one.
pub(super) fn all_of(operand: &Value) -> impl Iterator<Item = &Map<String, Value>> {
    let all = operand.as_array().map_or_else(|| core::slice::from_ref(operand), Vec::as_slice);
    all.iter().filter_map(Value::as_object)
}

/// Whether a column passes all tests. No test but `_is_null` passes a null, as in SQL.
fn passes(value: &Value, tests: &Map<String, Value>) -> bool {
    tests.iter().all(|(operator, operand)| {
        if operator == "_is_null" {
            return operand.as_bool() == Some(value.is_null());
        }
        !value.is_null() && !operand.is_null() && test(operator, value, operand)
    })
}

fn test(operator: &str, value: &Value, operand: &Value) -> bool {
    let among = || operand.as_array().is_some_and(|all| all.iter().any(|one| equal(value, one)));
    let matches = |case| match (value.as_str(), operand.as_str()) {
        (Some(text), Some(pattern)) => like(pattern, text, case),
        _ => false,
    };
    match operator {
        "_eq" => equal(value, operand),
        "_neq" => !equal(value, operand),
        "_gt" => compare(value, operand).is_gt(),
        "_gte" => compare(value, operand).is_ge(),
        "_lt" => compare(value, operand).is_lt(),
        "_lte" => compare(value, operand).is_le(),
        "_in" => among(),
        "_nin" => !among(),
        "_like" => matches(Case::Counts),
        "_nlike" => !matches(Case::Counts),
        "_ilike" => matches(Case::Ignored),
        "_nilike" => !matches(Case::Ignored),
        _ => false,
    }
}

/// Numbers by size, everything else by value.
pub(super) fn equal(a: &Value, b: &Value) -> bool {
    match (a.as_f64(), b.as_f64()) {
        (Some(_), Some(_)) => compare(a, b) == Ordering::Equal,
        _ => a == b,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn count(expression: Value) -> usize {
        let expression = expression.as_object().unwrap().clone();
        let table = Table::flights();
        table.rows().iter().filter(|row| holds(&expression, table, row)).count()
    }

    #[test]
    fn connectives_follow_logic_down_to_the_empty_ones() {
        assert_eq!(count(json!({})), 2_000);
        assert_eq!(count(json!({"_and": []})), 2_000);
        assert_eq!(count(json!({"_or": []})), 0);
        assert_eq!(count(json!({"_not": {}})), 0);
        assert_eq!(count(json!({"_not": {"_or": []}})), 2_000);
    }

    #[test]
    fn a_test_and_its_opposite_divide_the_table() {
        let pairs = [
            (json!({"_eq": 337}), json!({"_neq": 337})),
            (json!({"_gt": 337}), json!({"_lte": 337})),
            (json!({"_gte": 337.0}), json!({"_lt": 337.0})),
            (json!({"_in": [337, 1_797]}), json!({"_nin": [337, 1_797]})),
            (json!({"_is_null": false}), json!({"_is_null": true})),
        ];
        for (test, opposite) in pairs {
            let (with, without) =
                (count(json!({"distance": test})), count(json!({"distance": opposite})));
            assert_eq!(with + without, 2_000, "{test}");
            assert!(with > 0, "{test}");
        }
        assert_eq!(count(json!({"distance": {"_in": []}})), 0);
        assert_eq!(count(json!({"distance": {"_nin": []}})), 2_000);
    }

    #[test]
    fn nothing_is_equal_to_null() {
        assert_eq!(count(json!({"origin": {"_eq": null}})), 0);
        assert_eq!(count(json!({"origin": {"_neq": null}})), 0);
    }

    #[test]
    fn relations_are_followed() {
        let from_texas = count(json!({"origin_airport": {"state": {"_eq": "TX"}}}));
        let by_hand = Table::flights().rows().iter().filter(|flight| {
            let origin = Table::airports().find(flight["origin"].as_str().unwrap()).unwrap();
            origin["state"] == "TX"
        });
        assert!(from_texas > 0);
        assert_eq!(from_texas, by_hand.count());
    }
}
