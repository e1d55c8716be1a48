//! Conditions, operators and dialects.

use serde_json::json;
use vantage_expressions::{DeferredFn, Expressive};
use vantage_graphql::{
    AnyGraphqlType, FieldCondition, FilterDialect, GraphqlCondition, GraphqlOp, GraphqlOperation,
};
use vantage_table::column::core::Column;

use crate::value;

#[test]
fn values_are_copied_shown_and_shared() {
    value::<FilterDialect>();
    value::<GraphqlOp>();
    value::<FieldCondition>();
    value::<GraphqlCondition>();
}

#[test]
fn dialects_are_spelled_in_lower_case_and_generic_by_default() {
    assert_eq!(FilterDialect::default(), FilterDialect::Generic);
    for (text, dialect) in [("generic", FilterDialect::Generic), ("hasura", FilterDialect::Hasura)]
    {
        let read: FilterDialect = serde_json::from_value(json!(text)).unwrap();
        assert_eq!(read, dialect);
        assert_eq!(serde_json::to_value(dialect).unwrap(), json!(text));
    }
    for text in ["Hasura", "HASURA", "prisma", ""] {
        assert!(serde_json::from_value::<FilterDialect>(json!(text)).is_err(), "{text}");
    }
}

#[test]
fn every_operator_has_its_key() {
    use GraphqlOp::*;
    let keys: Vec<_> = [Eq, Ne, Gt, Gte, Lt, Lte, In, NotIn, Like, ILike, IsNull, IsNotNull]
        .iter()
        .map(|op| op.hasura_key().unwrap())
        .collect();
    assert_eq!(
        keys,
        [
            "_eq", "_neq", "_gt", "_gte", "_lt", "_lte", "_in", "_nin", "_like", "_ilike",
            "_is_null", "_is_null",
        ]
    );
}

#[tokio::test]
async fn every_kind_of_condition_is_made_and_matched() {
    let known = || DeferredFn::from_fn(|| async { Ok(AnyGraphqlType::from(json!({"a": 1}))) });
    let field = FieldCondition::new("a", GraphqlOp::Gt, json!(1));
    assert_eq!((&*field.field, field.op, &field.value), ("a", GraphqlOp::Gt, &json!(1)));
    for condition in [
        GraphqlCondition::from(field.clone()),
        GraphqlCondition::Field(field),
        GraphqlCondition::eq("a", "x"),
        GraphqlCondition::deferred_field("a", GraphqlOp::In, known()),
        GraphqlCondition::Deferred(known()),
        GraphqlCondition::And(vec![GraphqlCondition::eq("a", 1)]),
        GraphqlCondition::Or(vec![GraphqlCondition::eq("a", true)]),
        GraphqlCondition::Not(Box::new(GraphqlCondition::eq("a", 1.5))),
    ] {
        let rendered = condition.render(FilterDialect::Hasura).await.unwrap();
        assert!(rendered.is_object(), "{condition:?}");
        assert!(condition.render_preview(FilterDialect::Hasura).is_ok());
        assert!(!condition.expr().template.is_empty());
        match condition {
            GraphqlCondition::Field(FieldCondition { field, .. }) => assert_eq!(field, "a"),
            GraphqlCondition::DeferredField { field, op, value_fn, .. } => {
                assert_eq!((&*field, op), ("a", GraphqlOp::In));
                assert!(value_fn.call().await.is_ok());
            }
            GraphqlCondition::And(parts) | GraphqlCondition::Or(parts) => {
                assert_eq!(parts.len(), 1);
            }
            GraphqlCondition::Not(_) | GraphqlCondition::Deferred(_) => (),
            other => panic!("unknown: {other:?}"),
        }
    }
}

#[test]
fn every_operation_of_a_column() {
    let column = Column::<i64>::new("n");
    for (condition, expected) in [
        (column.eq(1), json!({"n": {"_eq": 1}})),
        (column.ne(1_i64), json!({"n": {"_neq": 1}})),
        (column.gt(1.5), json!({"n": {"_gt": 1.5}})),
        (column.gte("1"), json!({"n": {"_gte": "1"}})),
        (column.lt(true), json!({"n": {"_lt": true}})),
        (column.lte(json!(null)), json!({"n": {"_lte": null}})),
        (column.in_([1, 2]), json!({"n": {"_in": [1, 2]}})),
        (column.not_in(vec!["a".to_owned()]), json!({"n": {"_nin": ["a"]}})),
        (column.like("a%"), json!({"n": {"_like": "a%"}})),
        (column.ilike(String::from("a%")), json!({"n": {"_ilike": "a%"}})),
        (column.is_null(), json!({"n": {"_is_null": true}})),
        (column.is_not_null(), json!({"n": {"_is_null": false}})),
    ] {
        assert_eq!(condition.render_preview(FilterDialect::Hasura).unwrap(), expected);
    }
}
