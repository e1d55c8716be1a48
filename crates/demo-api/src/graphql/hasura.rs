//! Hasura's spelling: `airports(where: {…}, order_by: […])` and `airports_aggregate`.

use core::cmp::Ordering;

use async_graphql::{
    Result,
    dynamic::{
        Enum, EnumItem, Field, FieldValue, InputObject, InputValue, Object, Schema, SchemaError,
        TypeRef,
    },
};
use serde_json::Value;

use super::{
    fields::{self, Call, Parent, field, root_field, row, rows, scalar, with_window},
    predicate::{all_of, holds},
};
use crate::{
    data::{Kind, Row, Table, departures, text_of},
    query::compare,
};

const DIRECTIONS: [&str; 6] =
    ["asc", "asc_nulls_first", "asc_nulls_last", "desc", "desc_nulls_first", "desc_nulls_last"];

pub(super) fn schema() -> Result<Schema, SchemaError> {
    let airports = fields::object("airports", Table::airports()).field(listing(
        field("flights", TypeRef::named_nn_list_nn("flights"), |airport: &Parent, call| {
            let flights = departures(airport.text("iata")).iter().copied();
            rows(call.window(select(Table::flights(), flights, call))?)
        }),
        "flights",
    ));
    let flights = fields::object("flights", Table::flights())
        .field(end("origin_airport", "origin"))
        .field(end("destination_airport", "destination"));
    let mut root = Object::new("query_root");
    let mut schema = Schema::build("query_root", None, None).register(airports).register(flights);
    for table in [Table::airports(), Table::flights()] {
        let name = table.name();
        root = root.field(many(table)).field(by_key(table)).field(aggregate(table));
        schema = schema
            .register(conditions(table))
            .register(order(table))
            .register(aggregate_object(name))
            .register(aggregate_fields(name));
    }
    for kind in [Kind::Float, Kind::Integer, Kind::Text] {
        schema = schema.register(comparison(kind));
    }
    let directions = DIRECTIONS.into_iter().map(EnumItem::new);
    schema.register(root).register(directions.fold(Enum::new("order_by"), Enum::item)).finish()
}

/// `airports(where, order_by, limit, offset)`
fn many(table: &'static Table) -> Field {
    let ty = TypeRef::named_nn_list_nn(table.name());
    let field = root_field(table.name(), ty, move |call| {
        rows(call.window(select(table, table.rows(), call))?)
    });
    listing(field, table.name())
}

/// `airports_by_pk(iata: "ORD")`
fn by_key(table: &'static Table) -> Field {
    let key = table.columns().iter().find(|column| column.name == table.key());
    let ty = key.map_or(TypeRef::ID, |column| scalar(column.kind));
    root_field(format!("{}_by_pk", table.name()), TypeRef::named(table.name()), move |call| {
        row(call.get(table.key()).and_then(|key| table.find(&text_of(key))))
    })
    .argument(InputValue::new(table.key(), TypeRef::named_nn(ty)))
}

/// `airports_aggregate(where) { aggregate { count } nodes { … } }`
fn aggregate(table: &'static Table) -> Field {
    let name = format!("{}_aggregate", table.name());
    let field = root_field(name.as_str(), TypeRef::named_nn(name.as_str()), move |call| {
        let rows = call.window(select(table, table.rows(), call))?;
        Ok(Some(FieldValue::owned_any(rows)))
    });
    listing(field, table.name())
}

fn aggregate_object(name: &str) -> Object {
    let fields = format!("{name}_aggregate_fields");
    Object::new(format!("{name}_aggregate"))
        .field(field("aggregate", TypeRef::named(fields), |rows: &Vec<&'static Row>, _| {
            Ok(Some(FieldValue::value(rows.len())))
        }))
        .field(field("nodes", TypeRef::named_nn_list_nn(name), |all: &Vec<&'static Row>, _| {
            rows(all.iter().copied())
        }))
}

fn aggregate_fields(name: &str) -> Object {
    let count = Field::new("count", TypeRef::named_nn(TypeRef::INT), |context| {
        async_graphql::dynamic::FieldFuture::from_value(context.parent_value.as_value().cloned())
    });
    Object::new(format!("{name}_aggregate_fields")).field(count)
}

/// The airport at one end of a flight.
fn end(name: &str, column: &'static str) -> Field {
    field(name, TypeRef::named("airports"), move |flight: &Parent, _| {
        row(Table::airports().find(flight.text(column)))
    })
}

fn listing(field: Field, name: &str) -> Field {
    with_window(field)
        .argument(InputValue::new("where", TypeRef::named(format!("{name}_bool_exp"))))
        .argument(InputValue::new("order_by", TypeRef::named_nn_list(format!("{name}_order_by"))))
}

/// `airports_bool_exp`
fn conditions(table: &'static Table) -> InputObject {
    let own = format!("{}_bool_exp", table.name());
    let relations: &[_] = match table.name() {
        "airports" => &[("flights", "flights_bool_exp")],
        _ => {
            &[("origin_airport", "airports_bool_exp"), ("destination_airport", "airports_bool_exp")]
        }
    };
    let columns = table
        .columns()
        .iter()
        .map(|column| InputValue::new(&column.name, TypeRef::named(comparison_name(column.kind))));
    let relations = relations.iter().map(|(name, ty)| InputValue::new(*name, TypeRef::named(*ty)));
    columns
        .chain(relations)
        .fold(InputObject::new(own.as_str()), InputObject::field)
        .field(InputValue::new("_and", TypeRef::named_nn_list(own.as_str())))
        .field(InputValue::new("_or", TypeRef::named_nn_list(own.as_str())))
        .field(InputValue::new("_not", TypeRef::named(own.as_str())))
}

/// `airports_order_by`
fn order(table: &'static Table) -> InputObject {
    let columns = table.columns().iter();
    columns
        .map(|column| InputValue::new(&column.name, TypeRef::named("order_by")))
        .fold(InputObject::new(format!("{}_order_by", table.name())), InputObject::field)
}

fn comparison_name(kind: Kind) -> String {
    format!("{}_comparison_exp", scalar(kind))
}

/// `String_comparison_exp` and its like.
fn comparison(kind: Kind) -> InputObject {
    let ty = scalar(kind);
    let mut tests = InputObject::new(comparison_name(kind))
        .field(InputValue::new("_is_null", TypeRef::named(TypeRef::BOOLEAN)));
    for name in ["_eq", "_neq", "_gt", "_gte", "_lt", "_lte"] {
        tests = tests.field(InputValue::new(name, TypeRef::named(ty)));
    }
    for name in ["_in", "_nin"] {
        tests = tests.field(InputValue::new(name, TypeRef::named_nn_list(ty)));
    }
    let texts: &[_] = match kind {
        Kind::Text => &["_like", "_nlike", "_ilike", "_nilike"],
        Kind::Float | Kind::Integer => &[],
    };
    let texts = texts.iter().map(|name| InputValue::new(*name, TypeRef::named(ty)));
    texts.fold(tests, InputObject::field)
}

/// The rows that satisfy `where`, in the order of `order_by`.
fn select(
    table: &'static Table,
    rows: impl IntoIterator<Item = &'static Row>,
    call: &Call,
) -> Vec<&'static Row> {
    let condition = call.get("where").and_then(Value::as_object);
    let mut rows: Vec<_> = rows
        .into_iter()
        .filter(|row| condition.is_none_or(|condition| holds(condition, table, row)))
        .collect();
    let order = call.get("order_by").into_iter().flat_map(all_of).flatten();
    let keys: Vec<_> =
        order.filter_map(|(field, way)| Some((field.as_str(), way.as_str()?))).collect();
    rows.sort_by(|a, b| {
        let by_key = keys.iter().map(|(field, way)| {
            let null = Value::Null;
            let ordering = compare(a.get(*field).unwrap_or(&null), b.get(*field).unwrap_or(&null));
            if way.starts_with("desc") { ordering.reverse() } else { ordering }
        });
        by_key.fold(Ordering::Equal, Ordering::then)
    });
    rows
}
