//! Whatever goes into names and values, the structure of a document is that
//! of the same query with harmless ones, or rendering fails with the name error.

use std::collections::HashMap;

use graphql_parser::query::{
    Definition, Field, OperationDefinition, Selection, SelectionSet, Value, parse_query,
};
use proptest::{collection::vec, prelude::*, sample::Index};
use serde_json::{Value as Json, json};
use vantage_expressions::Order;
use vantage_graphql::{
    FieldCondition, FilterDialect, GraphqlCondition, GraphqlOp, GraphqlSelect, RenderedQuery,
};

/// How many names and values the query below has room for.
const NAMES: usize = 16;
const VALUES: usize = 6;

/// A query that puts something into every slot there is.
fn query(names: &[String], values: &[Json], dialect: FilterDialect) -> GraphqlSelect {
    let flat = |at: usize| GraphqlCondition::eq(&*names[at], values[at % VALUES].clone());
    let nested = GraphqlSelect::new()
        .with_dialect(dialect)
        .with_field(&*names[0])
        .with_root_args(json!({&*names[1]: values[0]}))
        .with_condition(flat(2))
        .with_order(&*names[3], Order::Desc)
        .with_limit(Some(3), None);
    let select = GraphqlSelect::new()
        .with_root_field(&*names[4])
        .with_operation_name(&*names[5])
        .with_dialect(dialect)
        .with_filter_arg_name(&*names[6])
        .with_field(format!("{}.{}", names[7], names[8]))
        .with_aliased_field(&*names[9], &*names[10])
        .with_root_args(json!({&*names[11]: [{&*names[12]: values[1]}, values[2]]}))
        .with_response_path(vec![names[13].clone()])
        .with_sub_selection(&*names[14], nested)
        .with_order(&*names[15], Order::Asc)
        .with_condition(flat(0))
        .with_condition(flat(1))
        .with_limit(Some(1), Some(2));
    match dialect {
        FilterDialect::Hasura => select.with_condition(GraphqlCondition::Or(vec![
            FieldCondition::new(&*names[2], GraphqlOp::In, values[3].clone()).into(),
            GraphqlCondition::Not(Box::new(
                FieldCondition::new(&*names[3], GraphqlOp::ILike, values[4].clone()).into(),
            )),
        ])),
        _ => select.with_condition(flat(5)),
    }
}

fn render(select: &GraphqlSelect) -> vantage_core::Result<RenderedQuery> {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime")
        .block_on(select.render())
}

/// Names and values of a parsed document, replaced as the tables say.
struct Shape<'a> {
    names: &'a HashMap<String, String>,
    texts: &'a HashMap<String, Json>,
}

impl Shape<'_> {
    fn document(&self, text: &str) -> Json {
        let document = parse_query::<String>(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(document.definitions.len(), 1, "one operation: {text}");
        let Some(Definition::Operation(OperationDefinition::Query(query))) =
            document.definitions.first()
        else {
            panic!("a query: {text}");
        };
        assert!(query.directives.is_empty());
        let variables: Vec<Json> = query
            .variable_definitions
            .iter()
            .map(|v| json!([v.name, v.var_type.to_string(), v.default_value.is_none()]))
            .collect();
        json!([
            query.name.as_deref().map(|name| self.name(name)),
            variables,
            self.set(&query.selection_set),
        ])
    }

    fn set(&self, set: &SelectionSet<'_, String>) -> Json {
        set.items
            .iter()
            .map(|item| match item {
                Selection::Field(field) => self.field(field),
                other => panic!("only fields are selected: {other:?}"),
            })
            .collect()
    }

    fn field(&self, field: &Field<'_, String>) -> Json {
        assert!(field.directives.is_empty());
        let arguments: Vec<Json> = field
            .arguments
            .iter()
            .map(|(name, value)| json!([self.name(name), self.value(value)]))
            .collect();
        let alias = field.alias.as_deref().map(|alias| self.name(alias));
        json!([alias, self.name(&field.name), arguments, self.set(&field.selection_set)])
    }

    fn value(&self, value: &Value<'_, String>) -> Json {
        match value {
            Value::Variable(name) => json!({"variable": name}),
            Value::Int(number) => json!({"int": number.as_i64()}),
            Value::Float(number) => json!({"float": number}),
            Value::String(text) => {
                self.texts.get(text).cloned().unwrap_or_else(|| json!({"text": text}))
            }
            Value::Boolean(value) => json!({"bool": value}),
            Value::Null => json!({"null": null}),
            Value::Enum(name) => json!({"enum": self.name(name)}),
            Value::List(items) => items.iter().map(|item| self.value(item)).collect(),
            Value::Object(fields) => Json::Object(
                fields.iter().map(|(key, item)| (self.name(key), self.value(item))).collect(),
            ),
        }
    }

    fn name(&self, name: &str) -> String {
        self.names.get(name).cloned().unwrap_or_else(|| name.to_owned())
    }
}

/// A value as the parser gives it back.
fn parsed(value: &Json) -> Json {
    match value {
        Json::Null => json!({"null": null}),
        Json::Bool(value) => json!({"bool": value}),
        Json::Number(number) if number.is_i64() => json!({"int": number}),
        Json::Number(number) => json!({"float": number}),
        Json::String(text) => json!({"text": text}),
        Json::Array(items) => items.iter().map(parsed).collect(),
        Json::Object(_) => unreachable!("keys are names, and tested as such"),
    }
}

/// Text that means something to a lexer somewhere, and text at large.
fn hostile() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "\"",
        "\\",
        "\"\"\"",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        ":",
        ",",
        "$",
        "@",
        "!",
        "...",
        "#",
        "|",
        "&",
        "=",
        "\n",
        "\r",
        "\r\n",
        "\t",
        "\0",
        "\u{7f}",
        "\u{85}",
        "\u{a0}",
        "\u{2028}",
        "\u{feff}",
        "\u{fffd}",
        "🛫",
        "é",
        " ",
        "query",
        "mutation",
        "fragment",
        "on",
        "null",
        "\\u0022",
        "\\\"",
        "a",
        "_",
        "0",
        "-",
        ".",
        "$limit",
        "__typename",
        "{_eq: 1}",
    ]);
    prop_oneof![
        3 => vec(pieces, 0..8).prop_map(|pieces| pieces.concat()),
        1 => any::<String>(),
    ]
}

fn value() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        4 => hostile().prop_map(Json::from),
        1 => any::<i64>().prop_map(Json::from),
        1 => prop::num::f64::NORMAL.prop_map(Json::from),
        1 => any::<bool>().prop_map(Json::from),
        1 => Just(Json::Null),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| vec(inner, 0..3).prop_map(Json::from))
}

/// Distinct valid names.
fn names() -> impl Strategy<Value = Vec<String>> {
    vec("[_A-Za-z][_0-9A-Za-z]{0,12}", NAMES).prop_map(|names| {
        // The index keeps them apart, and apart from keys of the dialects.
        names.into_iter().enumerate().map(|(at, name)| format!("{name}_{at}")).collect()
    })
}

fn dialect() -> impl Strategy<Value = FilterDialect> {
    prop_oneof![Just(FilterDialect::Hasura), Just(FilterDialect::Generic)]
}

fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c == '_' || c.is_ascii_alphabetic())
        && chars.all(|c| c == '_' || c.is_ascii_alphanumeric())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Kills an escape left out, a value written bare, a separator forgotten.
    #[test]
    fn values_and_names_never_change_the_structure(
        names in names(),
        values in vec(value(), VALUES),
        dialect in dialect(),
    ) {
        let plain: Vec<String> = (0..NAMES).map(|at| format!("name{at}")).collect();
        let marks: Vec<Json> = (0..VALUES).map(|at| json!(format!("value{at}"))).collect();
        let harmless = render(&query(&plain, &marks, dialect)).unwrap();
        let under_test = render(&query(&names, &values, dialect)).unwrap();

        let renamed = plain.iter().cloned().zip(names.iter().cloned()).collect();
        let filled = (0..VALUES).map(|at| (format!("value{at}"), parsed(&values[at]))).collect();
        let expected = Shape { names: &renamed, texts: &filled }.document(&harmless.query);
        let same = HashMap::new();
        let nothing = HashMap::new();
        let got = Shape { names: &same, texts: &nothing }.document(&under_test.query);
        prop_assert_eq!(got, expected);
        prop_assert_eq!(under_test.variables, harmless.variables);
    }

    /// Kills a name slot that is not checked, and a check that lets too much through.
    #[test]
    fn a_name_that_is_none_is_refused_in_every_slot(
        names in names(),
        slot in any::<Index>(),
        hostile in hostile(),
        dialect in dialect(),
    ) {
        let slot = slot.index(NAMES);
        // Orders are sent to servers of one dialect only.
        prop_assume!(!is_name(&hostile));
        prop_assume!(!matches!(slot, 7 | 8) || !hostile.split('.').all(is_name));
        let values = vec![json!(1); VALUES];
        let mut names = names;
        names[slot] = hostile.clone();
        let error = render(&query(&names, &values, dialect)).unwrap_err();
        prop_assert_eq!(error.message(), "GraphQL name is not valid");
        let quoted = format!("{hostile:?}");
        let inner = quoted.trim_matches('"');
        prop_assert!(error.context["name"].contains(inner), "{}", error);
    }
}
