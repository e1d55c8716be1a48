//! Conversions into and out of the erased value.

use ciborium::Value as Cbor;
use vantage_core::{VantageError, error};
use vantage_types::{PlainDialect, cbor_to_json, json_to_cbor};

use super::system::{AnyGraphqlType, GraphqlType};

macro_rules! from_scalar {
    ($($scalar:ty),*) => {$(
        impl From<$scalar> for AnyGraphqlType {
            fn from(value: $scalar) -> Self {
                Self::new(value)
            }
        }
    )*};
}

from_scalar!(bool, i32, i64, f64, String);

impl From<&str> for AnyGraphqlType {
    fn from(value: &str) -> Self {
        Self::new(value.to_owned())
    }
}

/// Tags are dropped, bytes become hexadecimal text.
impl From<Cbor> for AnyGraphqlType {
    fn from(value: Cbor) -> Self {
        cbor_to_json(&PlainDialect, value).into()
    }
}

impl From<AnyGraphqlType> for Cbor {
    fn from(value: AnyGraphqlType) -> Self {
        json_to_cbor(value.into_value())
    }
}

macro_rules! try_into {
    ($($scalar:ty),*) => {$(
        /// Reads the value whatever type it claims.
        impl TryFrom<AnyGraphqlType> for $scalar {
            type Error = VantageError;

            fn try_from(value: AnyGraphqlType) -> Result<Self, VantageError> {
                let json = value.into_value();
                <$scalar as GraphqlType>::from_json(json.clone()).ok_or_else(|| {
                    error!(
                        concat!("Cannot convert the GraphQL value to ", stringify!($scalar)),
                        value = json
                    )
                })
            }
        }
    )*};
}

try_into!(bool, i32, i64, f64, String, Vec<AnyGraphqlType>);
