//! How the rows of a listing are wrapped.

use serde_json::{Map, Value, json};

/// The outer form of a listing's JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `[…]`
    Bare,
    /// `{"<table>": […]}`
    TableName,
    /// The rows under a key; dots go one level deeper each.
    Under(String),
}

impl Default for Shape {
    fn default() -> Self {
        Self::Under("data".to_owned())
    }
}

impl Shape {
    /// Reads the `shape` parameter: `bare`, `table`, or the key of the rows.
    pub(crate) fn read(text: &str) -> Self {
        match text {
            "bare" => Self::Bare,
            "table" => Self::TableName,
            key => Self::Under(key.to_owned()),
        }
    }

    /// Wraps rows, with further members at the top and beside the rows.
    pub(crate) fn wrap(&self, table: &str, rows: Vec<Value>, extras: &Map<String, Value>) -> Value {
        let key = match self {
            Self::Bare => return Value::Array(rows),
            Self::TableName => table,
            Self::Under(key) => key,
        };
        let (outer, inner) = match key.rsplit_once('.') {
            Some((outer, inner)) => (Some(outer), inner),
            None => (None, key),
        };
        let mut object = Map::new();
        object.insert(inner.to_owned(), Value::Array(rows));
        object.extend(extras.clone());
        let Some(outer) = outer else { return Value::Object(object) };
        let mut wrapped = Value::Object(object);
        for key in outer.rsplit('.') {
            wrapped = json!({ key: wrapped });
        }
        if let Value::Object(top) = &mut wrapped {
            top.extend(extras.clone());
        }
        wrapped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_shape_wraps_in_its_way() {
        let extras = Map::from_iter([("total".to_owned(), json!(9))]);
        let wrap = |shape: Shape| shape.wrap("flights", vec![json!(1)], &extras);
        assert_eq!(wrap(Shape::Bare), json!([1]));
        assert_eq!(wrap(Shape::default()), json!({"data": [1], "total": 9}));
        assert_eq!(wrap(Shape::read("table")), json!({"flights": [1], "total": 9}));
        assert_eq!(
            wrap(Shape::read("a.b.items")),
            json!({"a": {"b": {"items": [1], "total": 9}}, "total": 9})
        );
    }
}
