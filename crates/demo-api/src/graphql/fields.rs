//! What both spellings build their fields from.

use core::any::Any;
use std::sync::Arc;

use async_graphql::{
    Error, ErrorExtensions, Result,
    dynamic::{Field, FieldFuture, FieldValue, InputValue, Object, ResolverContext, TypeRef},
};
use serde_json::{Map, Value};

use crate::{
    data::{Kind, Row, Table},
    shared::Shared,
};

/// What a field resolves to: rows live as long as the process, so nothing is borrowed.
pub(super) type Resolved = Result<Option<FieldValue<'static>>>;

/// A row as the parent of its fields.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parent(pub(super) &'static Row);

impl Parent {
    pub(super) fn text(&self, field: &str) -> &'static str {
        self.0.get(field).and_then(Value::as_str).unwrap_or_default()
    }
}

/// The arguments of one field, and the server that answers.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) args: Map<String, Value>,
    pub(super) shared: Arc<Shared>,
}

impl Call {
    fn read(context: &ResolverContext<'_>) -> Result<Self> {
        let mut args = Map::new();
        for (name, value) in context.args.iter() {
            args.insert(name.to_string(), value.as_value().clone().into_json()?);
        }
        Ok(Self { args, shared: Arc::clone(context.data::<Arc<Shared>>()?) })
    }

    /// An argument that was given and is not null.
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.args.get(name).filter(|value| !value.is_null())
    }

    /// A count that was given; a negative one is an error.
    pub(super) fn count(&self, name: &str) -> Result<Option<usize>> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let count = value.as_u64().and_then(|count| usize::try_from(count).ok());
        match count {
            Some(count) => Ok(Some(count)),
            None => Err(Error::new(format!("`{name}` must not be negative: {value}"))),
        }
    }

    /// Cuts the rows to `offset` and `limit`.
    pub(super) fn window(&self, rows: Vec<&'static Row>) -> Result<Vec<&'static Row>> {
        let limit = self.count("limit")?.unwrap_or(usize::MAX);
        let offset = self.count("offset")?.unwrap_or_default();
        Ok(rows.into_iter().skip(offset).take(limit).collect())
    }
}

/// A field of the root.
pub(super) fn root_field(
    name: impl Into<String>,
    ty: TypeRef,
    resolve: impl Fn(&Call) -> Resolved + Send + Sync + 'static,
) -> Field {
    Field::new(name, ty, move |context| {
        let value = Call::read(&context).and_then(|call| resolve(&call));
        FieldFuture::new(core::future::ready(value))
    })
}

/// A field of an object whose value in the server is a `P`.
pub(super) fn field<P: Any>(
    name: impl Into<String>,
    ty: TypeRef,
    resolve: impl Fn(&P, &Call) -> Resolved + Send + Sync + 'static,
) -> Field {
    Field::new(name, ty, move |context| {
        let value = context.parent_value.try_downcast_ref::<P>().and_then(|parent| {
            let call = Call::read(&context)?;
            resolve(parent, &call)
        });
        FieldFuture::new(core::future::ready(value))
    })
}

/// A list of rows.
pub(super) fn rows(rows: impl IntoIterator<Item = &'static Row>) -> Resolved {
    let rows = rows.into_iter().map(|row| FieldValue::owned_any(Parent(row)));
    Ok(Some(FieldValue::list(rows)))
}

/// One row, or null.
pub(super) fn row(row: Option<&'static Row>) -> Resolved {
    Ok(row.map(|row| FieldValue::owned_any(Parent(row))))
}

/// An object with the table's columns, and `broken`, which is never there.
pub(super) fn object(name: &str, table: &'static Table) -> Object {
    let mut object = Object::new(name);
    for column in table.columns() {
        let ty = TypeRef::named_nn(scalar(column.kind));
        let name = column.name.as_str();
        object = object.field(field(name, ty, move |row: &Parent, _| {
            let value = row.0.get(name).cloned().unwrap_or_default();
            Ok(Some(FieldValue::value(async_graphql::Value::from_json(value)?)))
        }));
    }
    object.field(broken())
}

/// A field that is always null, with an error beside the rest of the data.
fn broken() -> Field {
    Field::new("broken", TypeRef::named(TypeRef::STRING), |context| {
        let error = Error::new("this field never has a value")
            .extend_with(|_, extensions| extensions.set("code", "BROKEN"))
            .into_server_error(context.item.pos);
        // An `Err` would null the whole of the data, not only this field.
        context.add_error(context.set_error_path(error));
        FieldFuture::from_value(None)
    })
}

/// The arguments `limit` and `offset`.
pub(super) fn with_window(field: Field) -> Field {
    field
        .argument(InputValue::new("limit", TypeRef::named(TypeRef::INT)))
        .argument(InputValue::new("offset", TypeRef::named(TypeRef::INT)))
}

pub(super) fn scalar(kind: Kind) -> &'static str {
    match kind {
        Kind::Float => TypeRef::FLOAT,
        Kind::Integer => TypeRef::INT,
        Kind::Text => TypeRef::STRING,
    }
}
