//! From the rows of one table to the related rows of another.

use serde_json::json;
use vantage_dataset::traits::ReadableValueSet;
use vantage_graphql::{FilterDialect, GraphqlApi, GraphqlCondition, GraphqlOperation, Supports};
use vantage_table::{table::Table, traits::table_source::TableSource};
use vantage_types::EmptyEntity;

use crate::support::Endpoint;

type AnyTable = Table<GraphqlApi, EmptyEntity>;

fn airports(api: GraphqlApi) -> AnyTable {
    Table::new("airports", api)
        .with_id_column("code")
        .with_column_of::<String>("country")
        .with_many("departures", "origin", flights)
}

fn flights(api: GraphqlApi) -> AnyTable {
    Table::new("flights", api).with_id_column("id").with_column_of::<String>("origin")
}

/// German airports, and no flights.
async fn endpoint() -> Endpoint {
    Endpoint::new(|body| {
        let query = body["query"].as_str().unwrap_or_default();
        let data = if query.contains("airports") {
            json!({"airports": [
                {"code": "TXL", "country": "DE"},
                {"code": "MUC", "country": "DE"},
                {"code": "MUC2", "country": null},
            ]})
        } else {
            json!({"flights": []})
        };
        json!({"data": data})
    })
    .await
}

#[tokio::test]
async fn a_known_parent_value_is_passed_on_without_a_request() {
    let endpoint = endpoint().await;
    let tegel = airports(endpoint.api()).with_id("TXL").unwrap();
    let departures = tegel.get_ref_as::<EmptyEntity>("departures").unwrap();

    departures.list_values().await.unwrap();

    assert_eq!(endpoint.queries(), ["query { flights(find: {origin: \"TXL\"}) { id origin } }"]);
}

#[tokio::test]
async fn a_row_in_hand_narrows_by_its_value() {
    let endpoint = endpoint().await;
    let all = airports(endpoint.hasura());
    let row = all.list_values().await.unwrap().swap_remove("MUC").unwrap();
    let departures = all.get_ref_from_row::<EmptyEntity>("departures", &row).unwrap();

    departures.list_values().await.unwrap();

    assert_eq!(
        endpoint.queries()[1],
        "query { flights(where: {origin: {_eq: \"MUC\"}}) { id origin } }"
    );
}

#[tokio::test]
async fn every_parent_counts_where_membership_can_be_expressed() {
    let endpoint = endpoint().await;
    let german = airports(endpoint.hasura());
    let german = german.clone().with_condition(german["country"].eq("DE"));
    let departures = german.get_ref_as::<EmptyEntity>("departures").unwrap();
    assert!(endpoint.bodies().is_empty(), "parents are listed when the read is sent");
    let shown =
        departures.data_source().describe_condition(departures.conditions().next().unwrap());
    assert_eq!(shown, "origin = <deferred>");

    departures.list_values().await.unwrap();

    assert_eq!(
        endpoint.queries(),
        [
            "query { airports(where: {country: {_eq: \"DE\"}}) { code country } }",
            "query { flights(where: {origin: {_in: [\"TXL\", \"MUC\", \"MUC2\"]}}) { id origin } }",
        ]
    );
}

#[tokio::test]
async fn equal_values_count_once_and_nulls_not_at_all() {
    let endpoint = endpoint().await;
    let api = endpoint.hasura();
    let parents = airports(api.clone());
    let condition = api.related_in_condition("country", &parents, "country");
    let countries: AnyTable =
        Table::new("flights", api).with_id_column("id").with_condition(condition);

    countries.list_values().await.unwrap();

    assert_eq!(endpoint.queries()[1], "query { flights(where: {country: {_eq: \"DE\"}}) { id } }");
}

#[tokio::test]
async fn a_flat_filter_takes_the_first_parent() {
    let endpoint = endpoint().await;
    let departures = airports(endpoint.api()).get_ref_as::<EmptyEntity>("departures").unwrap();

    departures.list_values().await.unwrap();

    assert_eq!(endpoint.queries()[1], "query { flights(find: {origin: \"TXL\"}) { id origin } }");
}

#[tokio::test]
async fn fetched_rows_are_joined_with_every_parent() {
    let endpoint = Endpoint::new(|body| {
        let query = body["query"].as_str().unwrap_or_default();
        json!({"data": if query.contains("airports") {
            json!({"airports": [{"code": "TXL", "country": "DE"}, {"code": "MUC", "country": "DE"}]})
        } else {
            json!({"flights": [
                {"id": 1, "origin": "TXL"}, {"id": 2, "origin": "JFK"}, {"id": 3, "origin": "MUC"},
            ]})
        }})
    })
    .await;
    let api = GraphqlApi::builder(endpoint.url())
        .supports(Supports::default().with_filter(false))
        .build();
    let departures = airports(api).get_ref_as::<EmptyEntity>("departures").unwrap();

    let rows = departures.list_values().await.unwrap();

    assert_eq!(rows.keys().collect::<Vec<_>>(), ["1", "3"]);
}

#[tokio::test]
async fn a_parent_without_rows_or_column_is_an_error() {
    let empty = Endpoint::with_data(json!({"airports": []})).await;
    for dialect in [FilterDialect::Generic, FilterDialect::Hasura] {
        let api = GraphqlApi::builder(empty.url()).dialect(dialect).build();
        let departures = airports(api).get_ref_as::<EmptyEntity>("departures").unwrap();
        let error = departures.list_values().await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "Deferred FK resolve: parent yielded no row or column missing \
             (table: \"airports\", column: \"code\")"
        );
    }
    let endpoint = endpoint().await;
    let api = endpoint.hasura();
    let condition = api.related_in_condition("x", &airports(api.clone()), "no_such_column");
    let error = flights(api).with_condition(condition).list_values().await.unwrap_err();
    assert_eq!(error.context["column"], "\"no_such_column\"");
}

#[test]
fn a_deferred_join_is_marked_in_a_preview() {
    let api = GraphqlApi::builder("http://localhost").dialect(FilterDialect::Hasura).build();
    let departures = airports(api).get_ref_as::<EmptyEntity>("departures").unwrap();
    let preview = GraphqlCondition::And(departures.conditions().cloned().collect())
        .render_preview(FilterDialect::Hasura)
        .unwrap();
    assert_eq!(preview, json!({"_and": ["**deferred(origin Eq)"]}));
}
