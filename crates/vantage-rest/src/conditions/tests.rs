use ciborium::Value as Cbor;
use vantage_expressions::{DeferredFn, Expression, ExpressiveEnum, expr_any};
use vantage_table::conditions::condition_column_of;
use vantage_vista::{Condition, FilterOp};

use super::*;

fn deferred() -> DeferredFn<Cbor> {
    DeferredFn::new(|| Box::pin(async { Ok(several(vec![1.into(), 2.into()])) }))
}

fn row(fields: &[(&str, Cbor)]) -> Row {
    fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}

#[test]
fn an_equality_reads_back_as_itself() {
    for (value, text) in [
        (Cbor::from("p1"), "p1"),
        (Cbor::from("007"), "007"),
        (Cbor::Bool(true), "true"),
        (Cbor::from(-3), "-3"),
        (Cbor::Float(1.5), "1.5"),
        (Cbor::Float(2.0), "2"),
    ] {
        let condition = eq_condition("parent", value.clone());
        let (field, text) = ("parent".to_owned(), text.to_owned());
        assert_eq!(Clause::read(&condition), Clause::Equals { field, value, text });
        assert_eq!(condition_column_of(&condition), Some("parent".to_owned()));
    }
}

#[test]
fn a_value_without_a_parameter_form_is_held_against_the_rows() {
    let null = Clause::read(&eq_condition("f", Cbor::Null));
    assert_eq!(null, Clause::Compares(Condition::new("f", FilterOp::Eq, Cbor::Null)));
    let list = Cbor::Array(vec![1.into(), 2.into()]);
    let read = Clause::read(&eq_condition("f", list.clone()));
    assert_eq!(read, Clause::Compares(Condition::new("f", FilterOp::InSet, list)));
}

#[test]
fn operators_are_read_as_comparisons() {
    let f = || Expression::<Cbor>::new("f", vec![]);
    for (condition, op) in [
        (expr_any!("{} > {}", (f()), 3), FilterOp::Gt),
        (expr_any!("{} >= {}", (f()), 3), FilterOp::Gte),
        (expr_any!("{} < {}", (f()), 3), FilterOp::Lt),
        (expr_any!("{} <= {}", (f()), 3), FilterOp::Lte),
        (expr_any!("{} != {}", (f()), 3), FilterOp::Ne),
        (expr_any!("{} <> {}", (f()), 3), FilterOp::Ne),
    ] {
        let read = Clause::read(&condition);
        assert_eq!(read, Clause::Compares(Condition::new("f", op, Cbor::from(3))));
    }
    let list = Cbor::Array(vec![1.into(), 2.into()]);
    let listed = Expression::new(
        "{} IN ({})",
        vec![ExpressiveEnum::Nested(f()), several(vec![1.into(), 2.into()])],
    );
    let read = Clause::read(&listed);
    assert_eq!(read, Clause::Compares(Condition::new("f", FilterOp::InSet, list)));
}

#[test]
fn what_cannot_be_read_is_kept_as_text() {
    let raw: Expression<Cbor> = expr_any!("LENGTH(name) > {}", 3);
    assert_eq!(Clause::read(&raw), Clause::Opaque("LENGTH(name) > 3".to_owned()));
}

#[tokio::test]
async fn several_parents_resolve_to_one_of_their_values() {
    let condition = deferred_equality("parent", deferred());
    assert!(is_deferred(&condition));
    assert_eq!(describe(&condition), "parent = **deferred()");
    let resolved = condition.resolve_deferred().await.unwrap();
    let values = vec![1.into(), 2.into()];
    assert_eq!(Clause::read(&resolved), Clause::OneOf { field: "parent".to_owned(), values });
}

#[tokio::test]
async fn an_unsupported_search_is_refused_when_it_is_resolved() {
    let err = unsupported_search().resolve_deferred().await.err().unwrap();
    assert!(err.is_unsupported());
    assert_eq!(Clause::read(&search("lax")), Clause::Search("lax".to_owned()));
}

#[test]
fn descriptions_quote_text_and_nothing_else() {
    assert_eq!(describe(&eq_condition("parent", "p1")), r#"parent = "p1""#);
    assert_eq!(describe(&eq_condition("n", 7)), "n = 7");
}

#[test]
fn a_list_of_one_value_is_an_equality_and_any_other_is_refused() {
    let one = in_values("f", vec![1.into()]).unwrap();
    assert_eq!(known_equality(&one), Some(("f".to_owned(), 1.into())));
    for values in [vec![], vec![1.into(), 2.into()]] {
        let count = values.len();
        let err = in_values("f", values).err().unwrap();
        assert!(err.is_unsupported());
        let text =
            format!(r#"a REST filter takes exactly one value (field: "f", values: {count})"#);
        assert_eq!(err.to_string(), text);
    }
}

#[test]
fn a_null_condition_takes_absent_fields_too() {
    let null = Condition::new("f", FilterOp::Eq, Cbor::Null);
    assert!(holds(&null, &row(&[("f", Cbor::Null)])));
    assert!(holds(&null, &row(&[])));
    assert!(!holds(&null, &row(&[("f", 1.into())])));
}
