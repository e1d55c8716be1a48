use serde_json::json;
use vantage_expressions::{DeferredFn, Expressive, ExpressiveEnum};

use super::*;
use FilterDialect::{Generic, Hasura};
use GraphqlCondition as C;

fn field(name: &str, op: GraphqlOp, value: Json) -> C {
    FieldCondition::new(name, op, value).into()
}

fn known(value: Json) -> DeferredFn<AnyGraphqlType> {
    DeferredFn::from_fn(move || {
        let value = value.clone();
        async move { Ok(AnyGraphqlType::untyped(value)) }
    })
}

/// The condition as sent; for one without deferred parts, the preview is the same.
#[track_caller]
fn renders(condition: &C, dialect: FilterDialect, expected: Json) {
    assert_eq!(condition.render_preview(dialect).unwrap(), expected);
}

#[test]
fn hasura_spells_every_operator() {
    use GraphqlOp::*;
    for (op, key) in [
        (Eq, "_eq"),
        (Ne, "_neq"),
        (Gt, "_gt"),
        (Gte, "_gte"),
        (Lt, "_lt"),
        (Lte, "_lte"),
        (In, "_in"),
        (NotIn, "_nin"),
        (Like, "_like"),
        (ILike, "_ilike"),
    ] {
        assert_eq!(op.hasura_key(), Some(key));
        renders(&field("f", op, json!([1])), Hasura, json!({"f": {key: [1]}}));
    }
    renders(&field("f", IsNull, json!(null)), Hasura, json!({"f": {"_is_null": true}}));
    renders(&field("f", IsNotNull, json!(null)), Hasura, json!({"f": {"_is_null": false}}));
}

#[test]
fn hasura_merges_parts_with_distinct_keys() {
    let both = C::And(vec![C::eq("a", 1), C::eq("b", 2)]);
    renders(&both, Hasura, json!({"a": {"_eq": 1}, "b": {"_eq": 2}}));

    let nested = C::And(vec![both, C::Or(vec![C::eq("c", 3)])]);
    renders(&nested, Hasura, json!({"a": {"_eq": 1}, "b": {"_eq": 2}, "_or": [{"c": {"_eq": 3}}]}));
}

#[test]
fn hasura_lists_parts_that_share_a_key() {
    let between =
        C::And(vec![field("a", GraphqlOp::Gt, json!(1)), field("a", GraphqlOp::Lt, json!(5))]);
    let listed = json!({"_and": [{"a": {"_gt": 1}}, {"a": {"_lt": 5}}]});
    renders(&between, Hasura, listed.clone());

    let with_more = C::And(vec![between, C::eq("b", 2)]);
    renders(&with_more, Hasura, json!({"_and": listed["_and"], "b": {"_eq": 2}}));

    let two_ors = C::And(vec![C::Or(vec![]), C::Or(vec![])]);
    renders(&two_ors, Hasura, json!({"_and": [{"_or": []}, {"_or": []}]}));
}

#[test]
fn hasura_spells_or_not_and_nothing() {
    renders(
        &C::Or(vec![C::eq("a", 1), C::eq("a", 2)]),
        Hasura,
        json!({"_or": [{"a": {"_eq": 1}}, {"a": {"_eq": 2}}]}),
    );
    renders(&C::Not(Box::new(C::eq("a", 1))), Hasura, json!({"_not": {"a": {"_eq": 1}}}));
    renders(&C::Not(Box::new(C::And(vec![]))), Hasura, json!({"_not": {}}));
    renders(&C::And(vec![]), Hasura, json!({}));
}

#[test]
fn generic_spells_equalities_flat() {
    renders(&C::eq("a", 1), Generic, json!({"a": 1}));
    let nested = C::And(vec![C::eq("a", 1), C::And(vec![C::eq("b", "x"), C::eq("c", true)])]);
    renders(&nested, Generic, json!({"a": 1, "b": "x", "c": true}));
    renders(&C::And(vec![]), Generic, json!({}));
}

#[test]
fn generic_takes_an_equality_twice_but_not_two_of_them() {
    renders(&C::And(vec![C::eq("a", 1), C::eq("a", 1)]), Generic, json!({"a": 1}));

    let error = C::And(vec![C::eq("a", 1), C::eq("a", 2)]).render_preview(Generic).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Generic dialect can't express two conditions on the same field (field: \"a\")"
    );
}

#[test]
fn generic_refuses_what_it_cannot_spell_and_names_itself() {
    for (condition, says) in [
        (field("a", GraphqlOp::Gt, json!(1)), "Generic dialect supports only equality"),
        (C::Or(vec![C::eq("a", 1)]), "Generic dialect does not support OR"),
        (C::Not(Box::new(C::eq("a", 1))), "Generic dialect does not support NOT"),
    ] {
        let error = condition.render_preview(Generic).unwrap_err();
        assert!(error.message().starts_with(says), "{error}");
    }
    let error = field("a", GraphqlOp::Gt, json!(1)).render_preview(Generic).unwrap_err();
    assert_eq!((&*error.context["field"], &*error.context["op"]), ("\"a\"", "Gt"));
}

#[tokio::test]
async fn deferred_values_resolve_when_rendered_and_are_marked_in_previews() {
    let condition = C::deferred_field("a", GraphqlOp::Eq, known(json!("x")));
    assert_eq!(condition.render(Hasura).await.unwrap(), json!({"a": {"_eq": "x"}}));
    assert_eq!(condition.render(Generic).await.unwrap(), json!({"a": "x"}));
    renders(&condition, Hasura, json!("**deferred(a Eq)"));
    renders(&condition, Generic, json!("**deferred(a Eq)"));

    let opaque = C::Deferred(known(json!({"b": {"_gt": 1}})));
    assert_eq!(opaque.render(Hasura).await.unwrap(), json!({"b": {"_gt": 1}}));
    renders(&opaque, Hasura, json!("**deferred()"));
}

#[tokio::test]
async fn a_deferred_part_is_seen_beside_others_in_a_preview() {
    let condition =
        C::And(vec![C::eq("a", 1), C::deferred_field("b", GraphqlOp::Eq, known(json!(2)))]);
    assert_eq!(condition.render(Hasura).await.unwrap(), json!({"a": {"_eq": 1}, "b": {"_eq": 2}}));
    renders(&condition, Hasura, json!({"_and": [{"a": {"_eq": 1}}, "**deferred(b Eq)"]}));
    renders(&condition, Generic, json!([{"a": 1}, "**deferred(b Eq)"]));
}

#[tokio::test]
async fn a_deferred_equality_with_a_list_means_membership() {
    for (list, expected) in [
        (json!(["x"]), json!({"a": {"_eq": "x"}})),
        (json!(["x", "y"]), json!({"a": {"_in": ["x", "y"]}})),
        (json!([]), json!({"a": {"_in": []}})),
    ] {
        let condition = C::deferred_field("a", GraphqlOp::Eq, known(list));
        assert_eq!(condition.render(Hasura).await.unwrap(), expected);
    }
    let explicit = C::deferred_field("a", GraphqlOp::In, known(json!(["x"])));
    assert_eq!(explicit.render(Hasura).await.unwrap(), json!({"a": {"_in": ["x"]}}));
}

#[tokio::test]
async fn deferred_values_of_the_wrong_shape_are_refused() {
    let nested = || {
        DeferredFn::new(|| {
            Box::pin(async { Ok(ExpressiveEnum::Nested(AnyGraphqlType::from(1_i64).expr())) })
        })
    };
    let error = C::deferred_field("a", GraphqlOp::Eq, nested()).render(Hasura).await.unwrap_err();
    assert!(error.message().contains("non-scalar"), "{error}");
    for value_fn in [nested(), known(json!([1])), known(json!("x"))] {
        let error = C::Deferred(value_fn).render(Hasura).await.unwrap_err();
        assert!(error.message().contains("JSON object"), "{error}");
    }
}

#[test]
fn reads_in_words() {
    use GraphqlOp::*;
    for (condition, words) in [
        (C::eq("a", "x"), "a = \"x\""),
        (field("a", Ne, json!(1)), "a != 1"),
        (field("a", Gte, json!(1)), "a >= 1"),
        (field("a", In, json!([1, "b"])), "a IN [1,\"b\"]"),
        (field("a", NotIn, json!([])), "a NOT IN []"),
        (field("a", ILike, json!("%x%")), "a ILIKE \"%x%\""),
        (field("a", IsNull, json!(true)), "a IS NULL"),
        (field("a", IsNotNull, json!(true)), "a IS NOT NULL"),
        (C::And(vec![C::eq("a", 1), C::eq("b", 2)]), "a = 1 AND b = 2"),
        (C::Or(vec![C::eq("a", 1), C::eq("b", 2)]), "(a = 1 OR b = 2)"),
        (C::Not(Box::new(C::eq("a", 1))), "NOT (a = 1)"),
        (C::Deferred(known(json!({}))), "<deferred>"),
        (C::deferred_field("a", Eq, known(json!(1))), "a = <deferred>"),
    ] {
        assert_eq!(condition.describe(), words);
        assert_eq!(condition.expr().template, words);
    }
}

#[test]
fn names_the_column_only_of_a_lone_comparison_that_narrows() {
    use GraphqlOp::*;
    for op in [Eq, Gt, Gte, Lt, Lte, In, Like, ILike] {
        assert_eq!(field("a", op, json!(1)).narrowed_column(), Some("a"));
        assert_eq!(C::deferred_field("a", op, known(json!(1))).narrowed_column(), Some("a"));
    }
    for op in [Ne, NotIn, IsNull, IsNotNull] {
        assert_eq!(field("a", op, json!(1)).narrowed_column(), None);
    }
    assert_eq!(C::And(vec![C::eq("a", 1)]).narrowed_column(), None);
    assert_eq!(C::Deferred(known(json!({}))).narrowed_column(), None);
}
