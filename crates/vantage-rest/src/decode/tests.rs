use serde_json::{Value, json};
use vantage_types::{PlainDialect, json_to_cbor, record_to_json};

use super::{cursor, item, keyed, rows, total};
use crate::ResponseShape;

fn wrapped(key: &str) -> ResponseShape {
    ResponseShape::Wrapped { array_key: key.to_owned() }
}

fn read(body: Value, shape: &ResponseShape, table: &str) -> Result<Vec<Value>, String> {
    rows(json_to_cbor(body), shape, table)
        .map(|rows| rows.into_iter().map(|row| record_to_json(&PlainDialect, row)).collect())
        .map_err(|e| e.to_string())
}

#[test]
fn each_shape_finds_its_array() {
    let row = || json!({"id": 1});
    for (body, shape, table) in [
        (json!([row()]), ResponseShape::BareArray, "users"),
        (row(), ResponseShape::BareArray, "users"),
        (json!({"data": [row()]}), ResponseShape::default(), "users"),
        (json!({"a": {"b": [row()]}}), wrapped("a.b"), "users"),
        (json!({"a.b": [row()]}), wrapped("a.b"), "users"),
        (json!({"users": [row()]}), ResponseShape::WrappedByTableName, "users"),
        (json!({"albums": [row()]}), ResponseShape::WrappedByTableName, "users/{id}/albums?x={y}"),
        (json!({"albums": [row()]}), ResponseShape::WrappedByTableName, "albums/{id}"),
    ] {
        assert_eq!(read(body, &shape, table), Ok(vec![row()]), "{shape:?} {table}");
    }
}

#[test]
fn the_whole_table_name_is_looked_for_before_its_last_segment() {
    let body = json!({"users": [{"id": 1}], "v1/users": [{"id": 2}]});
    let rows = read(body, &ResponseShape::WrappedByTableName, "v1/users");
    assert_eq!(rows, Ok(vec![json!({"id": 2})]));
}

#[test]
fn a_missing_array_names_where_it_was_looked_for() {
    for (body, shape, message) in [
        (
            json!("x"),
            ResponseShape::BareArray,
            "Expected response body to be a JSON array or object (BareArray shape)",
        ),
        (
            json!({"rows": []}),
            ResponseShape::default(),
            r#"Response missing array under wrapper key (array_key: "data")"#,
        ),
        (
            json!({"data": {}}),
            ResponseShape::default(),
            r#"Response missing array under wrapper key (array_key: "data")"#,
        ),
        (
            json!([]),
            ResponseShape::WrappedByTableName,
            r#"Response missing array under table-name key (table_name: "users")"#,
        ),
        (
            json!({"data": [{}, 7]}),
            ResponseShape::default(),
            "API data item is not an object (index: 1)",
        ),
    ] {
        assert_eq!(read(body, &shape, "users"), Err(message.to_owned()));
    }
}

#[test]
fn rows_keep_every_field_in_the_servers_order() {
    let body = json!([{"z": 1, "id": 2, "a": {"y": null, "b": [true]}}]);
    let read = read(body.clone(), &ResponseShape::BareArray, "t").unwrap();
    assert_eq!(Value::Array(read).to_string(), body.to_string());
}

#[test]
fn two_rows_with_one_key_are_an_error() {
    let body = json_to_cbor(json!([{"id": 7}, {"id": "7"}]));
    let rows = rows(body, &ResponseShape::BareArray, "t").unwrap();
    let err = keyed(rows, Some("id"), 0).unwrap_err();
    assert_eq!(err.to_string(), r#"Two rows in the response share an id (id: "7")"#);
}

#[test]
fn rows_without_ids_are_keyed_by_their_place_in_the_set() {
    let rows = rows(json_to_cbor(json!([{}, {}])), &ResponseShape::BareArray, "t").unwrap();
    let keyed = keyed(rows, Some("id"), 10).unwrap();
    assert_eq!(keyed.keys().collect::<Vec<_>>(), ["~row:10", "~row:11"]);
}

#[test]
fn one_item_is_found_wrapped_and_bare() {
    for (body, shape) in [
        (json!({"id": 1}), ResponseShape::BareArray),
        (json!({"id": 1}), ResponseShape::default()),
        (json!({"data": {"id": 1}}), ResponseShape::default()),
        (json!({"data": [{"id": 1}]}), ResponseShape::default()),
        (json!({"users": {"id": 1}}), ResponseShape::WrappedByTableName),
    ] {
        let row = item(json_to_cbor(body), &shape, "users").unwrap();
        assert_eq!(row.get("id"), Some(&ciborium::Value::from(1)));
    }
    assert!(item(json_to_cbor(json!(null)), &ResponseShape::BareArray, "users").is_none());
}

#[test]
fn totals_and_cursors_are_read_by_key_or_path() {
    let body =
        json_to_cbor(json!({"total": 3, "page": {"next": "c2", "last": 7, "end": ""}, "bad": "3"}));
    assert_eq!(total(&body, "total"), Some(3));
    assert_eq!(total(&body, "bad"), None);
    assert_eq!(total(&body, "page.last"), Some(7));
    assert_eq!(cursor(&body, "page.next"), Some("c2".to_owned()));
    assert_eq!(cursor(&body, "page.last"), Some("7".to_owned()));
    assert_eq!(cursor(&body, "page.end"), None);
    assert_eq!(cursor(&body, "page.none"), None);
}
