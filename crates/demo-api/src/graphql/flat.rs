//! The spelling of plain servers: `airports(state: "TX", limit: 10)` or `airports(find: {…})`.

use async_graphql::dynamic::{
    Field, InputObject, InputValue, Object, Schema, SchemaBuilder, SchemaError, TypeRef,
};
use serde_json::Value;

use super::{
    fields::{self, Call, Parent, field, root_field, row, rows, scalar, with_window},
    predicate::equal,
    relay,
};
use crate::{
    data::{Row, Table, departures, text_of},
    query::Query,
};

pub(super) fn schema() -> Result<Schema, SchemaError> {
    let airport = fields::object("Airport", Table::airports()).field(listing(
        field("flights", TypeRef::named_nn_list_nn("Flight"), |airport: &Parent, call| {
            rows(call.window(select(departures(airport.text("iata")).iter().copied(), call))?)
        }),
        Table::flights(),
        "FlightFilter",
    ));
    let flight = fields::object("Flight", Table::flights())
        .field(end("originAirport", "origin"))
        .field(end("destinationAirport", "destination"));
    let mut query = Object::new("Query");
    let mut schema = Schema::build("Query", None, None);
    for (one, many, table) in
        [("Airport", "airports", Table::airports()), ("Flight", "flights", Table::flights())]
    {
        let filter = format!("{one}Filter");
        query = query
            .field(single(one, table))
            .field(listing(
                root_field(many, TypeRef::named_nn_list_nn(one), move |call| {
                    rows(call.window(select(table.rows(), call))?)
                }),
                table,
                &filter,
            ))
            .field(filters(relay::connection(one, many, table), table, &filter));
        schema = relay::register(schema, one).register(filter_object(&filter, table));
    }
    let objects = [query, airport, flight, relay::page_info()];
    objects.into_iter().fold(schema, SchemaBuilder::register).finish()
}

/// `airport(iata: "ORD")`
fn single(one: &str, table: &'static Table) -> Field {
    let key = table.columns().iter().find(|column| column.name == table.key());
    let ty = key.map_or(TypeRef::ID, |column| scalar(column.kind));
    root_field(one.to_lowercase(), TypeRef::named(one), move |call| {
        row(call.get(table.key()).and_then(|key| table.find(&text_of(key))))
    })
    .argument(InputValue::new(table.key(), TypeRef::named_nn(ty)))
}

/// The airport at one end of a flight.
fn end(name: &str, column: &'static str) -> Field {
    field(name, TypeRef::named("Airport"), move |flight: &Parent, _| {
        row(Table::airports().find(flight.text(column)))
    })
}

fn listing(field: Field, table: &'static Table, filter: &str) -> Field {
    with_window(filters(field, table, filter))
}

/// One argument per column, all of them again in `find`, and `sort`.
fn filters(field: Field, table: &'static Table, filter: &str) -> Field {
    let columns = table.columns().iter();
    columns
        .map(|column| InputValue::new(&column.name, TypeRef::named(scalar(column.kind))))
        .fold(field, Field::argument)
        .argument(InputValue::new("find", TypeRef::named(filter)))
        .argument(InputValue::new("sort", TypeRef::named(TypeRef::STRING)))
}

fn filter_object(name: &str, table: &'static Table) -> InputObject {
    let columns = table.columns().iter();
    columns
        .map(|column| InputValue::new(&column.name, TypeRef::named(scalar(column.kind))))
        .fold(InputObject::new(name), InputObject::field)
}

/// The rows that the arguments ask for, in the order of `sort`.
pub(super) fn select(
    rows: impl IntoIterator<Item = &'static Row>,
    call: &Call,
) -> Vec<&'static Row> {
    let find = call.get("find").and_then(Value::as_object);
    let mut rows: Vec<_> = rows
        .into_iter()
        .filter(|row| {
            let mut asked = call.args.iter().chain(find.into_iter().flatten());
            asked.all(|(name, operand)| row.get(name).is_none_or(|value| equal(value, operand)))
        })
        .collect();
    if let Some(sort) = call.get("sort").and_then(Value::as_str) {
        Query::ordered_by(sort).sort(&mut rows);
    }
    rows
}
