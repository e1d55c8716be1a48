use chrono::{DateTime, FixedOffset, NaiveDate, NaiveTime, Utc};
use ciborium::Value as Cbor;
use indexmap::IndexMap;
use serde_json::{Value as Json, json};
use uuid::Uuid;
use vantage_expressions::Expressive;
use vantage_types::InvariantValue;

use super::*;

/// `value` becomes `json` under `variant`, and reads back.
#[track_caller]
fn round_trip<T: GraphqlType + PartialEq + Clone + std::fmt::Debug>(
    value: T,
    json: Json,
    variant: GraphqlTypeVariants,
) {
    let any = AnyGraphqlType::new(value.clone());
    assert_eq!(any.value(), &json);
    assert_eq!(any.type_variant(), Some(variant));
    assert_eq!(any.try_get::<T>(), Some(value.clone()));
    assert_eq!(AnyGraphqlType::untyped(json).try_get::<T>(), Some(value));
}

#[test]
fn every_type_of_the_table_round_trips() {
    use GraphqlTypeVariants as V;
    round_trip(true, json!(true), V::Bool);
    round_trip(7_i32, json!(7), V::Int);
    round_trip(i64::MIN, json!(i64::MIN), V::BigInt);
    round_trip(1.5_f64, json!(1.5), V::Float);
    round_trip("text".to_owned(), json!("text"), V::String);
    let utc: DateTime<Utc> = "2024-02-29T13:05:00Z".parse().unwrap();
    round_trip(utc, json!("2024-02-29T13:05:00+00:00"), V::DateTime);
    let fixed: DateTime<FixedOffset> = "2024-02-29T13:05:00.25+02:00".parse().unwrap();
    round_trip(fixed, json!("2024-02-29T13:05:00.250+02:00"), V::DateTime);
    let date: NaiveDate = "2024-02-29".parse().unwrap();
    round_trip(date, json!("2024-02-29"), V::Date);
    round_trip(NaiveTime::from_hms_opt(13, 5, 0).unwrap(), json!("13:05:00"), V::Time);
    round_trip(
        NaiveTime::from_hms_milli_opt(13, 5, 0, 250).unwrap(),
        json!("13:05:00.250"),
        V::Time,
    );
    round_trip(Uuid::nil(), json!("00000000-0000-0000-0000-000000000000"), V::Uuid);
    round_trip(json!({"a": [1]}), json!({"a": [1]}), V::Json);
    let items: Vec<AnyGraphqlType> = vec![1_i64.into(), "b".into()];
    round_trip(items, json!([1, "b"]), V::Array);
    let fields: IndexMap<String, AnyGraphqlType> =
        [("b".to_owned(), 1_i64.into()), ("a".to_owned(), "x".into())].into();
    round_trip(fields, json!({"b": 1, "a": "x"}), V::Object);
    round_trip(Some(7_i32), json!(7), V::Int);
    round_trip(None::<i32>, json!(null), V::Int);
}

#[test]
fn integers_are_range_checked_and_long_ones_read_from_text() {
    assert_eq!(AnyGraphqlType::untyped(json!(2_147_483_648_i64)).try_get::<i32>(), None);
    assert_eq!(
        AnyGraphqlType::untyped(json!("9007199254740993")).try_get::<i64>(),
        Some(9_007_199_254_740_993)
    );
    assert_eq!(AnyGraphqlType::untyped(json!("7")).try_get::<i32>(), None);
    assert_eq!(AnyGraphqlType::untyped(json!(1.5)).try_get::<i64>(), None);
}

#[test]
fn what_json_has_no_number_for_becomes_null() {
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(AnyGraphqlType::new(value).value(), &Json::Null);
    }
}

#[test]
fn static_text_goes_out_but_does_not_read_back() {
    let any = AnyGraphqlType::new("text");
    assert_eq!(any.value(), &json!("text"));
    assert_eq!(any.try_get::<&'static str>(), None);
    assert_eq!(any.try_get::<String>(), Some("text".to_owned()));
}

#[test]
fn a_typed_value_reads_as_its_own_type_only() {
    assert_eq!(AnyGraphqlType::new(7_i64).try_get::<i32>(), None);
    assert_eq!(AnyGraphqlType::new(7_i32).try_get::<i32>(), Some(7));
}

#[test]
fn a_bare_value_is_taken_for_the_widest_type() {
    use GraphqlTypeVariants as V;
    for (json, variant) in [
        (json!(null), V::Null),
        (json!(true), V::Bool),
        (json!(7), V::BigInt),
        (json!(u64::MAX), V::BigInt),
        (json!(7.0), V::Float),
        (json!("7"), V::String),
        (json!([]), V::Array),
        (json!({}), V::Object),
    ] {
        assert_eq!(GraphqlTypeVariants::from_json(&json), Some(variant));
        assert_eq!(AnyGraphqlType::from(json).type_variant(), Some(variant));
    }
}

#[test]
fn converts_to_and_from_cbor() {
    let cbor = Cbor::Map(vec![(Cbor::Text("a".into()), Cbor::Integer(1.into()))]);
    let any = AnyGraphqlType::from(cbor.clone());
    assert_eq!(any.value(), &json!({"a": 1}));
    assert_eq!(Cbor::from(any), cbor);
    assert_eq!(AnyGraphqlType::from(Cbor::Bytes(vec![0xAB])).value(), &json!("ab"));
}

#[test]
fn converts_back_to_scalars_whatever_the_variant() {
    assert_eq!(i32::try_from(AnyGraphqlType::from(7_i64)).unwrap(), 7);
    assert_eq!(i64::try_from(AnyGraphqlType::from(7_i32)).unwrap(), 7);
    assert_eq!(f64::try_from(AnyGraphqlType::from(1.5)).unwrap(), 1.5);
    assert!(bool::try_from(AnyGraphqlType::from(true)).unwrap());
    assert_eq!(String::try_from(AnyGraphqlType::from("a")).unwrap(), "a");
    let list = Vec::<AnyGraphqlType>::try_from(AnyGraphqlType::from(json!([1, 2]))).unwrap();
    assert_eq!(list.len(), 2);

    let error = i32::try_from(AnyGraphqlType::from("seven")).unwrap_err();
    assert!(error.to_string().contains("Cannot convert"), "{error}");
}

#[test]
fn shows_as_json_text_and_expresses_as_one_parameter() {
    assert_eq!(AnyGraphqlType::from("a").to_string(), r#""a""#);
    assert_eq!(AnyGraphqlType::from(json!({"a": [1]})).to_string(), r#"{"a":[1]}"#);
    for expression in [
        Expressive::<AnyGraphqlType>::expr(&7_i32),
        Expressive::<AnyGraphqlType>::expr(&7_i64),
        AnyGraphqlType::from(7_i64).expr(),
    ] {
        assert_eq!(expression.preview(), "7");
    }
    assert_eq!(Expressive::<AnyGraphqlType>::expr(&true).preview(), "true");
    assert_eq!(Expressive::<AnyGraphqlType>::expr(&1.5).preview(), "1.5");
    assert_eq!(Expressive::<AnyGraphqlType>::expr(&"a").preview(), r#""a""#);
    assert_eq!(Expressive::<AnyGraphqlType>::expr(&"a".to_owned()).preview(), r#""a""#);
}

#[test]
fn only_null_is_null() {
    assert!(AnyGraphqlType::untyped(Json::Null).is_null());
    assert!(!AnyGraphqlType::from("").is_null());
    assert!(AnyGraphqlType::from(7_i32).value_eq(&AnyGraphqlType::from(7_i64)));
}
