//! The demo API is read whole, filtered, ordered, paged, counted and traversed.

use std::num::NonZeroU32;

use demo_api::{Config, DemoServer};
use serde_json::{Value as Json, json};
use vantage_dataset::traits::ReadableValueSet;
use vantage_expressions::SelectableDataSource;
use vantage_graphql::{
    ConnectionArgs, CountMode, FilterDialect, GraphqlApi, GraphqlApiBuilder, GraphqlErrors,
    GraphqlOperation, GraphqlSelect, OrderStyle, Supports,
};
use vantage_table::{
    pagination::Pagination, prelude::OrderByExt as _, table::Table,
    traits::table_source::TableSource,
};
use vantage_types::EmptyEntity;

pub(crate) type AnyTable = Table<GraphqlApi, EmptyEntity>;

pub(crate) fn server() -> DemoServer {
    DemoServer::start(Config::new()).expect("a free port")
}

pub(crate) fn flat(server: &DemoServer) -> GraphqlApiBuilder {
    GraphqlApi::builder(format!("{}/graphql", server.url()))
        .supports(Supports::default().with_paginate(true))
}

pub(crate) fn hasura(server: &DemoServer) -> GraphqlApiBuilder {
    GraphqlApi::builder(format!("{}/hasura/graphql", server.url()))
        .dialect(FilterDialect::Hasura)
        .supports(Supports::default().with_paginate(true).with_count(CountMode::Aggregate))
}

pub(crate) fn relay(server: &DemoServer) -> GraphqlApiBuilder {
    GraphqlApi::builder(format!("{}/graphql", server.url()))
        .connection(ConnectionArgs::default())
        .page_size(NonZeroU32::new(500).expect("not zero"))
}

pub(crate) fn airports(api: GraphqlApi) -> AnyTable {
    Table::new("airports", api)
        .with_id_column("iata")
        .with_column_of::<String>("name")
        .with_column_of::<String>("city")
        .with_column_of::<String>("state")
        .with_column_of::<f64>("latitude")
        .with_many("departures", "origin", flights)
}

pub(crate) fn flights(api: GraphqlApi) -> AnyTable {
    let mut table: AnyTable = Table::new("flights", api)
        .with_column_of::<i64>("id")
        .with_column_of::<String>("date")
        .with_column_of::<i64>("delay")
        .with_column_of::<i64>("distance")
        .with_column_of::<String>("origin")
        .with_column_of::<String>("destination")
        .with_one("from", "origin", airports_alone);
    table.set_id_field("id");
    table
}

fn airports_alone(api: GraphqlApi) -> AnyTable {
    Table::new("airports", api).with_id_column("iata").with_column_of::<String>("name")
}

/// The flights of the data set that `keep` keeps.
fn count_flights(keep: impl Fn(&demo_api::Row) -> bool) -> usize {
    demo_api::flights().iter().filter(|row| keep(row)).count()
}

fn number(row: &demo_api::Row, column: &str) -> i64 {
    row.get(column).and_then(Json::as_i64).expect("a number")
}

#[tokio::test]
async fn every_spelling_reads_the_whole_set() {
    let server = server();
    for (api, rename) in [
        (flat(&server).build(), "airports"),
        (hasura(&server).build(), "airports"),
        (relay(&server).build(), "airportsConnection"),
    ] {
        let mut table = airports(api);
        table.set_table_name(rename);
        let rows = table.list_values().await.unwrap();
        assert_eq!(rows.len(), demo_api::airports().len(), "{rename}");
        for (sent, (id, row)) in demo_api::airports().iter().zip(&rows) {
            assert_eq!(sent.get("iata").and_then(Json::as_str), Some(id.as_str()));
            assert_eq!(sent.get("latitude"), Some(row["latitude"].value()));
        }
        assert_eq!(table.get_count().await.unwrap(), 3376);
        let ord = table.get_value("ORD").await.unwrap().unwrap();
        assert_eq!(ord["city"].value(), "Chicago");
        assert!(table.get_value("???").await.unwrap().is_none());
    }
}

#[tokio::test]
async fn a_connection_of_3376_rows_costs_seven_requests() {
    let server = server();
    let mut table = airports(relay(&server).build());
    table.set_table_name("airportsConnection");
    table.list_values().await.unwrap();
    assert_eq!(server.stats().requests(), 7);
}

#[tokio::test]
async fn flat_filters_narrow_on_the_server() {
    let server = server();
    let texas = airports(flat(&server).build());
    let texas = texas.clone().with_condition(texas["state"].eq("TX"));
    let rows = texas.list_values().await.unwrap();
    assert_eq!(rows.len(), 209);
    assert!(rows.values().all(|row| row["state"].value() == "TX"));

    let austin = texas.clone().with_condition(texas["city"].eq("Austin"));
    assert!(austin.get_value("AUS").await.unwrap().is_some());
    assert!(austin.get_value("DFW").await.unwrap().is_none(), "in Texas, but not in Austin");
    assert!(texas.with_id("AUS").unwrap().get_value("AUS").await.unwrap().is_some());
}

#[tokio::test]
async fn every_hasura_operator_agrees_with_the_data() {
    let server = server();
    let table = flights(hasura(&server).build());
    let text = |row: &demo_api::Row, column: &str| {
        row.get(column).and_then(Json::as_str).unwrap_or_default().to_owned()
    };
    let far = |row: &demo_api::Row| number(row, "distance");
    for (condition, expected) in [
        (table["origin"].eq("LAX"), count_flights(|row| text(row, "origin") == "LAX")),
        (table["origin"].ne("LAX"), count_flights(|row| text(row, "origin") != "LAX")),
        (table["distance"].gt(1797), count_flights(|row| far(row) > 1797)),
        (table["distance"].gte(1797), count_flights(|row| far(row) >= 1797)),
        (table["distance"].lt(1797), count_flights(|row| far(row) < 1797)),
        (table["distance"].lte(1797), count_flights(|row| far(row) <= 1797)),
        (
            table["origin"].in_(["LAX", "SJC"]),
            count_flights(|row| ["LAX", "SJC"].contains(&text(row, "origin").as_str())),
        ),
        (
            table["origin"].not_in(["LAX", "SJC"]),
            count_flights(|row| !["LAX", "SJC"].contains(&text(row, "origin").as_str())),
        ),
        (
            table["date"].like("2001/01/%"),
            count_flights(|row| text(row, "date").starts_with("2001/01/")),
        ),
        (table["origin"].ilike("l%"), count_flights(|row| text(row, "origin").starts_with('L'))),
        (table["origin"].is_null(), 0),
        (table["origin"].is_not_null(), 2000),
    ] {
        let narrowed = table.clone().with_condition(condition.clone());
        let rows = narrowed.list_values().await.unwrap();
        assert_eq!(rows.len(), expected, "{condition:?}");
        let counted = narrowed.get_count().await.unwrap();
        assert_eq!(usize::try_from(counted).unwrap(), expected, "{condition:?}");
    }
}

#[tokio::test]
async fn orders_and_pages_fit_together() {
    let server = server();
    let api = hasura(&server).order_style(OrderStyle::Separate).build();
    let mut table = flights(api);
    for column in ["distance", "id"] {
        let order = table[column].descending();
        table.add_order(order);
    }
    let whole = table.list_values().await.unwrap();
    let sorted: Vec<i64> =
        whole.values().map(|row| row["distance"].value().as_i64().expect("a number")).collect();
    assert!(sorted.is_sorted_by(|a, b| a >= b));

    let mut paged = Vec::new();
    for page in 1..=4 {
        table.set_pagination(Some(Pagination::new(page, 600)));
        paged.extend(table.list_values().await.unwrap().into_keys());
    }
    assert_eq!(paged, whole.into_keys().collect::<Vec<_>>());
    assert_eq!(table.get_count().await.unwrap(), 2000, "whatever page is set");
}

#[tokio::test]
async fn searches_find_text_as_it_is() {
    let server = server();
    let found =
        airports(hasura(&server).build()).with_search("o'hare").list_values().await.unwrap();
    assert_eq!(found.keys().collect::<Vec<_>>(), ["ORD"]);
    let none = airports(hasura(&server).build()).with_search("100%").list_values().await.unwrap();
    assert!(none.is_empty(), "`%` is text, not a wildcard");
}

#[tokio::test]
async fn relations_lead_from_many_parents_to_all_their_rows() {
    let server = server();
    let parents = ["LAX", "SJC"];
    let expected = count_flights(|row| {
        row.get("origin").and_then(Json::as_str).is_some_and(|origin| parents.contains(&origin))
    });
    let table = airports(hasura(&server).build());
    let two = table.clone().with_condition(table["iata"].in_(parents));
    let departures = two.get_ref_as::<EmptyEntity>("departures").unwrap();
    assert_eq!(departures.list_values().await.unwrap().len(), expected);

    let back = departures.get_ref_as::<EmptyEntity>("from").unwrap();
    let mut origins: Vec<_> = back.list_values().await.unwrap().into_keys().collect();
    origins.sort();
    assert_eq!(origins, parents);

    let one = airports(flat(&server).build()).with_id("LAX").unwrap();
    let departures = one.get_ref_as::<EmptyEntity>("departures").unwrap();
    let lax = count_flights(|row| row.get("origin").and_then(Json::as_str) == Some("LAX"));
    assert_eq!(departures.list_values().await.unwrap().len(), lax);
}

#[tokio::test]
async fn related_objects_nest_in_one_document() {
    let server = server();
    let api = hasura(&server).build();
    let long = GraphqlSelect::new()
        .with_dialect(FilterDialect::Hasura)
        .with_field("id")
        .with_field("destination_airport.city")
        .with_condition(vantage_graphql::GraphqlCondition::eq("distance", 1797))
        .with_limit(Some(1), None);
    let select = api
        .select()
        .with_root_field("airports")
        .with_field("city")
        .with_condition(vantage_graphql::GraphqlCondition::eq("iata", "LAX"))
        .with_sub_selection("flights", long);

    let rows = api.execute_select(&select).await.unwrap();

    assert_eq!(
        rows[0].value(),
        &json!({
            "city": "Los Angeles",
            "flights": [{"id": 1, "destination_airport": {"city": "Nashville"}}],
        })
    );
    assert_eq!(server.stats().requests(), 1);
}

#[tokio::test]
async fn filters_as_variables_give_the_same_answers() {
    let server = server();
    let inline = airports(hasura(&server).build());
    let variable = airports(hasura(&server).filter_variables().named_operations().build());
    let flat = airports(flat(&server).filter_type("AirportFilter").build());
    let texan = |table: AnyTable| {
        let texas = table["state"].eq("TX");
        table.with_condition(texas)
    };
    let expected = texan(inline).list_values().await.unwrap();
    assert_eq!(texan(variable.clone()).list_values().await.unwrap(), expected);
    assert_eq!(texan(variable).get_count().await.unwrap(), 209);
    assert_eq!(texan(flat).list_values().await.unwrap(), expected);
}

#[tokio::test]
async fn a_server_that_filters_nothing_is_filtered_here() {
    let server = server();
    let api = flat(&server).supports(Supports::default().with_filter(false)).build();
    let table = flights(api);
    let late = table.clone().with_condition(table["delay"].gt(60));
    let expected = count_flights(|row| number(row, "delay") > 60);
    assert_eq!(late.list_values().await.unwrap().len(), expected);
    let shown = late.data_source().describe_condition(late.conditions().next().unwrap());
    assert_eq!(shown, "delay > 60");
}

#[tokio::test]
async fn what_a_real_server_refuses_is_told_in_its_words() {
    let server = server();
    let table: AnyTable = Table::new("airports", flat(&server).build())
        .with_id_column("iata")
        .with_column_of::<String>("nam");
    let error = table.list_values().await.unwrap_err();
    let reported = GraphqlErrors::of(&error).unwrap();
    assert!(reported.errors()[0].message().contains("nam"), "{error}");
    assert!(reported.errors()[0].locations().is_some());

    let broken: AnyTable = Table::new("airports", flat(&server).build())
        .with_id_column("iata")
        .with_column_of::<String>("broken")
        .with(|table| table.set_pagination(Some(Pagination::new(1, 2))));
    let error = broken.list_values().await.unwrap_err();
    let reported = GraphqlErrors::of(&error).unwrap();
    assert!(reported.has_code("BROKEN"));
    assert_eq!(reported.data()["airports"][1]["iata"], "00R", "the rest is still there");
}
