use proptest::prelude::*;
use serde_json::json;

use super::*;

fn decode(id: Option<&str>, names: &[&str], mode: RowMode, rows: Json) -> Result<Rows> {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let columns = Columns::new(&names);
    let decoder = Decoder { id, columns: &columns, mode, offset: 10 };
    let mut known = Rows::new();
    let Json::Array(rows) = rows else { panic!("rows are a list") };
    decoder.decode_into(&mut known, rows.into_iter().enumerate())?;
    Ok(known)
}

fn strict(id: Option<&str>, names: &[&str], rows: Json) -> Result<Rows> {
    decode(id, names, RowMode::Strict, rows)
}

fn ids(rows: &Rows) -> Vec<&str> {
    rows.keys().map(String::as_str).collect()
}

fn shown(record: &Record<AnyGraphqlType>) -> Json {
    record.iter().map(|(name, value)| (name.clone(), value.value().clone())).collect()
}

#[test]
fn a_record_holds_exactly_the_selected_columns_in_their_order() {
    let rows = strict(
        Some("code"),
        &["code", "run.id", "run.state", "name", "gone", "run"],
        json!([{"extra": 1, "name": "Tegel", "run": {"state": "done", "id": 7}, "code": "TXL"}]),
    )
    .unwrap();
    let record = shown(&rows["TXL"]);
    assert_eq!(
        serde_json::to_string(&record).unwrap(),
        r#"{"code":"TXL","run.id":7,"run.state":"done","name":"Tegel","gone":null,"run":{"state":"done","id":7}}"#
    );
    assert_eq!(rows["TXL"]["run.id"].type_variant(), None);
}

#[test]
fn below_a_null_parent_everything_is_null() {
    let rows = strict(Some("id"), &["id", "run.by.name"], json!([{"id": 1, "run": null}])).unwrap();
    assert_eq!(shown(&rows["1"]), json!({"id": 1, "run.by.name": null}));
}

#[test]
fn ids_become_text_and_missing_ones_positions() {
    let rows = strict(
        Some("id"),
        &["id"],
        json!([{"id": "a"}, {"id": 7}, {"id": true}, {"id": 1.5}, {"id": null}, {"id": ""}, {"id": [1]}]),
    )
    .unwrap();
    assert_eq!(ids(&rows), ["a", "7", "true", "1.5", "~row:14", "~row:15", "[1]"]);
}

#[test]
fn without_an_id_column_the_field_id_or_the_position_serves() {
    let rows = strict(None, &["name"], json!([{"id": 7, "name": "a"}, {"name": "b"}])).unwrap();
    assert_eq!(ids(&rows), ["7", "~row:11"]);
}

#[test]
fn a_nested_id_column_is_found() {
    let rows = strict(Some("run.id"), &["run.id"], json!([{"run": {"id": 7}}])).unwrap();
    assert_eq!(ids(&rows), ["7"]);
    let error = strict(Some("run.id"), &["run.id"], json!([{"run": {}}])).unwrap_err();
    assert_eq!(error.to_string(), "Row missing id field (field: \"run.id\")");
}

#[test]
fn strict_rows_fail_the_read() {
    for (rows, message) in [
        (json!([1]), "Expected JSON object for row (got: \"number\")"),
        (json!([null]), "Expected JSON object for row (got: \"null\")"),
        (json!([{"name": 1}]), "Row missing id field (field: \"id\")"),
        (json!([{"id": 7}, {"id": "7"}]), "Two rows in the response share an id (id: \"7\")"),
        (json!([{"id": 7}, {"id": 7}]), "Two rows in the response share an id (id: \"7\")"),
    ] {
        assert_eq!(strict(Some("id"), &["id"], rows).unwrap_err().to_string(), message);
    }
}

#[test]
fn lenient_rows_lose_nothing_that_can_be_kept() {
    let rows = decode(
        Some("id"),
        &["id", "name"],
        RowMode::Lenient,
        json!([{"id": 7, "name": "a"}, {"id": 7, "name": "a"}, {"id": 7, "name": "b"}, {"name": "c"}, 5]),
    )
    .unwrap();
    assert_eq!(ids(&rows), ["7", "~row:12", "~row:13"]);
    assert_eq!(rows["~row:12"]["name"].value(), "b");
    assert_eq!(rows["~row:13"]["name"].value(), "c");
}

#[test]
fn rows_are_found_under_a_path() {
    let path = |text: &str| text.split('.').map(str::to_owned).collect::<Vec<_>>();
    for (value, segments, expected) in [
        (json!([{"a": 1}]), vec![], json!([{"a": 1}])),
        (json!(null), vec![], json!([])),
        (json!({"nodes": [1, 2]}), path("nodes"), json!([1, 2])),
        (json!({"nodes": null}), path("nodes"), json!([])),
        (json!(null), path("edges.node"), json!([])),
        (json!({"edges": [{"node": 1}, {"node": 2}]}), path("edges.node"), json!([1, 2])),
        (json!({"page": {"edges": [{"node": 1}]}}), path("page.edges.node"), json!([1])),
        (json!([{"items": [1, 2]}, {"items": [3]}]), path("items"), json!([1, 2, 3])),
    ] {
        assert_eq!(Json::Array(rows(value, "root", &segments).unwrap()), expected);
    }
    for (value, segments) in
        [(json!({"a": 1}), vec![]), (json!("x"), path("nodes")), (json!(7), vec![])]
    {
        let error = rows(value, "root", &segments).unwrap_err();
        assert_eq!(error.message(), "Unexpected response shape — expected array under root field");
        assert_eq!(error.context["root"], "\"root\"");
    }
}

#[test]
fn a_missing_root_is_an_error_and_a_null_one_is_not() {
    assert_eq!(taken(json!({"a": null}), "a").unwrap(), Json::Null);
    for data in [json!({}), json!(null), json!([])] {
        let error = taken(data, "a").unwrap_err();
        assert_eq!(error.to_string(), "GraphQL response missing root field (field: \"a\")");
    }
}

#[test]
fn page_info_says_where_to_go_on() {
    let info =
        |more: Json, cursor: Json| json!({"pageInfo": {"hasNextPage": more, "endCursor": cursor}});
    let read = |value: Json| PageInfo::read(&value, "root");
    assert_eq!(read(info(json!(true), json!("c"))).unwrap(), PageInfo::More("c".to_owned()));
    assert_eq!(read(info(json!(false), json!("c"))).unwrap(), PageInfo::Last);
    assert_eq!(read(info(json!(false), json!(null))).unwrap(), PageInfo::Last);
    assert_eq!(read(json!(null)).unwrap(), PageInfo::Last);
    assert!(read(json!({})).is_err());
    assert!(read(info(json!(true), json!(null))).is_err());
}

/// Any JSON, in which the words a response is made of are frequent.
fn anything() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        any::<f64>().prop_map(Json::from),
        "[a-z]{0,3}".prop_map(Json::from),
    ];
    let word = prop::sample::select(vec![
        "id",
        "a",
        "b",
        "edges",
        "node",
        "pageInfo",
        "hasNextPage",
        "endCursor",
    ]);
    leaf.prop_recursive(5, 64, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Json::from),
            prop::collection::vec((word.clone(), inner), 0..5).prop_map(|fields| {
                fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
            }),
        ]
    })
}

proptest! {
    // Kills an index or a length that a server could choose.
    #[test]
    fn no_response_makes_a_read_panic(data in anything(), path in 0..3_usize, id in 0..4_usize) {
        let path: Vec<String> = ["edges", "node"].iter().take(path).map(|s| (*s).to_owned()).collect();
        let id = [None, Some("id"), Some("a"), Some("a.b")][id];
        let _ = PageInfo::read(&data, "root");
        let _ = rows_or_one(data.clone(), "root", &path);
        let _ = taken(data.clone(), "a");
        let Ok(found) = rows(data, "root", &path) else { return Ok(()) };
        let count = found.len();
        let _ = strict(id, &["id", "a", "a.b", "b"], Json::Array(found.clone()));
        let kept = decode(id, &["id", "a", "a.b", "b"], RowMode::Lenient, Json::Array(found)).unwrap();
        prop_assert!(kept.len() <= count);
        for record in kept.values() {
            prop_assert_eq!(record.keys().collect::<Vec<_>>(), ["id", "a", "a.b", "b"]);
        }
    }
}
