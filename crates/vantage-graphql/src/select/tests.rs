use serde_json::json;
use vantage_expressions::{Expressive, Order, Selectable};

use super::*;
use crate::{condition::FieldCondition, condition::GraphqlOp, types::AnyGraphqlType};

#[tokio::test]
async fn counts_with_root_arguments_and_filter_only() {
    let select = GraphqlSelect::new()
        .with_root_field("airports")
        .with_dialect(FilterDialect::Hasura)
        .with_field("code")
        .with_root_args(json!({"live": true}))
        .with_condition(GraphqlCondition::eq("country", "DE"))
        .with_order("code", Order::Asc)
        .with_limit(Some(10), Some(20));

    let rendered = select.render_count("airports_aggregate").await.unwrap();

    assert_eq!(
        rendered.query,
        "query { airports_aggregate(live: true, where: {country: {_eq: \"DE\"}}) \
         { aggregate { count } } }"
    );
    assert!(rendered.variables.is_empty());

    let error = select.render_count("air ports").await.unwrap_err();
    assert_eq!(error.context["kind"], "\"count field\"");
}

#[test]
fn the_framework_builds_the_same_select() {
    let mut select = GraphqlSelect::new();
    select.add_source("airports", Some("ignored".to_owned()));
    select.add_field("code");
    select.add_expression(AnyGraphqlType::from("dropped"));
    select.add_where_condition(GraphqlCondition::eq("country", "DE"));
    select.add_order_by(FieldCondition::new("code", GraphqlOp::Eq, json!(null)), Order::Desc);
    select.add_order_by(GraphqlCondition::Or(Vec::new()), Order::Asc);
    select.set_distinct(true);
    select.add_group_by(AnyGraphqlType::from("dropped"));
    select.set_limit(Some(5), Some(10));

    assert_eq!(select.root_field(), Some("airports"));
    assert_eq!(select.fields(), ["code"]);
    assert!(select.has_fields() && select.has_where_conditions() && select.has_order_by());
    assert!(!select.is_distinct() && !select.has_group_by());
    assert_eq!((select.get_limit(), select.get_skip()), (Some(5), Some(10)));
    let shown = "query { airports(find: {country: \"DE\"}, limit: 5, offset: 10) { code } }";
    assert_eq!(GraphqlSelect::preview(&select), shown);
    assert_eq!(select.expr().template, shown);
    assert_eq!(select.as_field("code").template, shown);

    select.clear_fields();
    select.clear_where_conditions();
    select.clear_order_by();
    select.clear_group_by();
    assert!(!select.has_fields() && !select.has_where_conditions() && !select.has_order_by());
}

#[test]
fn aggregates_are_placeholders() {
    let select = GraphqlSelect::new().with_root_field("runs");
    let column = vantage_expressions::Expression::<AnyGraphqlType>::new("length", Vec::new());
    for (expression, template) in [
        (select.as_count(), "runs_aggregate { aggregate { count } }"),
        (select.as_sum(column.clone()), "runs_aggregate { aggregate { sum { length } } }"),
        (select.as_max(column.clone()), "runs_aggregate { aggregate { max { length } } }"),
        (select.as_min(column), "runs_aggregate { aggregate { min { length } } }"),
    ] {
        assert_eq!(expression.template, template);
    }
}
