//! The Vista of a REST table.

use std::sync::Arc;

use ciborium::Value as Cbor;
use serde_json::json;
use vantage_core::error;
use vantage_dataset::prelude::ReadableValueSet;
use vantage_rest::{
    FilterStrategy, OrderingParams, PaginationParams, RestApi, RestApiVistaFactory, eq_condition,
};
use vantage_table::prelude::Table;
use vantage_types::EmptyEntity;
use vantage_vista::{Capability, FilterOp, ReferenceKind, SortDirection, Vista};

use crate::support::{Api, Users, ids, user, users};

fn vista(api: &RestApi, table: Users) -> Vista {
    api.vista_factory().from_table(table).unwrap()
}

fn capabilities(api: RestApi) -> Vec<&'static str> {
    vista(&api, users(api.clone())).capabilities().iter().map(Capability::as_str).collect()
}

#[test]
fn capabilities_are_what_the_settings_allow() {
    let api = || RestApi::builder("http://h");
    assert_eq!(capabilities(api().build()), ["traverse"]);
    let paged = api().pagination_params(PaginationParams::default());
    assert_eq!(capabilities(paged.clone().build()), ["window", "traverse"]);
    assert_eq!(capabilities(paged.no_pagination().build()), ["traverse"]);
    assert_eq!(capabilities(api().total_key("n").build()), ["window", "traverse"]);
    let ordered = api().ordering(OrderingParams::new("sort", "-"));
    assert_eq!(capabilities(ordered.build()), ["order", "traverse"]);
}

#[test]
fn metadata_is_the_tables() {
    let api = RestApi::builder("http://h").ordering(OrderingParams::new("s", "-")).build();
    let table = users(api.clone()).with_many("reports", "boss", users);
    let vista = vista(&api, table);
    assert_eq!((vista.name(), vista.driver_name()), ("users", "rest-api"));
    assert_eq!(vista.id_column(), Some("id"));
    assert!(vista.column("id").unwrap().has_flag(vantage_vista::ColumnFlag::Id));
    assert!(vista.columns().values().all(|c| c.has_flag(vantage_vista::ColumnFlag::Orderable)));
    assert_eq!(vista.reference("reports").unwrap().kind, ReferenceKind::HasMany);
}

#[tokio::test]
async fn reads_carry_the_order_and_the_lazy_expressions() {
    let mut api = Api::new().await;
    api.answers("/users?sort=-name", json!([user(2, "a"), user(1, "a")])).await;
    let rest = api.builder().ordering(OrderingParams::new("sort", "-")).build();
    let table = users(rest.clone()).with_lazy_expression("shout", |row| {
        let team = row.get("team").and_then(Cbor::as_text).unwrap_or_default().to_uppercase();
        async move { Ok(Cbor::from(team)) }
    });
    let ordered = vista(&rest, table).with_order("name", SortDirection::Descending).unwrap();
    let rows = ordered.list_values().await.unwrap();
    assert_eq!(ids(rows.keys()), ["2", "1"]);
    assert_eq!(rows["1"]["shout"], Cbor::from("A"));
    api.assert().await;
}

#[tokio::test]
async fn conditions_narrow_a_clone_and_not_the_original() {
    let mut api = Api::new().await;
    api.answers("/users?team=a", json!([user(1, "a")])).await;
    api.answers("/users", json!([user(1, "a"), user(2, "b")])).await;
    let rest = api.build();
    let all = vista(&rest, users(rest.clone()));
    let narrowed = all.clone().with_condition("team", FilterOp::Eq, "a").unwrap();
    assert_eq!(narrowed.list_values().await.unwrap().len(), 1);
    assert_eq!(all.list_values().await.unwrap().len(), 2);
    api.assert().await;
}

#[test]
fn refused_conditions_change_nothing() {
    let api = RestApi::new("http://h");
    let table = Table::<_, EmptyEntity>::new("teams/{team}/users", api.clone())
        .with_id_column("id")
        .with_column_of::<String>("name");
    let mut vista = vista(&api, table);
    let mut refused = |column: &str, op, value: Cbor| {
        let err = vista.add_condition(column, op, value).unwrap_err();
        assert!(!vista.is_narrowed());
        err
    };
    assert!(refused("name", FilterOp::Gt, 1.into()).is_unsupported());
    assert!(refused("name", FilterOp::Eq, Cbor::Null).is_unsupported());
    assert!(refused("name", FilterOp::Eq, Cbor::Array(vec![])).is_unsupported());
    assert!(refused("name.first", FilterOp::Eq, "x".into()).is_unimplemented());
    let unknown = refused("nope", FilterOp::Eq, "x".into());
    assert!(!unknown.is_unsupported() && !unknown.is_unimplemented(), "{unknown}");
}

#[test]
fn orders_and_searches_are_refused_where_the_api_has_none() {
    let api = RestApi::new("http://h");
    let mut plain = vista(&api, users(api.clone()));
    let err = plain.set_order(Some(("name", SortDirection::Ascending))).unwrap_err();
    assert!(err.is_unsupported());
    assert!(plain.set_search(Some("x")).unwrap_err().is_unsupported());
}

#[tokio::test]
async fn relations_are_narrowed_by_the_row() {
    let mut api = Api::new().await;
    api.answers("/users", json!([{"id": "007", "team": "x"}])).await;
    api.answers("/users?boss=007", json!([user(9, "x")])).await;
    let rest = api.build();
    let reports = |api: RestApi| users(api).with_column_of::<String>("boss");
    let bosses = vista(&rest, users(rest.clone()).with_many("reports", "boss", reports));
    let (_, boss) = bosses.get_some_value().await.unwrap().unwrap();
    let reports = bosses.get_ref("reports", Some(&boss)).unwrap();
    assert!(reports.is_narrowed());
    assert_eq!(ids(reports.list_values().await.unwrap().keys()), ["9"]);
    assert!(bosses.get_ref("nope", None).unwrap_err().is_not_found());
    api.assert().await;
}

fn preview(api: &RestApi, table: Users) -> (Option<String>, Option<String>) {
    let preview = vista(api, table).preview();
    (preview.query, preview.note)
}

#[test]
fn a_preview_is_the_request_with_masked_credentials() {
    let api = RestApi::builder("http://me:pw@h/v1").auth("Basic canary").build();
    let table = users(api.clone()).with_condition(eq_condition("team", "a"));
    let (query, note) = preview(&api, table);
    let text = "GET http://…@h/v1/users?team=a\nAuthorization: <set>";
    assert_eq!((query.as_deref(), note), (Some(text), None));
    let source = api.with_bearer_source(Arc::new(|| panic!("a preview asks no source")));
    let (query, _) = preview(&source, users(source.clone()));
    let text = "GET http://…@h/v1/users\nAuthorization: <per request>";
    assert_eq!(query.as_deref(), Some(text));
}

#[test]
fn a_preview_notes_what_the_request_leaves_out() {
    let api = RestApi::builder("http://h").filter_strategy(FilterStrategy::Client).build();
    let table = users(api.clone())
        .with_condition(eq_condition("team", "a"))
        .with_condition(eq_condition("name", "b"));
    let (query, note) = preview(&api, table);
    assert_eq!(query.as_deref(), Some("GET http://h/users"));
    assert_eq!(note.as_deref(), Some("filtered after the fetch: team=a, name=b"));
}

#[test]
fn a_preview_notes_what_is_only_known_when_the_table_is_read() {
    let api = RestApi::new("http://h");
    let teams = Table::<_, EmptyEntity>::new("teams", api.clone()).with_id_column("id").with_many(
        "members",
        "team",
        |api| Table::<_, EmptyEntity>::new("teams/{team}/users", api),
    );
    let members: Users = teams.get_ref_as("members").unwrap();
    let (query, note) = preview(&api, members);
    assert_eq!(query.as_deref(), Some("GET http://h/teams/{team}/users"));
    let note = note.unwrap();
    assert!(note.contains("unresolved"), "{note}");
    assert!(note.contains("1 condition(s) not rendered; team = **deferred()"), "{note}");
    let bare = Table::<_, EmptyEntity>::new("teams/{team}/users", api.clone());
    let (query, note) = preview(&api, bare);
    assert_eq!(query, None);
    assert!(note.unwrap().contains("No eq-condition provided for URI placeholder"));
}

#[tokio::test]
async fn a_hook_that_refuses_reads_refuses_before_any_request() {
    use vantage_table::table::{Hook, select_hook};
    let api = Api::new().await;
    let rest = api.builder().pagination_params(PaginationParams::default()).build();
    let refuse = select_hook(|_| Box::pin(async { Err(error!("not for you")) }));
    let table = users(rest.clone()).with_hook(Hook::BeforeSelect(refuse));
    let vista = vista(&rest, table);
    for text in [
        vista.list_values().await.unwrap_err().to_string(),
        vista.count().await.unwrap_err().to_string(),
        vista.fetch_window(0, 1).await.unwrap_err().to_string(),
    ] {
        assert_eq!(text, "not for you");
    }
}

#[test]
fn a_factory_knows_its_api() {
    let factory = RestApiVistaFactory::new(RestApi::new("http://h"));
    assert_eq!(factory.api().base_url(), "http://h");
}
