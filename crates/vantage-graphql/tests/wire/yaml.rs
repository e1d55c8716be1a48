//! Vistas from YAML: blocks, types, references, and what is refused at build.

use std::sync::Arc;

use serde_json::json;
use vantage_dataset::traits::ReadableValueSet;
use vantage_graphql::{
    CountMode, FilterDialect, GraphqlApi, GraphqlApiVistaFactory, GraphqlApiVistaSpec,
    GraphqlBlock, GraphqlColumnBlock, GraphqlColumnExtras, GraphqlTableExtras, Supports,
};
use vantage_vista::{
    Capability, CborValue, ColumnFlag, ColumnSpec, FilterOp, Vista, VistaFactory, VistaSpec,
};

use crate::support::Endpoint;

const URL: &str = "http://localhost/graphql";

fn factory() -> GraphqlApiVistaFactory {
    GraphqlApiVistaFactory::new(GraphqlApi::new(URL))
}

fn document(vista: &Vista) -> String {
    let query = vista.preview().query.expect("a query");
    query.strip_prefix(&format!("POST {URL}\n")).expect("the endpoint").to_owned()
}

#[test]
fn a_silent_block_keeps_the_apis_settings() {
    let api = GraphqlApi::builder(URL)
        .dialect(FilterDialect::Hasura)
        .root_args(json!({"live": true}))
        .response_path("nodes")
        .build();
    for block in ["", "graphql: {}\n"] {
        let yaml = format!("name: airports\n{block}columns: {{ id: {{}}, name: {{}} }}");
        let vista = api.vista_factory().from_yaml(&yaml).unwrap();
        assert_eq!(document(&vista), "query { airports(live: true) { nodes { id name } } }");
    }
}

#[test]
fn a_block_overrides_key_by_key() {
    let api =
        GraphqlApi::builder(URL).dialect(FilterDialect::Generic).root_args(json!({"a": 1})).build();
    let vista = api
        .vista_factory()
        .from_yaml(
            "
name: airport
graphql:
  root_field: airports
  dialect: hasura
  filter_arg: filter
  args: { live: true }
  response_path: edges.node
  order: false
  search: true
  paginate: true
  count: aggregate
  count_field: howMany
columns:
  code: { flags: [id] }
  city_code: { graphql: { field: cityCode } }
",
        )
        .unwrap();
    assert_eq!(vista.name(), "airport");
    let capabilities: Vec<_> = vista.capabilities().iter().collect();
    use Capability::{FilterOps, Search, Traverse, Window};
    assert_eq!(capabilities, [Search, FilterOps, Window, Traverse]);
    let narrowed = vista.with_condition("city_code", FilterOp::Ne, "BER").unwrap();
    assert_eq!(
        document(&narrowed),
        "query { airports(live: true, filter: {cityCode: {_neq: \"BER\"}}) \
         { edges { node { code city_code: cityCode } } } }"
    );
}

#[test]
fn a_block_can_open_connections_and_variables() {
    let yaml = "
name: airports
graphql: { page_size: 20, filter_type: AirportFind, order_style: separate }
columns: { id: {} }
";
    let vista = factory().from_yaml(yaml).unwrap();
    assert!(vista.capabilities().has(Capability::Cursor));
    assert_eq!(
        document(&vista),
        "query { airports(first: 20) { edges { node { id } } pageInfo { hasNextPage endCursor } } }"
    );
}

#[test]
fn every_column_type_is_known() {
    for (ty, rust) in [
        ("int", "i32"),
        ("integer", "i32"),
        ("i32", "i32"),
        ("bigint", "i64"),
        ("i64", "i64"),
        ("long", "i64"),
        ("float", "f64"),
        ("double", "f64"),
        ("f64", "f64"),
        ("f32", "f64"),
        ("bool", "bool"),
        ("boolean", "bool"),
        ("string", "alloc::string::String"),
        ("text", "alloc::string::String"),
        ("str", "alloc::string::String"),
        ("id", "alloc::string::String"),
        ("datetime", "chrono::datetime::DateTime<chrono::offset::utc::Utc>"),
        ("timestamp", "chrono::datetime::DateTime<chrono::offset::utc::Utc>"),
        ("timestamptz", "chrono::datetime::DateTime<chrono::offset::utc::Utc>"),
        ("date", "chrono::naive::date::NaiveDate"),
        ("time", "chrono::naive::time::NaiveTime"),
        ("uuid", "uuid::Uuid"),
        ("json", "serde_json::value::Value"),
    ] {
        let yaml = format!("name: a\ncolumns: {{ id: {{}}, x: {{ type: {ty} }} }}");
        let vista = factory().from_yaml(&yaml).unwrap();
        assert_eq!(vista.column("x").unwrap().original_type.as_deref(), Some(rust), "{ty}");
    }
}

#[test]
fn what_cannot_be_is_refused_at_build() {
    for (yaml, message) in [
        (
            "name: a\ncolumns: { id: {}, x: { type: money } }",
            "Unknown YAML column type for GraphQL Vista (column: \"x\", ty: \"money\")",
        ),
        (
            "name: a b\ncolumns: { id: {} }",
            "GraphQL name is not valid (kind: \"root field\", name: \"a b\")",
        ),
        (
            "name: a\ngraphql: { root_field: 'x {' }\ncolumns: { id: {} }",
            "GraphQL name is not valid (kind: \"root field\", name: \"x {\")",
        ),
        (
            "name: a\ngraphql: { count_field: 'x y' }\ncolumns: { id: {} }",
            "GraphQL name is not valid (kind: \"count field\", name: \"x y\")",
        ),
        (
            "name: a\ngraphql: { filter_arg: 'x y' }\ncolumns: { id: {} }",
            "GraphQL name is not valid (kind: \"filter argument\", name: \"x y\")",
        ),
        (
            "name: a\ngraphql: { filter_type: 'x y' }\ncolumns: { id: {} }",
            "GraphQL name is not valid (kind: \"filter type\", name: \"x y\")",
        ),
        (
            "name: a\ngraphql: { response_path: 'x.y z' }\ncolumns: { id: {} }",
            "GraphQL name is not valid (kind: \"response path segment\", name: \"y z\")",
        ),
        (
            "name: a\ngraphql: { args: { 'x y': 1 } }\ncolumns: { id: {} }",
            "GraphQL name is not valid (kind: \"root argument\", name: \"x y\")",
        ),
        (
            "name: a\ngraphql: { args: { x: [{ 'y z': 1 }] } }\ncolumns: { id: {} }",
            "GraphQL name is not valid (kind: \"root argument key\", name: \"y z\")",
        ),
        (
            "name: a\ncolumns: { id: {}, 'x y': {} }",
            "GraphQL name is not valid (kind: \"field\", name: \"x y\")",
        ),
        (
            "name: a\ncolumns: { id: {}, x: { graphql: { field: 'y z' } } }",
            "GraphQL name is not valid (kind: \"field\", name: \"y z\")",
        ),
        ("name: a\ncolumns: { x: {} }", "id column not present in spec.columns (id: \"id\")"),
    ] {
        let error = factory().from_yaml(yaml).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
    for yaml in [
        "name: a\ncolumns: { id: {}, x: { graphql: { field: y.z } } }",
        "name: a\ncolumns: { id: {}, x.y: { graphql: { field: z } } }",
    ] {
        let error = factory().from_yaml(yaml).unwrap_err();
        assert!(error.is_unsupported() && error.message().contains("dotted"), "{error}");
    }
    let error =
        factory().from_yaml("name: a\ncolumns: { id: {}, x: { expr: 'a + b' } }").unwrap_err();
    assert!(error.is_unsupported() && error.message().contains("`expr:`"), "{error}");
    let two_keys = "
name: a
columns: { id: {} }
references:
  b: { table: b, keys: [{ from: x, to: y }, { from: z, to: w }] }
";
    let error = factory().from_yaml(two_keys).unwrap_err();
    assert!(error.is_unsupported(), "{error}");
    assert!(error.message().contains("multi-column `keys:` are not supported"), "{error}");
}

#[test]
fn unknown_keys_and_spellings_are_refused() {
    for yaml in [
        "name: a\ngraphql: { rootfield: x }\ncolumns: { id: {} }",
        "name: a\ngraphql: { dialect: Hasura }\ncolumns: { id: {} }",
        "name: a\ngraphql: { count: rows }\ncolumns: { id: {} }",
        "name: a\ncolumns: { id: { graphql: { fields: x } } }",
    ] {
        for error in
            [factory().from_yaml(yaml).unwrap_err(), factory().register_yaml(yaml).unwrap_err()]
        {
            assert_eq!(error.message(), "Failed to parse GraphqlApiVistaSpec YAML");
            assert!(error.context.contains_key("detail"), "{yaml}");
        }
    }
}

#[test]
fn dotted_columns_and_flags_are_carried() {
    let yaml = "
name: a
id_column: code
columns:
  code: {}
  name: { flags: [searchable, title, hidden, label] }
  city.name: {}
";
    let api = GraphqlApi::builder(URL).dialect(FilterDialect::Hasura).build();
    let vista = api.vista_factory().from_yaml(yaml).unwrap();
    let name = vista.column("name").unwrap();
    for flag in ["searchable", "title", "hidden", "label", "orderable"] {
        assert!(name.has_flag(flag), "{flag}");
    }
    assert!(vista.column("code").unwrap().has_flag(ColumnFlag::Id));
    assert!(!vista.column("city.name").unwrap().has_flag(ColumnFlag::Orderable));
    assert_eq!(document(&vista), "query { a { code name city { name } } }");
}

fn related() -> GraphqlApiVistaFactory {
    let mut factory = factory();
    for yaml in [
        "
name: airport
graphql: { root_field: airports, dialect: hasura }
columns: { code: { flags: [id] } }
references:
  departures: { table: flight, kind: has_many, foreign_key: origin }
  nowhere: { table: missing, kind: has_many, foreign_key: x }
  broken: { table: broken, kind: has_many, foreign_key: x }
",
        "
name: flight
graphql: { root_field: flights }
columns: { id: {}, origin: { references: airport } }
",
        "name: broken\ncolumns: { id: { type: money } }",
    ] {
        factory.register_yaml(yaml).expect("a spec");
    }
    factory
}

#[tokio::test]
async fn targets_are_rebuilt_from_their_own_spec_on_the_factorys_api() {
    let factory = related();
    let airport = factory.build("airport").unwrap();
    let row = [("code".to_owned(), "TXL".into())].into_iter().collect();

    let departures = airport.get_ref("departures", Some(&row)).unwrap();
    assert_eq!(departures.name(), "flight");
    assert!(departures.is_narrowed());
    // Flat, as the factory's API has it: the parent's dialect stays the parent's.
    assert_eq!(document(&departures), "query { flights(find: {origin: \"TXL\"}) { id origin } }");

    let flight = [("origin".to_owned(), "TXL".into())].into_iter().collect();
    let origin = departures.get_ref("origin", Some(&flight)).unwrap();
    assert_eq!(document(&origin), "query { airports(where: {code: {_eq: \"TXL\"}}) { code } }");
    assert_eq!(
        document(&airport.get_ref("departures", None).unwrap()),
        "query { flights { id origin } }"
    );
}

#[test]
fn a_target_that_is_missing_or_broken_is_told_apart() {
    let airport = related().build("airport").unwrap();
    let missing = airport.get_ref("nowhere", None).unwrap_err();
    assert!(
        missing.is_not_found() && missing.message().contains("no registered spec"),
        "{missing}"
    );
    assert_eq!(missing.context["relation"], "\"nowhere\"");
    assert_eq!(missing.context["target"], "\"missing\"");
    let broken = airport.get_ref("broken", None).unwrap_err();
    assert!(!broken.is_not_found() && broken.message().contains("can't be built"), "{broken}");
    assert!(std::error::Error::source(&broken).is_some());
    assert!(airport.get_ref("unheard-of", None).unwrap_err().is_not_found());

    let error = related().build("nope").unwrap_err();
    assert!(error.is_not_found());
    assert_eq!(error.to_string(), "No registered spec for model name (name: \"nope\")");
}

#[test]
fn a_resolver_is_asked_before_the_registry() {
    let factory = related().with_resolver(Arc::new(|name: &str| {
        (name == "flight").then(|| {
            let mut spec = GraphqlApiVistaSpec::new("flight");
            spec.columns.insert("id".to_owned(), ColumnSpec::new());
            spec.driver =
                GraphqlTableExtras::new(GraphqlBlock::default().with_root_field("resolved"));
            spec
        })
    }));
    let airport = factory.build("airport").unwrap();
    let departures = airport.get_ref("departures", None).unwrap();
    assert_eq!(document(&departures), "query { resolved { id } }");
}

#[test]
fn a_spec_registered_later_is_found() {
    let mut factory = factory();
    factory.register_yaml("name: a\ncolumns: { id: {}, b: { references: b } }").unwrap();
    let a = factory.build("a").unwrap();
    assert!(a.get_ref("b", None).is_err());
    factory.register_yaml("name: b\ncolumns: { id: {} }").unwrap();
    assert!(a.get_ref("b", None).is_ok());
}

#[tokio::test]
async fn a_spec_is_a_typed_table_too() {
    let endpoint = Endpoint::with_data(json!({"flights": [], "airports": []})).await;
    let mut factory = GraphqlApiVistaFactory::new(endpoint.api());
    factory.register_yaml("name: flights\ncolumns: { id: {}, origin: {} }").unwrap();
    let mut spec = GraphqlApiVistaSpec::new("airports");
    spec.columns.insert("id".to_owned(), ColumnSpec::new().with_type("int"));
    let yaml = "table: flights\nkind: has_many\nforeign_key: origin";
    spec.references.insert("departures".to_owned(), serde_yaml_ng::from_str(yaml).unwrap());

    let table = factory.table_from_spec(&spec).unwrap();
    assert_eq!(table.references(), ["departures"]);
    let five = table.with_id(5_i64).unwrap();
    let departures = five.get_ref_as::<vantage_types::EmptyEntity>("departures").unwrap();
    departures.list_values().await.unwrap();
    assert_eq!(endpoint.queries(), ["query { flights(find: {origin: 5}) { id origin } }"]);
}

#[tokio::test]
async fn contained_records_are_selected_and_read_from_their_row() {
    let endpoint = Endpoint::with_data(json!({"orders": [{
        "id": 7,
        "lines": [{"product": "bolt", "amount": 2}, {"product": "nut", "amount": 5}],
        "ship": {"city": "Berlin"},
    }]}))
    .await;
    let yaml = "
name: orders
columns:
  id: { type: int }
  lines: { type: json, graphql: { field: orderLines } }
contained:
  items:
    host_column: lines
    kind: contains_many
    columns: { product: {}, amount: { type: int, graphql: { field: quantity } } }
  address:
    host_column: ship
    columns: { city: {} }
";
    let vista = GraphqlApiVistaFactory::new(endpoint.api()).from_yaml(yaml).unwrap();
    let row = vista.get_value("7").await.unwrap().unwrap();
    assert_eq!(
        endpoint.queries(),
        ["query { orders(find: {id: 7}) \
          { id lines: orderLines { product amount: quantity } ship { city } } }"]
    );

    let items = vista.get_ref("items", Some(&row)).unwrap();
    let items: Vec<_> = items.list_values().await.unwrap().into_values().collect();
    assert_eq!(items.len(), 2);
    assert_eq!(items[1]["amount"], CborValue::from(5));
    let address = vista.get_ref("address", Some(&row)).unwrap();
    assert_eq!(address.count().await.unwrap(), 1);
    assert_eq!(endpoint.bodies().len(), 1, "they came with the row");
}

#[test]
fn blocks_are_built_in_code_and_written_back_without_what_is_absent() {
    let block = GraphqlBlock::default()
        .with_root_field("airports")
        .with_count_field("howMany")
        .with_dialect(FilterDialect::Hasura)
        .with_filter_arg("filter")
        .with_args(json!({"live": true}))
        .with_response_path("nodes")
        .with_filter(true)
        .with_order(false)
        .with_search(false)
        .with_paginate(true)
        .with_count(CountMode::Aggregate);
    let extras = GraphqlTableExtras::new(block);
    let yaml = serde_yaml_ng::to_string(&extras).unwrap();
    assert_eq!(serde_yaml_ng::from_str::<GraphqlTableExtras>(&yaml).unwrap(), extras);
    let column = GraphqlColumnExtras::new(GraphqlColumnBlock::default().with_field("x"));
    assert_eq!(serde_json::to_value(&column).unwrap(), json!({"graphql": {"field": "x"}}));
    assert_eq!(serde_json::to_value(GraphqlTableExtras::default()).unwrap(), json!({}));
    let block = GraphqlBlock::default().with_filter(false);
    assert_eq!(serde_json::to_value(block).unwrap(), json!({"filter": false}));
    assert_eq!(Supports::default().count, CountMode::List);
    let _: VistaSpec<GraphqlTableExtras, GraphqlColumnExtras> = GraphqlApiVistaSpec::new("a");
}
