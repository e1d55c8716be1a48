//! Typed values, and structs as records of them.

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveTime, Utc};
use ciborium::Value as Cbor;
use indexmap::IndexMap;
use serde_json::{Value as Json, json};
use uuid::Uuid;
use vantage_graphql::types::{
    AnyGraphqlType, GraphqlType, GraphqlTypeArrayMarker, GraphqlTypeBigIntMarker,
    GraphqlTypeBoolMarker, GraphqlTypeDateMarker, GraphqlTypeDateTimeMarker,
    GraphqlTypeDecimalMarker, GraphqlTypeFloatMarker, GraphqlTypeIdMarker, GraphqlTypeIntMarker,
    GraphqlTypeJsonMarker, GraphqlTypeMarker, GraphqlTypeNullMarker, GraphqlTypeObjectMarker,
    GraphqlTypePersistence, GraphqlTypeStringMarker, GraphqlTypeTimeMarker, GraphqlTypeUuidMarker,
    GraphqlTypeVariants,
};
use vantage_types::{InvariantValue, Record, TryFromRecord, TryIntoRecord, entity};

use crate::value;

#[test]
fn every_rust_type_has_its_marker() {
    fn is<T: GraphqlType<Target = M>, M: GraphqlTypeMarker>(variant: GraphqlTypeVariants) {
        assert_eq!(T::Target::TYPE_ENUM, variant);
    }
    use GraphqlTypeVariants as V;
    is::<AnyGraphqlType, GraphqlTypeNullMarker>(V::Null);
    is::<bool, GraphqlTypeBoolMarker>(V::Bool);
    is::<i32, GraphqlTypeIntMarker>(V::Int);
    is::<i64, GraphqlTypeBigIntMarker>(V::BigInt);
    is::<f64, GraphqlTypeFloatMarker>(V::Float);
    is::<String, GraphqlTypeStringMarker>(V::String);
    is::<&'static str, GraphqlTypeStringMarker>(V::String);
    is::<DateTime<Utc>, GraphqlTypeDateTimeMarker>(V::DateTime);
    is::<DateTime<FixedOffset>, GraphqlTypeDateTimeMarker>(V::DateTime);
    is::<NaiveDate, GraphqlTypeDateMarker>(V::Date);
    is::<NaiveTime, GraphqlTypeTimeMarker>(V::Time);
    is::<Uuid, GraphqlTypeUuidMarker>(V::Uuid);
    is::<Json, GraphqlTypeJsonMarker>(V::Json);
    is::<Vec<AnyGraphqlType>, GraphqlTypeArrayMarker>(V::Array);
    is::<IndexMap<String, AnyGraphqlType>, GraphqlTypeObjectMarker>(V::Object);
    is::<Option<i32>, GraphqlTypeIntMarker>(V::Int);
    assert_eq!(GraphqlTypeIdMarker::TYPE_ENUM, V::Id);
    assert_eq!(GraphqlTypeDecimalMarker::TYPE_ENUM, V::Decimal);
    value::<AnyGraphqlType>();
    value::<GraphqlTypeVariants>();
}

#[test]
fn the_erased_value_is_made_read_and_converted() {
    let any = AnyGraphqlType::new(7_i32);
    assert_eq!(any, AnyGraphqlType::new_ref(&7_i32));
    assert_eq!(any.value(), &json!(7));
    assert_eq!(any.type_variant(), Some(GraphqlTypeVariants::Int));
    assert_eq!(any.clone().into_value(), json!(7));
    assert_eq!(Json::from(any.clone()), json!(7));
    assert_eq!(Cbor::from(any.clone()), Cbor::Integer(7.into()));
    assert_eq!(any.to_string(), "7");
    assert!(!any.is_null() && any.value_eq(&7_i64.into()));
    assert_eq!(AnyGraphqlType::from_json(&json!("x")).unwrap(), "x".into());
    assert_eq!(AnyGraphqlType::untyped(json!(7)).type_variant(), None);
    assert_eq!(i64::try_from(any).unwrap(), 7);
    let error = bool::try_from(AnyGraphqlType::from("x")).unwrap_err();
    assert!(error.message().contains("Cannot convert"));
}

#[entity(GraphqlType)]
#[derive(Clone, Debug, PartialEq)]
struct Airport {
    code: String,
    elevation: i64,
    closed: Option<bool>,
}

#[test]
fn a_struct_is_a_record_and_back() {
    let row: Record<AnyGraphqlType> = [
        ("code".to_owned(), AnyGraphqlType::untyped(json!("TXL"))),
        ("elevation".to_owned(), AnyGraphqlType::untyped(json!("122"))),
        ("closed".to_owned(), AnyGraphqlType::untyped(json!(null))),
    ]
    .into_iter()
    .collect();
    let airport = Airport::from_record(row).unwrap();
    assert_eq!(airport, Airport { code: "TXL".to_owned(), elevation: 122, closed: None });
    let record = airport.try_into_record().unwrap();
    assert_eq!(record["elevation"].type_variant(), Some(GraphqlTypeVariants::BigInt));
}

#[test]
fn persistence_is_there_for_hand_written_types() {
    struct Own(i32);
    impl GraphqlTypePersistence for Own {
        fn to_graphqltype_map(&self) -> IndexMap<String, AnyGraphqlType> {
            [("n".to_owned(), self.0.into())].into()
        }

        fn from_graphqltype_map(
            map: IndexMap<String, AnyGraphqlType>,
        ) -> vantage_core::Result<Self> {
            let n = map.get("n").and_then(AnyGraphqlType::try_get);
            n.map(Self).ok_or_else(vantage_core::VantageError::no_data)
        }
    }
    let record = Own(7).to_graphqltype_record();
    assert_eq!(Own::from_graphqltype_record(record).unwrap().0, 7);
    assert_eq!(Own(7).to_graphqltype_values()["n"], json!(7));
}
