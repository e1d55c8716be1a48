//! Booleans, numbers, text and identifiers.

use serde_json::{Number, Value as Json};
use uuid::Uuid;

use super::system::{
    GraphqlType, GraphqlTypeBigIntMarker, GraphqlTypeBoolMarker, GraphqlTypeFloatMarker,
    GraphqlTypeIntMarker, GraphqlTypeJsonMarker, GraphqlTypeStringMarker, GraphqlTypeUuidMarker,
};

impl GraphqlType for bool {
    type Target = GraphqlTypeBoolMarker;

    fn to_json(&self) -> Json {
        Json::Bool(*self)
    }

    fn from_json(value: Json) -> Option<Self> {
        value.as_bool()
    }
}

impl GraphqlType for i32 {
    type Target = GraphqlTypeIntMarker;

    fn to_json(&self) -> Json {
        Json::from(*self)
    }

    fn from_json(value: Json) -> Option<Self> {
        value.as_i64().and_then(|number| Self::try_from(number).ok())
    }
}

impl GraphqlType for i64 {
    type Target = GraphqlTypeBigIntMarker;

    fn to_json(&self) -> Json {
        Json::from(*self)
    }

    /// Servers send integers beyond 32 bits as text.
    fn from_json(value: Json) -> Option<Self> {
        match value {
            Json::Number(number) => number.as_i64(),
            Json::String(text) => text.parse().ok(),
            _ => None,
        }
    }
}

impl GraphqlType for f64 {
    type Target = GraphqlTypeFloatMarker;

    /// JSON has no NaN and no infinity: they become null.
    fn to_json(&self) -> Json {
        Number::from_f64(*self).map_or(Json::Null, Json::Number)
    }

    fn from_json(value: Json) -> Option<Self> {
        value.as_f64()
    }
}

impl GraphqlType for String {
    type Target = GraphqlTypeStringMarker;

    fn to_json(&self) -> Json {
        Json::String(self.clone())
    }

    fn from_json(value: Json) -> Option<Self> {
        match value {
            Json::String(text) => Some(text),
            _ => None,
        }
    }
}

impl GraphqlType for &'static str {
    type Target = GraphqlTypeStringMarker;

    fn to_json(&self) -> Json {
        Json::String((*self).to_owned())
    }

    /// Always `None`: reading back would leak memory.
    fn from_json(_value: Json) -> Option<Self> {
        None
    }
}

impl GraphqlType for Uuid {
    type Target = GraphqlTypeUuidMarker;

    fn to_json(&self) -> Json {
        Json::String(self.to_string())
    }

    fn from_json(value: Json) -> Option<Self> {
        value.as_str().and_then(|text| Self::parse_str(text).ok())
    }
}

impl GraphqlType for Json {
    type Target = GraphqlTypeJsonMarker;

    fn to_json(&self) -> Json {
        self.clone()
    }

    fn from_json(value: Json) -> Option<Self> {
        Some(value)
    }
}
