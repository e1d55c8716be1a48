//! The document of a select is exactly this, rule by rule.

use serde_json::{Map, Value as Json, json};
use vantage_expressions::{DeferredFn, Order};
use vantage_graphql::{
    AnyGraphqlType, ConnectionArgs, FieldCondition, FilterDialect, GraphqlCondition, GraphqlOp,
    GraphqlSelect, OrderStyle,
};

fn airports() -> GraphqlSelect {
    GraphqlSelect::new().with_root_field("airports").with_field("code")
}

fn hasura() -> GraphqlSelect {
    airports().with_dialect(FilterDialect::Hasura)
}

fn gt(field: &str, value: i64) -> FieldCondition {
    FieldCondition::new(field, GraphqlOp::Gt, value)
}

fn deferred(value: Json) -> DeferredFn<AnyGraphqlType> {
    DeferredFn::from_fn(move || {
        let value = value.clone();
        async move { Ok(AnyGraphqlType::untyped(value)) }
    })
}

#[tokio::test]
async fn every_rendering_rule() {
    let nested = GraphqlSelect::new()
        .with_dialect(FilterDialect::Hasura)
        .with_field("number")
        .with_condition(gt("seats", 100))
        .with_order("number", Order::Asc)
        .with_limit(Some(3), Some(6));
    for (rule, select, query, variables) in [
        ("plain", airports(), "query { airports { code } }", json!({})),
        (
            "fields keep their order",
            airports().with_field("name").with_field("elevation"),
            "query { airports { code name elevation } }",
            json!({}),
        ),
        (
            "a field is selected once",
            airports().with_field("name").with_field("code"),
            "query { airports { code name } }",
            json!({}),
        ),
        (
            "dotted paths group at first sight",
            airports().with_field("run.id").with_field("name").with_field("run.state"),
            "query { airports { code run { id state } name } }",
            json!({}),
        ),
        (
            "dotted paths nest",
            airports().with_field("a.b.c").with_field("a.b.d").with_field("a.e"),
            "query { airports { code a { b { c d } e } } }",
            json!({}),
        ),
        (
            "a leaf that is a parent renders as the parent",
            airports().with_field("run").with_field("run.id"),
            "query { airports { code run { id } } }",
            json!({}),
        ),
        (
            "an alias",
            airports().with_aliased_field("city_code", "cityCode"),
            "query { airports { code city_code: cityCode } }",
            json!({}),
        ),
        (
            "an alias in filter and order",
            hasura()
                .with_aliased_field("city_code", "cityCode")
                .with_condition(GraphqlCondition::eq("city_code", "BER"))
                .with_order("city_code", Order::Desc),
            "query { airports(where: {cityCode: {_eq: \"BER\"}}, order_by: [{cityCode: desc}]) \
             { code city_code: cityCode } }",
            json!({}),
        ),
        (
            "an operation name",
            airports().with_operation_name("List"),
            "query List { airports { code } }",
            json!({}),
        ),
        (
            "limit alone",
            airports().with_limit(Some(10), None),
            "query ($limit: Int) { airports(limit: $limit) { code } }",
            json!({"limit": 10}),
        ),
        (
            "offset alone",
            airports().with_limit(None, Some(20)),
            "query ($offset: Int) { airports(offset: $offset) { code } }",
            json!({"offset": 20}),
        ),
        (
            "a name and both",
            airports().with_operation_name("Page").with_limit(Some(10), Some(20)),
            "query Page($limit: Int, $offset: Int) \
             { airports(limit: $limit, offset: $offset) { code } }",
            json!({"limit": 10, "offset": 20}),
        ),
        (
            "generic filters are flat",
            airports()
                .with_condition(GraphqlCondition::eq("country", "DE"))
                .with_condition(GraphqlCondition::eq("open", true)),
            "query { airports(find: {country: \"DE\", open: true}) { code } }",
            json!({}),
        ),
        (
            "the filter argument has a name",
            airports()
                .with_filter_arg_name("filter")
                .with_condition(GraphqlCondition::eq("country", "DE")),
            "query { airports(filter: {country: \"DE\"}) { code } }",
            json!({}),
        ),
        (
            "hasura filters merge",
            hasura()
                .with_condition(GraphqlCondition::eq("country", "DE"))
                .with_condition(gt("elevation", 100)),
            "query { airports(where: {country: {_eq: \"DE\"}, elevation: {_gt: 100}}) { code } }",
            json!({}),
        ),
        (
            "hasura filters on one field are listed",
            hasura().with_condition(gt("elevation", 100)).with_condition(gt("elevation", 200)),
            "query { airports(where: {_and: [{elevation: {_gt: 100}}, {elevation: {_gt: 200}}]}) \
             { code } }",
            json!({}),
        ),
        (
            "no rows at all",
            hasura()
                .with_condition(GraphqlCondition::Not(Box::new(GraphqlCondition::And(Vec::new())))),
            "query { airports(where: {_not: {}}) { code } }",
            json!({}),
        ),
        (
            "deferred values are resolved",
            hasura()
                .with_condition(GraphqlCondition::deferred_field(
                    "country",
                    GraphqlOp::Eq,
                    deferred(json!("DE")),
                ))
                .with_condition(GraphqlCondition::Deferred(deferred(
                    json!({"open": {"_eq": true}}),
                ))),
            "query { airports(where: {country: {_eq: \"DE\"}, open: {_eq: true}}) { code } }",
            json!({}),
        ),
        (
            "an opaque deferred condition is not renamed",
            hasura()
                .with_aliased_field("city", "cityName")
                .with_condition(GraphqlCondition::Deferred(deferred(json!({"city": {"_eq": 1}})))),
            "query { airports(where: {city: {_eq: 1}}) { code city: cityName } }",
            json!({}),
        ),
        (
            "orders go into one object",
            hasura().with_order("a", Order::Asc).with_order("b", Order::Desc.nulls_last()),
            "query { airports(order_by: [{a: asc, b: desc}]) { code } }",
            json!({}),
        ),
        (
            "orders go into objects of their own",
            hasura()
                .with_order_style(OrderStyle::Separate)
                .with_order("a", Order::Asc)
                .with_order("b", Order::Desc.nulls_last())
                .with_order("c", Order::Asc.nulls_first()),
            "query { airports(order_by: [{a: asc}, {b: desc_nulls_last}, {c: asc_nulls_first}]) \
             { code } }",
            json!({}),
        ),
        (
            "generic servers get no order",
            airports().with_order("a", Order::Asc),
            "query { airports { code } }",
            json!({}),
        ),
        (
            "root arguments are literals in their order",
            airports().with_root_args(json!({"b": {"x": [1, "y"]}, "a": null})),
            "query { airports(b: {x: [1, \"y\"]}, a: null) { code } }",
            json!({}),
        ),
        (
            "root arguments that are no object are ignored",
            airports().with_root_args(json!([1])),
            "query { airports { code } }",
            json!({}),
        ),
        (
            "all arguments, in order",
            hasura()
                .with_root_args(json!({"live": true}))
                .with_condition(GraphqlCondition::eq("country", "DE"))
                .with_order("code", Order::Asc)
                .with_limit(Some(1), Some(2)),
            "query ($limit: Int, $offset: Int) { airports(live: true, \
             where: {country: {_eq: \"DE\"}}, order_by: [{code: asc}], \
             limit: $limit, offset: $offset) { code } }",
            json!({"limit": 1, "offset": 2}),
        ),
        (
            "a response path wraps the selection",
            airports().with_response_path(vec!["edges".to_owned(), "node".to_owned()]),
            "query { airports { edges { node { code } } } }",
            json!({}),
        ),
        (
            "a sub-selection has literal arguments",
            airports().with_sub_selection("flights", nested),
            "query { airports { code flights(where: {seats: {_gt: 100}}, \
             order_by: [{number: asc}], limit: 3, offset: 6) { number } } }",
            json!({}),
        ),
        (
            "a sub-selection stands for the field of its name",
            airports()
                .with_field("flights")
                .with_sub_selection("flights", GraphqlSelect::new().with_field("number")),
            "query { airports { code flights { number } } }",
            json!({}),
        ),
        (
            "a sub-selection alone",
            GraphqlSelect::new()
                .with_root_field("airports")
                .with_sub_selection("flights", GraphqlSelect::new().with_field("number")),
            "query { airports { flights { number } } }",
            json!({}),
        ),
        (
            "a filter variable",
            hasura()
                .with_filter_variable("airports_bool_exp!")
                .with_condition(GraphqlCondition::eq("country", "DE"))
                .with_limit(Some(1), None),
            "query ($filter: airports_bool_exp!, $limit: Int) \
             { airports(where: $filter, limit: $limit) { code } }",
            json!({"filter": {"country": {"_eq": "DE"}}, "limit": 1}),
        ),
        (
            "a filter variable without a filter",
            hasura().with_filter_variable("airports_bool_exp"),
            "query { airports { code } }",
            json!({}),
        ),
        (
            "the first page of a connection",
            airports()
                .with_response_path(vec!["edges".to_owned(), "node".to_owned()])
                .with_connection_page(ConnectionArgs::default(), 50, None),
            "query ($first: Int) { airports(first: $first) \
             { edges { node { code } } pageInfo { hasNextPage endCursor } } }",
            json!({"first": 50}),
        ),
        (
            "a later page of a connection whose arguments have other names",
            airports().with_response_path(vec!["nodes".to_owned()]).with_connection_page(
                ConnectionArgs::new("take", "from"),
                50,
                Some("c".to_owned()),
            ),
            "query ($first: Int, $after: String) { airports(take: $first, from: $after) \
             { nodes { code } pageInfo { hasNextPage endCursor } } }",
            json!({"first": 50, "after": "c"}),
        ),
    ] {
        let rendered = select.render().await.unwrap();
        assert_eq!(rendered.query, query, "{rule}");
        assert_eq!(Json::Object(rendered.variables), variables, "{rule}");
        graphql_parser::parse_query::<String>(query).unwrap_or_else(|e| panic!("{rule}: {e}"));
    }
}

#[tokio::test]
async fn renders_the_same_document_every_time() {
    let select = hasura().with_condition(gt("elevation", 1)).with_limit(Some(1), None);
    assert_eq!(select.render().await.unwrap(), select.clone().render().await.unwrap());
}

#[tokio::test]
async fn refuses_a_document_without_root_or_selection() {
    let error = GraphqlSelect::new().with_field("code").render().await.unwrap_err();
    assert_eq!(error.to_string(), "GraphqlSelect: root_field is required");

    let error = GraphqlSelect::new().with_root_field("airports").render().await.unwrap_err();
    assert_eq!(error.message(), "GraphqlSelect: selection set is empty");
    assert_eq!(error.context["root"], "\"airports\"");
    assert!(error.context["hint"].contains("column"), "{error}");

    let empty = airports().with_sub_selection("flights", GraphqlSelect::new());
    let error = empty.render().await.unwrap_err();
    assert_eq!(error.context["root"], "\"flights\"");
}

#[tokio::test]
async fn a_bad_name_is_refused_wherever_it_stands() {
    let bad = "a b";
    let args = |args: Json| airports().with_root_args(args);
    for (kind, select) in [
        ("root field", airports().with_root_field(bad)),
        ("operation name", airports().with_operation_name(bad)),
        ("field", airports().with_field(bad)),
        ("field", airports().with_field("run.a b")),
        ("field", airports().with_aliased_field(bad, "fine")),
        ("field", airports().with_aliased_field("fine", bad)),
        ("response path segment", airports().with_response_path(vec![bad.to_owned()])),
        ("order field", hasura().with_order(bad, Order::Asc)),
        ("order field", hasura().with_order("run.id", Order::Asc)),
        ("field", airports().with_sub_selection(bad, GraphqlSelect::new().with_field("code"))),
        ("field", airports().with_sub_selection("fine", GraphqlSelect::new().with_field(bad))),
        ("root argument", args(json!({bad: 1}))),
        ("root argument key", args(json!({"fine": [{"x": {bad: 1}}]}))),
        (
            "filter argument",
            airports().with_filter_arg_name(bad).with_condition(GraphqlCondition::eq("a", 1)),
        ),
        ("filter key", airports().with_condition(GraphqlCondition::eq(bad, 1))),
        ("filter key", hasura().with_condition(GraphqlCondition::eq("run.id", 1))),
        ("filter key", hasura().with_condition(GraphqlCondition::eq("a", json!([{bad: 1}])))),
        (
            "filter key",
            hasura().with_condition(GraphqlCondition::Or(vec![GraphqlCondition::Not(Box::new(
                GraphqlCondition::eq(bad, 1),
            ))])),
        ),
        (
            "filter key",
            hasura().with_condition(GraphqlCondition::Deferred(deferred(json!({"a": {bad: 1}})))),
        ),
        (
            "filter type",
            hasura().with_filter_variable("a b!").with_condition(GraphqlCondition::eq("a", 1)),
        ),
        (
            "cursor argument",
            airports().with_connection_page(ConnectionArgs::new(bad, "after"), 1, None),
        ),
    ] {
        let error = select.render().await.unwrap_err();
        assert_eq!(error.message(), "GraphQL name is not valid", "{kind}");
        assert_eq!(error.context["kind"], format!("{kind:?}"));
        assert!(error.context["name"].contains("a b") || error.context["name"].contains("run.id"));
    }
}

#[tokio::test]
async fn a_filter_argument_that_is_not_used_is_not_checked() {
    assert!(airports().with_filter_arg_name("a b").render().await.is_ok());
}

#[tokio::test]
async fn a_filter_the_dialect_cannot_spell_is_refused() {
    let error = airports().with_condition(gt("elevation", 1)).render().await.unwrap_err();
    assert!(error.message().contains("Generic"), "{error}");
}

#[test]
fn previews_show_what_would_be_sent_with_limits_inlined() {
    for (select, preview) in [
        (
            hasura()
                .with_operation_name("List")
                .with_condition(GraphqlCondition::eq("country", "DE"))
                .with_order("code", Order::Asc)
                .with_limit(Some(10), Some(20)),
            "query List { airports(where: {country: {_eq: \"DE\"}}, order_by: [{code: asc}], \
             limit: 10, offset: 20) { code } }",
        ),
        (
            hasura().with_condition(GraphqlCondition::eq("open", true)).with_condition(
                GraphqlCondition::deferred_field("country", GraphqlOp::Eq, deferred(json!("DE"))),
            ),
            "query { airports(where: {_and: [{open: {_eq: true}}, \"**deferred(country Eq)\"]}) \
             { code } }",
        ),
        (
            airports().with_condition(GraphqlCondition::Deferred(deferred(json!({})))),
            "query { airports(find: \"**deferred()\") { code } }",
        ),
        (
            airports().with_condition(GraphqlCondition::Or(Vec::new())),
            "query { airports(find: <unrenderable: Generic dialect does not support OR; \
             filter locally or use the Hasura dialect>) { code } }",
        ),
        (
            hasura()
                .with_filter_variable("airports_bool_exp")
                .with_condition(GraphqlCondition::eq("open", true)),
            "query { airports(where: {open: {_eq: true}}) { code } }",
        ),
        (GraphqlSelect::new(), "query { <no root_field> { <empty selection set> } }"),
        (airports().with_field("not a name"), "query { airports { code not a name } }"),
        (
            airports()
                .with_sub_selection("flights", GraphqlSelect::new().with_limit(Some(1), None)),
            "query { airports { code flights(limit: 1) { <empty selection set> } } }",
        ),
    ] {
        assert_eq!(select.preview(), preview);
    }
}

#[test]
fn a_select_shows_what_it_was_given() {
    let select = hasura().with_condition(GraphqlCondition::eq("country", "DE"));
    assert_eq!(select.root_field(), Some("airports"));
    assert_eq!(select.fields(), ["code"]);
    assert_eq!(select.conditions().len(), 1);
    assert_eq!(select.dialect(), FilterDialect::Hasura);
    assert_eq!(select.operation_name(), None);
    assert_eq!(select.clone().with_operation_name("A").operation_name(), Some("A"));
    assert!(format!("{select:?}").contains("airports"));
    let _: Map<String, Json> = Map::new();
}
