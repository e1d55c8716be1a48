//! From `data` to the list of rows.

use serde_json::Value as Json;
use vantage_core::{Result, error};

use crate::condition::node::kind_of;

/// What `data` holds under `root`.
///
/// # Errors
///
/// If there is no such field.
pub(crate) fn taken(data: Json, root: &str) -> Result<Json> {
    match data {
        Json::Object(mut fields) => fields.swap_remove(root),
        _ => None,
    }
    .ok_or_else(|| error!("GraphQL response missing root field", field = root))
}

/// The rows under the root field's value: objects are indexed by the next
/// segment of `path`, lists are mapped over it. Null is no rows.
///
/// # Errors
///
/// If what the path leads to is no list.
pub(crate) fn rows(value: Json, root: &str, path: &[String]) -> Result<Vec<Json>> {
    let unexpected = |got: &Json| {
        error!(
            "Unexpected response shape — expected array under root field",
            root = root,
            got = kind_of(got)
        )
    };
    let mut at = value;
    for segment in path {
        at = match at {
            Json::Null => return Ok(Vec::new()),
            Json::Object(mut fields) => fields.swap_remove(segment).unwrap_or_default(),
            Json::Array(items) => Json::Array(mapped(items, segment)),
            other => return Err(unexpected(&other)),
        };
    }
    match at {
        Json::Null => Ok(Vec::new()),
        Json::Array(items) => Ok(items),
        other => Err(unexpected(&other)),
    }
}

/// As [`rows`], where a lone object stands for a list of it.
///
/// # Errors
///
/// If what the path leads to is neither a list nor an object.
pub(crate) fn rows_or_one(value: Json, root: &str, path: &[String]) -> Result<Vec<Json>> {
    let found = path.iter().try_fold(&value, |at, segment| match at {
        Json::Object(fields) => fields.get(segment),
        _ => None,
    });
    match found {
        Some(Json::Object(_)) => {
            let mut at = value;
            for segment in path {
                at = match at {
                    Json::Object(mut fields) => fields.swap_remove(segment).unwrap_or_default(),
                    _ => Json::Null,
                };
            }
            Ok(vec![at])
        }
        _ => rows(value, root, path),
    }
}

/// `segment` of each item; lists among them are joined.
fn mapped(items: Vec<Json>, segment: &str) -> Vec<Json> {
    let mut found = Vec::with_capacity(items.len());
    for item in items {
        let value = match item {
            Json::Object(mut fields) => fields.swap_remove(segment).unwrap_or_default(),
            other => other,
        };
        match value {
            Json::Array(inner) => found.extend(inner),
            other => found.push(other),
        }
    }
    found
}
