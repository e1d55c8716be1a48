//! Typed values: what a GraphQL scalar is in Rust, and back.
//!
//! [`AnyGraphqlType`] is the value of every record and condition: a JSON value
//! that may remember which type it was made from. Rows come back
//! [untyped](AnyGraphqlType::untyped), since a response does not say what its
//! scalars mean; [`try_get`](AnyGraphqlType::try_get) then leaves the decision
//! to the type that is asked for.
//!
//! | Rust type | Variant | As JSON |
//! |---|---|---|
//! | `bool` | `Bool` | boolean |
//! | `i32` | `Int` | number, range-checked |
//! | `i64` | `BigInt` | number; reads quoted integers too |
//! | `f64` | `Float` | number; NaN and infinities become null |
//! | `String`, `&'static str` | `String` | string; `&str` does not read back |
//! | `DateTime<Utc>`, `DateTime<FixedOffset>` | `DateTime` | RFC 3339 |
//! | `NaiveDate` | `Date` | `2024-02-29` |
//! | `NaiveTime` | `Time` | `13:05:00`, with a fraction if there is one |
//! | `Uuid` | `Uuid` | hyphenated |
//! | `serde_json::Value` | `Json` | itself |
//! | `Vec<AnyGraphqlType>` | `Array` | array |
//! | `IndexMap<String, AnyGraphqlType>` | `Object` | object, order kept |
//! | `Option<T>` | the variant of `T` | null if absent |

mod any;
mod compound;
mod convert;
mod scalar;
mod system;
mod temporal;
#[cfg(test)]
mod tests;

pub use system::{
    AnyGraphqlType, GraphqlType, GraphqlTypeArrayMarker, GraphqlTypeBigIntMarker,
    GraphqlTypeBoolMarker, GraphqlTypeDateMarker, GraphqlTypeDateTimeMarker,
    GraphqlTypeDecimalMarker, GraphqlTypeFloatMarker, GraphqlTypeIdMarker, GraphqlTypeIntMarker,
    GraphqlTypeJsonMarker, GraphqlTypeMarker, GraphqlTypeNullMarker, GraphqlTypeObjectMarker,
    GraphqlTypePersistence, GraphqlTypeStringMarker, GraphqlTypeTimeMarker, GraphqlTypeUuidMarker,
    GraphqlTypeVariants,
};
