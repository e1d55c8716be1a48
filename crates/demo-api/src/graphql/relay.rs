//! Relay connections: `airportsConnection(first, after) { edges { node } pageInfo }`.

use core::hash::{Hash, Hasher};
use std::hash::DefaultHasher;

use async_graphql::{
    Error, ErrorExtensions, Result,
    dynamic::{Field, FieldValue, InputValue, Object, SchemaBuilder, TypeRef},
};
use serde_json::Value;

use super::{
    fields::{Call, Parent, field, root_field, rows},
    flat::select,
};
use crate::{
    cursor::CursorError,
    data::{Row, Table},
};

/// One part of a listing, with its place in the whole.
#[derive(Clone, Debug)]
struct Connection {
    edges: Vec<Edge>,
    offset: usize,
    total: usize,
}

#[derive(Clone, Debug)]
struct Edge {
    cursor: String,
    row: &'static Row,
}

impl Connection {
    fn read(table: &'static Table, call: &Call) -> Result<Self> {
        let paging = &call.shared.config.paging;
        let scope = scope(table, call);
        let all = select(table.rows(), call);
        let first = call.count("first")?.unwrap_or(paging.default_size).min(paging.max_size);
        let offset = match call.get("after").and_then(Value::as_str).unwrap_or_default() {
            "" => 0,
            cursor => call.shared.open_cursor(cursor, scope).map_err(refused)?,
        };
        let part = all.iter().enumerate().skip(offset).take(first);
        let edges = part.map(|(position, row)| {
            let cursor = call.shared.issue_cursor(position + 1, scope);
            Edge { cursor, row }
        });
        Ok(Self { edges: edges.collect(), offset, total: all.len() })
    }

    fn has_next(&self) -> bool {
        self.offset.saturating_add(self.edges.len()) < self.total
    }
}

fn refused(error: CursorError) -> Error {
    let (message, code) = match error {
        CursorError::Expired(_) => ("the cursor has expired", "CURSOR_EXPIRED"),
        CursorError::Unknown => ("the cursor is not known", "CURSOR_UNKNOWN"),
    };
    Error::new(message).extend_with(|_, extensions| extensions.set("code", code))
}

/// A number for the table and the filters: a cursor is good for no other listing.
fn scope(table: &Table, call: &Call) -> u64 {
    let mut hasher = DefaultHasher::new();
    table.name().hash(&mut hasher);
    for (name, value) in &call.args {
        if name != "after" && name != "first" {
            (name, value.to_string()).hash(&mut hasher);
        }
    }
    hasher.finish()
}

/// The field `<many>Connection` of the root, without the filters.
pub(super) fn connection(one: &str, many: &str, table: &'static Table) -> Field {
    let ty = TypeRef::named_nn(format!("{one}Connection"));
    root_field(format!("{many}Connection"), ty, move |call| {
        Ok(Some(FieldValue::owned_any(Connection::read(table, call)?)))
    })
    .argument(InputValue::new("first", TypeRef::named(TypeRef::INT)))
    .argument(InputValue::new("after", TypeRef::named(TypeRef::STRING)))
}

/// Adds the types of the connections to `one`.
pub(super) fn register(schema: SchemaBuilder, one: &str) -> SchemaBuilder {
    let edge = format!("{one}Edge");
    let edges = field("edges", TypeRef::named_nn_list_nn(&edge), |part: &Connection, _| {
        let edges = part.edges.iter().cloned().map(FieldValue::owned_any);
        Ok(Some(FieldValue::list(edges)))
    });
    let nodes = field("nodes", TypeRef::named_nn_list_nn(one), |part: &Connection, _| {
        rows(part.edges.iter().map(|edge| edge.row))
    });
    let page_info = field("pageInfo", TypeRef::named_nn("PageInfo"), |part: &Connection, _| {
        Ok(Some(FieldValue::owned_any(part.clone())))
    });
    let total = field("totalCount", TypeRef::named_nn(TypeRef::INT), |part: &Connection, _| {
        Ok(Some(FieldValue::value(part.total)))
    });
    let connection = Object::new(format!("{one}Connection"));
    let connection = connection.field(edges).field(nodes).field(page_info).field(total);
    let edge = Object::new(edge)
        .field(field("cursor", TypeRef::named_nn(TypeRef::STRING), |edge: &Edge, _| {
            Ok(Some(FieldValue::value(edge.cursor.clone())))
        }))
        .field(field("node", TypeRef::named_nn(one), |edge: &Edge, _| {
            Ok(Some(FieldValue::owned_any(Parent(edge.row))))
        }));
    schema.register(connection).register(edge)
}

/// The type `PageInfo` of all connections.
pub(super) fn page_info() -> Object {
    let flag = |name: &str, value: fn(&Connection) -> bool| {
        field(name, TypeRef::named_nn(TypeRef::BOOLEAN), move |part: &Connection, _| {
            Ok(Some(FieldValue::value(value(part))))
        })
    };
    let cursor = |name: &str, edge: fn(&[Edge]) -> Option<&Edge>| {
        field(name, TypeRef::named(TypeRef::STRING), move |part: &Connection, _| {
            Ok(edge(&part.edges).map(|edge| FieldValue::value(edge.cursor.clone())))
        })
    };
    Object::new("PageInfo")
        .field(flag("hasNextPage", Connection::has_next))
        .field(flag("hasPreviousPage", |part| part.offset > 0))
        .field(cursor("startCursor", <[Edge]>::first))
        .field(cursor("endCursor", <[Edge]>::last))
}
