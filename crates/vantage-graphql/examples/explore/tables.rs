//! The tables, described once.

use demo_api::DemoServer;
use vantage_graphql::{CountMode, FilterDialect, GraphqlApi, Supports};
use vantage_table::table::Table;
use vantage_types::EmptyEntity;

/// A table of the demo API, its rows as records.
pub(crate) type AnyTable = Table<GraphqlApi, EmptyEntity>;

/// The demo API in Hasura's spelling, which pages and counts on the server.
pub(crate) fn api(server: &DemoServer) -> GraphqlApi {
    GraphqlApi::builder(format!("{}/hasura/graphql", server.url()))
        .dialect(FilterDialect::Hasura)
        .supports(Supports::default().with_paginate(true).with_count(CountMode::Aggregate))
        .build()
}

pub(crate) fn airports(api: GraphqlApi) -> AnyTable {
    Table::new("airports", api)
        .with_id_column("iata")
        .with_column_of::<String>("name")
        .with_column_of::<String>("city")
        .with_column_of::<String>("state")
        .with_many("departures", "origin", flights)
}

pub(crate) fn flights(api: GraphqlApi) -> AnyTable {
    let mut flights: AnyTable = Table::new("flights", api)
        .with_column_of::<i64>("id")
        .with_column_of::<i64>("delay")
        .with_column_of::<String>("origin")
        .with_column_of::<String>("destination")
        // A column of the related airport, in the same document.
        .with_column_of::<String>("destination_airport.city");
    flights.set_id_field("id");
    flights
}
