//! Lists, objects, optional values and the erased value itself.

use indexmap::IndexMap;
use serde_json::Value as Json;

use super::system::{
    AnyGraphqlType, GraphqlType, GraphqlTypeArrayMarker, GraphqlTypeNullMarker,
    GraphqlTypeObjectMarker,
};

impl GraphqlType for Vec<AnyGraphqlType> {
    type Target = GraphqlTypeArrayMarker;

    fn to_json(&self) -> Json {
        Json::Array(self.iter().map(|item| item.value().clone()).collect())
    }

    fn from_json(value: Json) -> Option<Self> {
        match value {
            Json::Array(items) => Some(items.into_iter().map(AnyGraphqlType::untyped).collect()),
            _ => None,
        }
    }
}

impl GraphqlType for IndexMap<String, AnyGraphqlType> {
    type Target = GraphqlTypeObjectMarker;

    fn to_json(&self) -> Json {
        self.iter().map(|(key, item)| (key.clone(), item.value().clone())).collect()
    }

    fn from_json(value: Json) -> Option<Self> {
        match value {
            Json::Object(fields) => Some(
                fields
                    .into_iter()
                    .map(|(key, item)| (key, AnyGraphqlType::untyped(item)))
                    .collect(),
            ),
            _ => None,
        }
    }
}

impl<T: GraphqlType> GraphqlType for Option<T> {
    type Target = T::Target;

    fn to_json(&self) -> Json {
        self.as_ref().map_or(Json::Null, T::to_json)
    }

    fn from_json(value: Json) -> Option<Self> {
        match value {
            Json::Null => Some(None),
            value => T::from_json(value).map(Some),
        }
    }
}

impl GraphqlType for AnyGraphqlType {
    type Target = GraphqlTypeNullMarker;

    fn to_json(&self) -> Json {
        self.value().clone()
    }

    fn from_json(value: Json) -> Option<Self> {
        Some(Self::untyped(value))
    }
}
