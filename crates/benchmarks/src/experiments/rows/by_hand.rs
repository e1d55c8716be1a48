//! Rows as one would read them without a table: parsed as `serde_json::Value`, then taken apart.

use std::hint::black_box;

use ciborium::Value as Cbor;
use indexmap::IndexMap;
use serde_json::Value;
use vantage_graphql::AnyGraphqlType;
use vantage_types::Record;

use crate::{
    experiments::{block_on, wire::http},
    server::Server,
};

/// Into the records that a table of `vantage-rest` has.
pub(super) fn rest(rows: u64, times: u64) {
    let server = Server::of_rows(rows, "array");
    let http = http();
    block_on(async {
        for _ in 0..times {
            let response = http.get(server.url()).send().await.expect("the server answers");
            let body = response.bytes().await.expect("the body is here");
            let Ok(Value::Array(items)) = serde_json::from_slice(&body) else {
                panic!("it is an array")
            };
            let listed = keyed(items, cbor);
            assert_eq!(listed.len() as u64, rows);
            black_box(listed);
        }
    });
}

/// Into the records that a table of `vantage-graphql` has.
pub(super) fn graphql(rows: u64, times: u64) {
    const QUERY: &str =
        r#"{"query":"query { airports { id name city size open } }","variables":{}}"#;

    let server = Server::of_rows(rows, "graphql");
    let http = http();
    block_on(async {
        for _ in 0..times {
            let request = http.post(server.url()).body(QUERY);
            let response = request.send().await.expect("the server answers");
            let body = response.bytes().await.expect("the body is here");
            let mut body: Value = serde_json::from_slice(&body).expect("it is JSON");
            let Value::Array(items) = body["data"]["airports"].take() else {
                panic!("it is an array")
            };
            let listed = keyed(items, AnyGraphqlType::untyped);
            assert_eq!(listed.len() as u64, rows);
            black_box(listed);
        }
    });
}

fn keyed<V>(items: Vec<Value>, convert: impl Fn(Value) -> V) -> IndexMap<String, Record<V>> {
    let mut rows = IndexMap::with_capacity(items.len());
    for item in items {
        let Value::Object(fields) = item else { panic!("a row is an object") };
        let id = fields["id"].to_string();
        let mut record = Record::with_capacity(fields.len());
        for (name, value) in fields {
            record.insert(name, convert(value));
        }
        rows.insert(id, record);
    }
    rows
}

fn cbor(value: Value) -> Cbor {
    match value {
        Value::Null => Cbor::Null,
        Value::Bool(value) => Cbor::Bool(value),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(number), _) => Cbor::Integer(number.into()),
            (None, Some(number)) => Cbor::Float(number),
            (None, None) => Cbor::Null,
        },
        Value::String(text) => Cbor::Text(text),
        Value::Array(items) => Cbor::Array(items.into_iter().map(cbor).collect()),
        Value::Object(fields) => {
            Cbor::Map(fields.into_iter().map(|(name, value)| (name.into(), cbor(value))).collect())
        }
    }
}
