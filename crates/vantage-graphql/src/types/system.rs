//! The generated type system, and what needs its private fields.

#![expect(
    missing_docs,
    clippy::exhaustive_enums,
    clippy::exhaustive_structs,
    reason = "the framework's macro generates these items"
)]

use serde_json::Value as Json;
use vantage_types::vantage_type_system;

vantage_type_system! {
    type_trait: GraphqlType,
    method_name: json,
    value_type: serde_json::Value,
    null_when: serde_json::Value::Null,
    type_variants: [
        Null, Bool, Int, BigInt, Float, String, Id, DateTime, Date, Time, Uuid, Decimal, Json,
        Object, Array,
    ]
}

impl GraphqlTypeVariants {
    /// The variant a bare JSON value is taken for: strings are `String`, whole
    /// numbers `BigInt`, other numbers `Float`.
    #[must_use]
    pub fn from_json(value: &Json) -> Option<Self> {
        Some(match value {
            Json::Null => Self::Null,
            Json::Bool(_) => Self::Bool,
            Json::Number(number) if number.is_i64() || number.is_u64() => Self::BigInt,
            Json::Number(_) => Self::Float,
            Json::String(_) => Self::String,
            Json::Array(_) => Self::Array,
            Json::Object(_) => Self::Object,
        })
    }
}

impl AnyGraphqlType {
    /// A value that claims no type: [`try_get`](Self::try_get) succeeds for
    /// every type that can read it.
    ///
    /// # Examples
    ///
    /// ```
    /// use serde_json::json;
    /// use vantage_graphql::AnyGraphqlType;
    ///
    /// let seven = AnyGraphqlType::untyped(json!(7));
    /// assert_eq!(seven.try_get::<i32>(), Some(7));
    /// assert_eq!(seven.try_get::<i64>(), Some(7));
    /// ```
    #[must_use]
    pub fn untyped(value: Json) -> Self {
        Self { value, type_variant: None }
    }
}
