//! A GraphQL document, written.

use std::{fmt::Write as _, hint::black_box};

use serde_json::{Value, json};
use vantage_graphql::{FieldCondition, FilterDialect, GraphqlOp, GraphqlSelect};

use super::block_on;
use crate::experiment::{Experiment, Subject};

pub(crate) const DOCUMENT: Experiment = Experiment {
    id: "document",
    title: "a GraphQL document of 20 fields and 10 conditions is written",
    floor: "by hand",
    features: "adapters",
    repeats: (1_000, 11_000),
    subjects: &[
        Subject::new("by hand", |times| by_hand(write, times)),
        Subject::new("by hand, without format strings", |times| by_hand(push, times)),
        Subject::new("vantage-graphql: render", |times| render(10, times)),
        Subject::new("vantage-graphql: render, without conditions", |times| render(0, times)),
    ],
};

const DOCUMENT_OF_TEN: &str = "query { airports(where: {\
    field_0: {_gt: \"value 0\"}, field_1: {_gt: \"value 1\"}, field_2: {_gt: \"value 2\"}, \
    field_3: {_gt: \"value 3\"}, field_4: {_gt: \"value 4\"}, field_5: {_gt: \"value 5\"}, \
    field_6: {_gt: \"value 6\"}, field_7: {_gt: \"value 7\"}, field_8: {_gt: \"value 8\"}, \
    field_9: {_gt: \"value 9\"}}) { \
    field_0 field_1 field_2 field_3 field_4 field_5 field_6 field_7 field_8 field_9 field_10 \
    field_11 field_12 field_13 field_14 field_15 field_16 field_17 field_18 field_19 } }";

fn fields() -> Vec<String> {
    (0..20).map(|at| format!("field_{at}")).collect()
}

/// Field, operator and value.
type Condition = (String, &'static str, Value);

fn conditions() -> Vec<Condition> {
    (0..10).map(|at| (format!("field_{at}"), "_gt", json!(format!("value {at}")))).collect()
}

fn by_hand(write: fn(&[String], &[Condition]) -> String, times: u64) {
    let (fields, conditions) = (fields(), conditions());
    for _ in 0..times {
        let (fields, conditions) = (black_box(&fields), black_box(&conditions));
        let document = write(fields, conditions);
        assert_eq!(black_box(document).len(), DOCUMENT_OF_TEN.len());
    }
    assert_eq!(write(&fields, &conditions), DOCUMENT_OF_TEN);
}

fn write(fields: &[String], conditions: &[Condition]) -> String {
    let mut out = String::with_capacity(1_024);
    out.push_str("query { airports(where: {");
    for (index, (field, op, value)) in conditions.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        let _ = write!(out, "{field}: {{{op}: {value}}}");
    }
    out.push_str("}) { ");
    for (index, field) in fields.iter().enumerate() {
        if index > 0 {
            out.push(' ');
        }
        out.push_str(field);
    }
    out.push_str(" } }");
    out
}

/// The same for whom nothing is too much trouble.
fn push(fields: &[String], conditions: &[Condition]) -> String {
    let mut out = String::with_capacity(1_024);
    out.push_str("query { airports(where: {");
    for (index, (field, op, value)) in conditions.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        for part in [field.as_str(), ": {", op, ": "] {
            out.push_str(part);
        }
        match value {
            Value::String(text) if text.bytes().all(is_plain) => {
                out.push('"');
                out.push_str(text);
                out.push('"');
            }
            other => {
                let _ = write!(out, "{other}");
            }
        }
        out.push('}');
    }
    out.push_str("}) { ");
    for (index, field) in fields.iter().enumerate() {
        if index > 0 {
            out.push(' ');
        }
        out.push_str(field);
    }
    out.push_str(" } }");
    out
}

/// Whether a byte of a string stands for itself.
fn is_plain(byte: u8) -> bool {
    0x20 <= byte && !matches!(byte, b'"' | b'\\' | 0x7f)
}

fn render(conditions: u32, times: u64) {
    let select = GraphqlSelect::new().with_root_field("airports");
    let select = select.with_dialect(FilterDialect::Hasura);
    let select = fields().into_iter().fold(select, GraphqlSelect::with_field);
    let select = (0..conditions).fold(select, |select, at| {
        let value = format!("value {at}");
        select.with_condition(FieldCondition::new(format!("field_{at}"), GraphqlOp::Gt, value))
    });
    block_on(async {
        for _ in 0..times {
            let rendered = black_box(&select).render().await.expect("it can be spelled");
            black_box(rendered);
        }
        if conditions == 10 {
            let rendered = select.render().await.expect("it can be spelled");
            assert_eq!(rendered.query, DOCUMENT_OF_TEN);
        }
    });
}
