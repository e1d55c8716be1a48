//! Rendering of GraphQL documents: text never becomes structure.

use std::{
    cell::RefCell,
    collections::{BTreeSet, HashMap},
};

use graphql_parser::query::{
    Definition, Field, OperationDefinition, Selection, SelectionSet, Value, parse_query,
};
use serde_json::{Value as Json, json};
use vantage_expressions::Order;
use vantage_graphql::{FieldCondition, FilterDialect, GraphqlCondition, GraphqlOp, GraphqlSelect};

use crate::{bytes::Bytes, once::at_once};

/// How many names and values a query has room for.
const NAMES: usize = 8;
const VALUES: usize = 5;

/// How many structures of harmless queries are kept at a time.
const REMEMBERED: usize = 10_000;

/// Puts texts made of the bytes where names and values go.
///
/// # Panics
///
/// If the document does not parse, has another structure than with harmless texts, or has lost a
/// text.
pub fn render(data: &[u8]) {
    let mut bytes = Bytes(data);
    let dialect =
        if bytes.byte() % 2 == 0 { FilterDialect::Hasura } else { FilterDialect::Generic };
    // Most names are fine, so that one that is not meets a query that goes through otherwise.
    let hostile = usize::from(bytes.byte());
    let names: [String; NAMES] = std::array::from_fn(|at| {
        let text = bytes.text();
        if at != hostile % (2 * NAMES) {
            format!("name{at}")
        } else if is_name(&text) {
            // Apart from the keys of the dialects, and after them in the parser's order of keys.
            format!("z_{text}")
        } else {
            text
        }
    });
    let values: [Json; VALUES] = std::array::from_fn(|_| value(&mut bytes, 0));

    let Some(document) = document(&query(&names, &values, dialect)) else {
        return assert!(names.iter().any(|name| !is_name(name)), "{names:?} are all names");
    };
    let mut texts = BTreeSet::new();
    let own = shape(&document, &mut texts);
    harmless(&values.clone().map(calm), dialect, |expected| {
        assert_eq!(own, *expected, "{document}");
    });
    let mut expected = BTreeSet::new();
    values.iter().for_each(|value| strings(value, &mut expected));
    assert_eq!(texts, expected, "{document}");
}

/// A query that puts something into every kind of slot.
fn query(
    names: &[String; NAMES],
    values: &[Json; VALUES],
    dialect: FilterDialect,
) -> GraphqlSelect {
    let [root, operation, filter, field, alias, argument, nested, column] = names;
    let [first, second, third, fourth, fifth] = values;
    let inner = GraphqlSelect::new()
        .with_dialect(dialect)
        .with_field(field)
        .with_root_args(json!({"fixed": first}));
    let select = GraphqlSelect::new()
        .with_root_field(root)
        .with_operation_name(operation)
        .with_dialect(dialect)
        .with_filter_arg_name(filter)
        .with_field(field)
        .with_aliased_field(alias, field)
        .with_root_args(json!({argument: [{argument: second}, third]}))
        .with_sub_selection(nested, inner)
        .with_condition(GraphqlCondition::eq(column, fourth.clone()))
        .with_order(column, Order::Asc)
        .with_limit(Some(1), Some(2));
    match dialect {
        FilterDialect::Hasura => select.with_condition(GraphqlCondition::Not(Box::new(
            FieldCondition::new(column, GraphqlOp::Ne, fifth.clone()).into(),
        ))),
        _ => select.with_condition(GraphqlCondition::eq("fixed", fifth.clone())),
    }
}

fn value(bytes: &mut Bytes<'_>, depth: u8) -> Json {
    match bytes.byte() % 8 {
        0 => Json::Null,
        1 => Json::Bool(true),
        2 => json!(bytes.number().cast_signed()),
        3 => json!(f64::from_bits(bytes.number())),
        4 if depth < 2 => (0..bytes.byte() % 3).map(|_| value(bytes, depth + 1)).collect(),
        _ => Json::String(bytes.text()),
    }
}

/// The value with harmless texts and numbers.
fn calm(value: Json) -> Json {
    match value {
        Json::String(_) => json!("text"),
        Json::Number(_) => json!(1),
        Json::Array(items) => items.into_iter().map(calm).collect(),
        value => value,
    }
}

fn strings(value: &Json, into: &mut BTreeSet<String>) {
    match value {
        Json::String(text) => drop(into.insert(text.clone())),
        Json::Array(items) => items.iter().for_each(|item| strings(item, into)),
        _ => (),
    }
}

/// The document, if rendering succeeds.
fn document(select: &GraphqlSelect) -> Option<String> {
    at_once(select.render()).ok().map(|rendered| rendered.query)
}

/// Shows the structure of the query with harmless names and these values.
fn harmless(values: &[Json; VALUES], dialect: FilterDialect, show: impl FnOnce(&Json)) {
    thread_local! {
        /// What was found before: most inputs differ in their texts alone.
        static KNOWN: RefCell<HashMap<String, Json>> = RefCell::default();
    }
    let make = || {
        let plain = std::array::from_fn(|at| format!("name{at}"));
        let document = document(&query(&plain, values, dialect)).expect("these names are names");
        shape(&document, &mut BTreeSet::new())
    };
    KNOWN.with_borrow_mut(|known| {
        if known.len() >= REMEMBERED {
            known.clear();
        }
        show(known.entry(format!("{dialect:?}{}", json!(values))).or_insert_with(make));
    });
}

fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c == '_' || c.is_ascii_alphabetic())
        && chars.all(|c| c == '_' || c.is_ascii_alphanumeric())
}

/// The structure of a document: everything but its names and the contents of its texts, which are
/// collected.
fn shape(document: &str, texts: &mut BTreeSet<String>) -> Json {
    let parsed = parse_query::<&str>(document).unwrap_or_else(|e| panic!("{e}\n{document}"));
    let [Definition::Operation(OperationDefinition::Query(query))] = parsed.definitions.as_slice()
    else {
        panic!("one query: {document}");
    };
    let variables: Vec<_> = query.variable_definitions.iter().map(|v| v.name).collect();
    assert!(query.directives.is_empty(), "{document}");
    json!([query.name.is_some(), variables, set(&query.selection_set, texts)])
}

fn set<'a>(set: &SelectionSet<'a, &'a str>, texts: &mut BTreeSet<String>) -> Json {
    let item = |item: &Selection<'a, &'a str>| match item {
        Selection::Field(own) => field(own, texts),
        other => panic!("only fields are selected: {other:?}"),
    };
    set.items.iter().map(item).collect()
}

fn field<'a>(field: &Field<'a, &'a str>, texts: &mut BTreeSet<String>) -> Json {
    assert!(field.directives.is_empty());
    let arguments: Vec<_> = field.arguments.iter().map(|(_, own)| kind(own, texts)).collect();
    json!([field.alias.is_some(), arguments, set(&field.selection_set, texts)])
}

fn kind<'a>(value: &Value<'a, &'a str>, texts: &mut BTreeSet<String>) -> Json {
    match value {
        Value::Boolean(_) => json!("bool"),
        Value::Enum(_) => json!("enum"),
        Value::Float(_) | Value::Int(_) => json!("number"),
        Value::List(items) => items.iter().map(|item| kind(item, texts)).collect(),
        Value::Null => json!("null"),
        Value::Object(entries) => entries.values().map(|entry| kind(entry, texts)).collect(),
        Value::String(text) => {
            texts.insert(text.clone());
            json!("text")
        }
        Value::Variable(name) => json!({"variable": name}),
    }
}
