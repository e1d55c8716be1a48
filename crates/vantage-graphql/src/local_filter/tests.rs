use serde_json::json;
use vantage_expressions::DeferredFn;

use super::*;
use crate::{condition::FieldCondition, types::AnyGraphqlType};
use GraphqlOp::*;
use LocalComparison::{ServerLike, Structural};

async fn holds(condition: GraphqlCondition, row: Json, how: LocalComparison) -> bool {
    LocalFilter::resolve(&[condition], how).await.unwrap().matches(&row)
}

fn field(name: &str, op: GraphqlOp, value: Json) -> GraphqlCondition {
    FieldCondition::new(name, op, value).into()
}

#[tokio::test]
async fn compares_as_the_table_says() {
    // cell, operator, value, structural, like a server
    for (cell, op, value, structural, server) in [
        (json!(5), Eq, json!(5), true, true),
        (json!(5), Eq, json!(5.0), false, true),
        (json!("5"), Eq, json!(5), false, true),
        (json!(5), Eq, json!("5"), false, true),
        (json!("x"), Eq, json!("y"), false, false),
        (json!(null), Eq, json!(null), true, true),
        (json!([1, 2]), Eq, json!([1, 2]), true, true),
        (json!(5), Ne, json!(6), true, true),
        (json!(5), Ne, json!(5.0), true, false),
        (json!(null), Ne, json!(5), true, false),
        (json!(5), In, json!([4, 5]), true, true),
        (json!(5), In, json!([]), false, false),
        (json!(5), In, json!(5), true, true),
        (json!(5), NotIn, json!([4]), true, true),
        (json!(5), NotIn, json!([4, 5]), false, false),
        (json!(null), NotIn, json!([4]), true, false),
        (json!(5), Gt, json!(4.5), true, true),
        (json!(5), Gt, json!(5), false, false),
        (json!(5), Gte, json!(5), true, true),
        (json!(5), Lt, json!(6), true, true),
        (json!(5), Lte, json!(5), true, true),
        (json!(u64::MAX), Gt, json!(i64::MAX), true, true),
        (json!(9_007_199_254_740_993_i64), Gt, json!(9_007_199_254_740_992_i64), true, true),
        (json!("b"), Gt, json!("a"), true, true),
        (json!("b"), Gt, json!(1), false, false),
        (json!(null), Lt, json!(1), false, false),
        (json!(null), IsNull, json!(true), true, true),
        (json!(0), IsNull, json!(true), false, false),
        (json!(0), IsNotNull, json!(true), true, true),
        (json!(null), IsNotNull, json!(true), false, false),
    ] {
        let row = json!({"f": cell});
        let condition = || field("f", op, value.clone());
        assert_eq!(
            holds(condition(), row.clone(), Structural).await,
            structural,
            "{row} {op:?} {value}"
        );
        assert_eq!(
            holds(condition(), row.clone(), ServerLike).await,
            server,
            "{row} {op:?} {value}"
        );
    }
}

#[tokio::test]
async fn patterns_match_as_the_table_says() {
    // text, pattern, structural, like a server
    for (text, pattern, structural, server) in [
        ("abc", "abc", true, true),
        ("abc", "ab", false, false),
        ("abc", "ab%", true, true),
        ("abc", "%bc", true, true),
        ("abc", "%b%", true, true),
        ("abc", "%", true, true),
        ("", "%", true, true),
        ("abc", "%%", true, true),
        ("abc", "", false, false),
        ("abc", "a%c", false, true),
        ("a%c", "a%c", true, true),
        ("abc", "a_c", false, true),
        ("a%", r"a\%", true, true),
        ("ab", r"a\%", false, false),
        (r"a\b", r"a\\%", true, true),
        (r"a\", r"a\", true, true),
        ("aXbXc", "a%X%c", false, true),
        ("aab", "%ab", true, true),
        ("ababab", "%abab", true, true),
        ("é漢", "_漢", false, true),
    ] {
        for (how, expected) in [(Structural, structural), (ServerLike, server)] {
            let like = field("f", Like, json!(pattern));
            assert_eq!(
                holds(like, json!({"f": text}), how).await,
                expected,
                "{text} {pattern} {how:?}"
            );
        }
    }
    assert!(!holds(field("f", Like, json!("B%")), json!({"f": "berlin"}), Structural).await);
    assert!(holds(field("f", ILike, json!("B%")), json!({"f": "berlin"}), Structural).await);
    assert!(!holds(field("f", Like, json!("5")), json!({"f": 5}), ServerLike).await);
}

#[tokio::test]
async fn combines_and_reaches_into_nested_objects() {
    let row = json!({"a": 1, "run": {"state": "done", "by": null}});
    let done = field("run.state", Eq, json!("done"));
    let wrong = field("a", Eq, json!(2));
    for (condition, expected) in [
        (done.clone(), true),
        (field("run.by.name", IsNull, json!(true)), true),
        (field("missing", Eq, json!(null)), true),
        (GraphqlCondition::And(vec![]), true),
        (GraphqlCondition::And(vec![done.clone(), wrong.clone()]), false),
        (GraphqlCondition::Or(vec![done.clone(), wrong.clone()]), true),
        (GraphqlCondition::Not(Box::new(wrong)), true),
    ] {
        assert_eq!(
            holds(condition.clone(), row.clone(), Structural).await,
            expected,
            "{condition:?}"
        );
    }
    assert!(holds(GraphqlCondition::Or(vec![]), row.clone(), Structural).await);
    assert!(!holds(GraphqlCondition::Or(vec![]), row, ServerLike).await);
}

#[tokio::test]
async fn deferred_values_resolve_once_and_opaque_ones_are_refused() {
    let calls = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counter = calls.clone();
    let value_fn = DeferredFn::from_fn(move || {
        let counter = counter.clone();
        async move {
            counter.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            Ok(AnyGraphqlType::from(json!([1, 2])))
        }
    });
    let conditions = [GraphqlCondition::deferred_field("a", Eq, value_fn)];
    let filter = LocalFilter::resolve(&conditions, Structural).await.unwrap();
    let kept: Vec<_> = (0..4).filter(|n| filter.matches(&json!({"a": n}))).collect();
    assert_eq!(kept, [1, 2]);
    assert_eq!(calls.load(std::sync::atomic::Ordering::SeqCst), 1);

    let opaque = DeferredFn::from_fn(|| async { Ok(AnyGraphqlType::from(json!({}))) });
    let nested = [GraphqlCondition::Not(Box::new(GraphqlCondition::Deferred(opaque)))];
    assert!(LocalFilter::resolve(&nested, Structural).await.is_err());
}
