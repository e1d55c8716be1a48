//! Conditions and traversal.

use ciborium::Value as Cbor;
use serde_json::json;
use vantage_dataset::prelude::ReadableValueSet;
use vantage_expressions::{DeferredFn, Expression, ExpressiveEnum, expr_any};
use vantage_rest::{FilterStrategy, RestApi, eq_condition};
use vantage_table::{prelude::Table, traits::table_source::TableSource};
use vantage_types::EmptyEntity;
use vantage_vista::FilterOp;

use crate::support::{Api, Users, ids, user, users};

fn teams(api: RestApi) -> Users {
    Table::new("teams", api)
        .with_id_column("id")
        .with_column_of::<String>("lead")
        .with_many("members", "team", users)
        .with_one("lead", "lead", users)
}

#[test]
fn the_trait_builds_the_same_equality() {
    let api = RestApi::new("http://h");
    let text = |c: &Expression<Cbor>| api.describe_condition(c);
    let own = eq_condition("team", "a");
    assert_eq!(text(&own), r#"team = "a""#);
    assert_eq!(text(&<RestApi as TableSource>::eq_condition("team", "a").unwrap()), text(&own));
    assert_eq!(text(&api.eq_value_condition("n", 7.into()).unwrap()), "n = 7");
    assert_eq!(api.condition_column(&own), Some("team".to_owned()));
    assert_eq!(api.condition_equality(&own), None);
    assert!(!api.can_confine_writes());
    assert!(!api.supports_traversal());
}

#[test]
fn a_list_of_one_value_is_an_equality_and_others_are_refused() {
    let api = RestApi::new("http://h");
    let one = api.in_values_condition("team", vec!["a".into()]).unwrap();
    assert_eq!(api.describe_condition(&one), r#"team = "a""#);
    let err = api.in_values_condition("team", vec!["a".into(), "b".into()]).err().unwrap();
    assert!(err.is_unsupported());
    let text = "a REST filter takes exactly one value (field: \"team\", values: 2)";
    assert_eq!(err.to_string(), text);
}

#[tokio::test]
async fn a_deferred_value_is_known_when_the_table_is_read() {
    let mut api = Api::new().await;
    api.answers("/users?team=a", json!([user(1, "a")])).await;
    let value = DeferredFn::new(|| Box::pin(async { Ok(ExpressiveEnum::Scalar("a".into())) }));
    let field: Expression<Cbor> = Expression::new("team", vec![]);
    let condition = Expression::new("{} = {}", vec![ExpressiveEnum::Nested(field), value.into()]);
    let table = users(api.build()).with_condition(condition.clone());
    assert_eq!(api.build().describe_condition(&condition), "team = **deferred()");
    assert_eq!(table.list_values().await.unwrap().len(), 1);
    api.assert().await;
}

#[tokio::test]
async fn a_row_leads_to_its_children_with_its_own_key() {
    let mut api = Api::new().await;
    api.answers("/teams", json!([{"id": "007", "lead": 1e5}])).await;
    api.answers("/users?team=007", json!([user(1, "007")])).await;
    let teams = teams(api.build());
    let (_, row) = teams.get_some_value().await.unwrap().unwrap();
    let members: Users = teams.get_ref_from_row("members", &row).unwrap();
    assert_eq!(ids(members.list_values().await.unwrap().keys()), ["1"]);
    api.assert().await;
}

#[tokio::test]
async fn a_parent_narrowed_to_the_key_is_not_read() {
    let mut api = Api::new().await;
    api.answers("/users?team=a", json!([user(1, "a")])).await;
    let narrowed = teams(api.build()).with_condition(eq_condition("id", "a"));
    let members: Users = narrowed.get_ref_as("members").unwrap();
    assert_eq!(members.list_values().await.unwrap().len(), 1);
    api.assert().await;
}

#[tokio::test]
async fn text_keys_keep_their_text() {
    for key in ["007", "1e5", "infinity", "12345678901234567890123", "true"] {
        let mut api = Api::new().await;
        api.answers(&format!("/users?team={key}"), json!([])).await;
        let narrowed = teams(api.build()).with_condition(eq_condition("id", key));
        let members: Users = narrowed.get_ref_as("members").unwrap();
        members.list_values().await.unwrap();
        api.assert().await;
    }
}

#[tokio::test]
async fn a_relation_follows_every_parent_and_reads_them_once() {
    let mut api = Api::new().await;
    api.answers("/teams?kind=x", json!([{"id": "a"}, {"id": "b"}, {"id": "a2"}])).await;
    api.answers("/users?team=a", json!([user(1, "a"), user(2, "a")])).await;
    api.answers("/users?team=b", json!([])).await;
    api.answers("/users?team=a2", json!([user(3, "a2")])).await;
    let narrowed = teams(api.build()).with_condition(eq_condition("kind", "x"));
    let members: Users = narrowed.get_ref_as("members").unwrap();
    assert_eq!(ids(members.list_values().await.unwrap().keys()), ["1", "2", "3"]);
    api.assert().await;
}

#[tokio::test]
async fn a_parent_without_rows_or_column_is_an_error() {
    for body in [json!([]), json!([{"name": "x"}]), json!([{"id": null}])] {
        let mut api = Api::new().await;
        api.answers("/teams", body).await;
        let members: Users = teams(api.build()).get_ref_as("members").unwrap();
        let err = members.list_values().await.unwrap_err();
        let text = "Deferred FK resolve: parent yielded no row or column missing \
                    (table: \"teams\", column: \"id\")";
        assert_eq!(err.to_string(), text);
    }
}

#[tokio::test]
async fn what_cannot_be_sent_is_applied_to_the_rows() {
    let mut api = Api::new().await;
    let body = json!([{"id": 1, "team": null}, user(2, "a"), user(3, "b"), user(4, "c")]);
    api.answers_times("/users", body, 4).await;
    let field = |name: &str| Expression::<Cbor>::new(name, vec![]);
    let list = Cbor::Array(vec!["a".into(), "c".into()]);
    for (condition, expected) in [
        (eq_condition("team", Cbor::Null), vec!["1"]),
        (eq_condition("team", list), vec!["2", "4"]),
        (expr_any!("{} > {}", (field("id")), 2), vec!["3", "4"]),
        (expr_any!("{} != {}", (field("team")), "a"), vec!["1", "3", "4"]),
    ] {
        let table = users(api.build()).with_condition(condition);
        assert_eq!(ids(table.list_values().await.unwrap().keys()), expected);
    }
}

#[tokio::test]
async fn a_comparison_drops_rows_that_lack_a_row_field_and_no_others() {
    let mut api = Api::new().await;
    api.answers_times("/users", json!([{"id": 1}, user(2, "b")]), 2).await;
    let field = |name: &str| Expression::<Cbor>::new(name, vec![]);
    let declared = users(api.build()).with_condition(expr_any!("{} > {}", (field("team")), "a"));
    assert_eq!(ids(declared.list_values().await.unwrap().keys()), ["2"]);
    let undeclared = users(api.build()).with_condition(expr_any!("{} > {}", (field("age")), 1));
    assert_eq!(undeclared.list_values().await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_value_several_parents_share_is_followed_once() {
    let mut api = Api::new().await;
    let body = json!([{"id": "a", "lead": 1}, {"id": "b", "lead": 2}, {"id": "c", "lead": 1}]);
    api.answers("/teams", body).await;
    api.answers("/users?id=1", json!([user(1, "a")])).await;
    api.answers("/users?id=2", json!([user(2, "b")])).await;
    let leads: Users = teams(api.build()).get_ref_as("lead").unwrap();
    assert_eq!(ids(leads.list_values().await.unwrap().keys()), ["1", "2"]);
    api.assert().await;
}

#[tokio::test]
async fn a_search_no_server_can_run_is_refused_when_the_table_is_read() {
    let api = Api::new().await;
    let err = users(api.build()).with_search("x").list_values().await.unwrap_err();
    assert!(err.is_unsupported(), "{err}");
}

#[tokio::test]
async fn a_search_the_server_runs_is_a_parameter() {
    let mut api = Api::new().await;
    api.answers("/users?q=a%20b", json!([user(1, "a")])).await;
    let table = users(api.builder().search_param("q").build()).with_search("a b");
    assert_eq!(table.list_values().await.unwrap().len(), 1);
    api.assert().await;
}

#[tokio::test]
async fn declared_parameters_carry_their_comparisons() {
    let mut api = Api::new().await;
    api.answers("/users?team_id=a&level=9&min=2", json!([user(3, "a")])).await;
    let rest = api
        .builder()
        .filter_param("team", FilterOp::Eq, "team_id")
        .filter_param("id", FilterOp::Gte, "min")
        .filter_param("level", FilterOp::Eq, "level");
    let id = Expression::<Cbor>::new("id", vec![]);
    let table = users(rest.filter_strategy(FilterStrategy::Client).build())
        .with_condition(eq_condition("team", "a"))
        .with_condition(expr_any!("{} >= {}", (id), 2))
        .with_condition(eq_condition("level", 9));
    assert_eq!(table.list_values().await.unwrap().len(), 1);
    api.assert().await;
}

#[tokio::test]
async fn an_item_by_path_is_held_against_every_condition_of_its_set() {
    let mut api = Api::new().await;
    api.answers_times("/users/3", user(3, "a"), 3).await;
    let rest = || {
        api.builder()
            .items_by_path()
            .filter_param("team", FilterOp::Eq, "team_id")
            .filter_param("id", FilterOp::Gte, "min")
            .build()
    };
    let id = || Expression::<Cbor>::new("id", vec![]);
    let inside = users(rest()).with_condition(expr_any!("{} >= {}", (id()), 2));
    assert!(inside.get_value("3").await.unwrap().is_some());
    let below = users(rest()).with_condition(expr_any!("{} >= {}", (id()), 4));
    assert!(below.get_value("3").await.unwrap().is_none());
    let elsewhere = users(rest()).with_condition(eq_condition("team", "b"));
    assert!(elsewhere.get_value("3").await.unwrap().is_none());
    api.assert().await;
}

#[tokio::test]
async fn an_item_of_a_searched_set_is_picked_from_its_listing() {
    let mut api = Api::new().await;
    api.answers("/users?q=x", json!([user(1, "a")])).await;
    let rest = api.builder().items_by_path().search_param("q").build();
    assert!(users(rest).with_search("x").get_value("3").await.unwrap().is_none());
    api.assert().await;
}

#[tokio::test]
async fn too_many_parents_are_an_error_and_not_a_flood() {
    let mut api = Api::new().await;
    let parents: Vec<_> = (0..1001).map(|id| json!({"id": id})).collect();
    api.answers("/teams", json!(parents)).await;
    let members: Table<RestApi, EmptyEntity> = teams(api.build()).get_ref_as("members").unwrap();
    let err = members.list_values().await.unwrap_err();
    assert_eq!(err.message(), "relation joins more parents than one read follows");
}
