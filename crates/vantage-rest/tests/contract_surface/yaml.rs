//! Vistas from YAML.

use std::sync::Arc;

use serde_json::json;
use vantage_core::{Result, error};
use vantage_dataset::prelude::ReadableValueSet;
use vantage_rest::{ApiTableBlock, ApiTableExtras, RestApi, RestApiVistaFactory, RestApiVistaSpec};
use vantage_vista::{Capability, ColumnFamily, FilterOp, NoExtras, Vista, VistaFactory};

use crate::support::{Api, ids, user};

const USERS: &str = "
name: users
columns:
  id: { type: int, flags: [id] }
  name: { type: string, flags: [title] }
  team: {}
references:
  team: { table: teams, foreign_key: team }
  posts: { table: posts, kind: has_many, foreign_key: author }
  notes: { table: notes, kind: has_many, keys: [{ from: id, to: author }, { from: team, to: team }] }
";

const POSTS: &str = "
name: posts
columns: { id: {}, author: {} }
api: { endpoint: 'v2/posts' }
";

const NOTES: &str = "
name: notes
columns: { id: {}, author: {}, team: {} }
";

fn factory(api: &Api) -> RestApiVistaFactory {
    let mut factory = api.build().vista_factory();
    for yaml in [USERS, POSTS, NOTES] {
        factory.register_yaml(yaml).unwrap();
    }
    factory
}

fn family(vista: &Vista, column: &str) -> Option<ColumnFamily> {
    vista.column(column).unwrap().family()
}

#[test]
fn a_spec_becomes_a_vista() {
    let vista = RestApi::new("http://h").vista_factory().from_yaml(USERS).unwrap();
    assert_eq!((vista.name(), vista.id_column()), ("users", Some("id")));
    assert_eq!(vista.title_columns(), ["name"]);
    assert_eq!(family(&vista, "id"), Some(ColumnFamily::Integer));
    assert_eq!(family(&vista, "team"), Some(ColumnFamily::Text));
    assert_eq!(vista.references().keys().collect::<Vec<_>>(), ["team", "posts", "notes"]);
    assert_eq!(vista.reference("posts").unwrap().target, "posts");
}

#[test]
fn every_column_type_has_its_names() {
    let types = [
        ("int integer i64 i32", Some(ColumnFamily::Integer)),
        ("float double f64 f32", Some(ColumnFamily::Float)),
        ("bool boolean", Some(ColumnFamily::Bool)),
        ("string text str", Some(ColumnFamily::Text)),
        ("decimal numeric", Some(ColumnFamily::Decimal)),
        ("json any date datetime timestamp time uuid", None),
    ];
    for (names, expected) in types {
        for name in names.split(' ') {
            let yaml = format!("name: t\ncolumns: {{ id: {{}}, c: {{ type: {name} }} }}");
            let vista = RestApi::new("http://h").vista_factory().from_yaml(&yaml).unwrap();
            assert_eq!(family(&vista, "c"), expected, "{name}");
        }
    }
}

fn failure(yaml: &str) -> String {
    RestApi::new("http://h").vista_factory().from_yaml(yaml).err().unwrap().to_string()
}

#[test]
fn what_is_wrong_with_a_spec_is_named() {
    let text = r#"Unknown YAML column type (column: "c", ty: "blob")"#;
    assert_eq!(failure("name: t\ncolumns: { id: {}, c: { type: blob } }"), text);
    let text = r#"id column not present in spec.columns (id: "id")"#;
    assert_eq!(failure("name: t\ncolumns: { c: {} }"), text);
    let parse = "Failed to parse RestApiVistaSpec YAML (detail: ";
    assert!(failure("name: t\ncolumns: { id: {} }\napi: { endpont: x }").starts_with(parse));
    let zero = failure("name: t\ncolumns: { id: {} }\napi: { page_size: 0 }");
    assert!(zero.starts_with(parse) && zero.contains('0'), "{zero}");
    let mut factory = RestApi::new("http://h").vista_factory();
    assert!(factory.register_yaml("]").unwrap_err().to_string().starts_with(parse));
}

#[test]
fn a_name_nobody_registered_is_not_found() {
    let err = RestApi::new("http://h").vista_factory().build("nope").err().unwrap();
    assert!(err.is_not_found());
    assert_eq!(err.to_string(), r#"No registered spec for model name (name: "nope")"#);
}

#[tokio::test]
async fn references_build_their_targets_by_name() {
    let mut api = Api::new().await;
    api.answers("/users", json!([user(7, "a")])).await;
    api.answers("/v2/posts?author=7", json!([{"id": "p"}])).await;
    api.answers("/notes?author=7&team=a", json!([{"id": "n"}])).await;
    let users = factory(&api).build("users").unwrap();
    let (_, row) = users.get_some_value().await.unwrap().unwrap();
    let posts = users.get_ref("posts", Some(&row)).unwrap();
    assert_eq!(ids(posts.list_values().await.unwrap().keys()), ["p"]);
    let notes = users.get_ref("notes", Some(&row)).unwrap();
    assert_eq!(ids(notes.list_values().await.unwrap().keys()), ["n"]);
    assert!(users.get_ref("team", None).unwrap_err().is_not_found(), "teams are not registered");
    api.assert().await;
}

#[test]
fn a_resolver_takes_the_place_of_the_registry() {
    let resolver = |name: &str| -> Result<Vista> {
        match name {
            "teams" => RestApi::new("http://other").vista_factory().from_yaml(POSTS),
            _ => Err(error!("unknown model", name = name).mark_not_found()),
        }
    };
    let factory = RestApi::new("http://h").vista_factory();
    let users = factory.with_model_resolver(Arc::new(resolver)).from_yaml(USERS).unwrap();
    let teams = users.get_ref("team", None).unwrap();
    assert_eq!(teams.preview().query.as_deref(), Some("GET http://other/v2/posts"));
}

#[test]
fn the_extras_round_trip_and_skip_absent_keys() {
    let extras = ApiTableExtras::new(ApiTableBlock::default().with_endpoint("v2/users"));
    let yaml = serde_yaml_ng::to_string(&extras).unwrap();
    assert_eq!(yaml.trim(), "api:\n  endpoint: v2/users");
    let back: ApiTableExtras = serde_yaml_ng::from_str(&yaml).unwrap();
    assert_eq!(back.api.unwrap().endpoint.as_deref(), Some("v2/users"));
    assert_eq!(serde_yaml_ng::to_string(&ApiTableExtras::default()).unwrap().trim(), "{}");
    let spec = RestApiVistaSpec::new("users");
    assert!(spec.driver.api.is_none());
    let _: vantage_vista::VistaSpec<ApiTableExtras, NoExtras, NoExtras> = spec;
}

#[tokio::test]
async fn a_placeholder_of_an_endpoint_takes_conditions() {
    let mut api = Api::new().await;
    api.answers("/teams/a/users", json!([user(1, "a")])).await;
    let yaml = "
name: members
columns: { id: { type: int } }
api: { endpoint: 'teams/{team}/users' }
";
    let members = api.build().vista_factory().from_yaml(yaml).unwrap();
    let narrowed = members.with_condition("team", FilterOp::Eq, "a").unwrap();
    assert_eq!(narrowed.list_values().await.unwrap().len(), 1);
    api.assert().await;
}

#[tokio::test]
async fn every_setting_of_an_api_can_be_one_tables() {
    let mut api = Api::new().await;
    let yaml = "
name: events
columns: { id: {}, size: { type: int } }
api:
  endpoint: v3/events
  array_key: result.items
  paging: { mode: skip, page: from, limit: count }
  total_key: result.total
  ordering: { param: by, desc_prefix: '-' }
  filters: [{ column: size, op: gte, param: min_size }]
  search: q
  items: by_path
  max_page_size: 2
";
    let events = api.build().vista_factory().from_yaml(yaml).unwrap();
    for capability in
        [Capability::Window, Capability::Order, Capability::Search, Capability::FilterOps]
    {
        assert!(events.capabilities().has(capability), "{capability}");
    }
    let page = |rows: serde_json::Value| json!({"result": {"items": rows, "total": 3}});
    let query = "by=-id&min_size=5&q=x";
    let first = page(json!([{"id": 1, "size": 5}, {"id": 2, "size": 6}]));
    api.answers(&format!("/v3/events?from=0&count=2&{query}"), first).await;
    let second = page(json!([{"id": 3, "size": 7}]));
    api.answers(&format!("/v3/events?from=2&count=2&{query}"), second).await;
    api.answers("/v3/events/3", json!({"result": {"items": {"id": 3, "size": 7}}})).await;
    let narrowed = events
        .clone()
        .with_condition("size", FilterOp::Gte, 5)
        .and_then(|events| events.with_search("x"))
        .and_then(|events| events.with_order("id", vantage_vista::SortDirection::Descending));
    let window = narrowed.unwrap().fetch_window(0, 3).await.unwrap();
    assert_eq!((window.rows.len(), window.total), (3, Some(3)));
    assert!(events.get_value("3").await.unwrap().is_some());
    api.assert().await;
}

#[test]
fn the_sugar_of_a_column_is_no_relation() {
    let yaml = "name: t\ncolumns: { id: {}, team: { references: teams } }";
    let vista = RestApi::new("http://h").vista_factory().from_yaml(yaml).unwrap();
    assert!(vista.references().is_empty());
}

#[tokio::test]
async fn contained_records_are_read_from_their_row() {
    let mut api = Api::new().await;
    api.answers("/orders", json!([{"id": 1, "lines": [{"sku": "a"}, {"sku": "b"}]}])).await;
    let yaml = "
name: orders
columns: { id: {}, lines: { type: json } }
contained:
  lines: { host_column: lines, kind: contains_many, id_column: sku, columns: { sku: {} } }
";
    let orders = api.build().vista_factory().from_yaml(yaml).unwrap();
    let (_, order) = orders.get_some_value().await.unwrap().unwrap();
    let lines = orders.get_ref("lines", Some(&order)).unwrap();
    assert_eq!(ids(lines.list_values().await.unwrap().keys()), ["a", "b"]);
    assert!(!lines.capabilities().has(Capability::Insert), "a REST row takes no writes");
}
