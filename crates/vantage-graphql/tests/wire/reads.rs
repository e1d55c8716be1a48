//! Reading typed tables: what is sent, and what becomes of the answer.

use serde_json::{Value as Json, json};
use vantage_dataset::traits::ReadableValueSet;
use vantage_graphql::{
    CountMode, FilterDialect, GraphqlApi, GraphqlCondition, GraphqlOperation, Supports,
};
use vantage_table::{
    column::core::Column, pagination::Pagination, sorting::OrderBy, table::Table,
    traits::table_source::TableSource,
};
use vantage_types::EmptyEntity;

use crate::support::{Endpoint, shown};

type Airports = Table<GraphqlApi, EmptyEntity>;

fn airports(api: GraphqlApi) -> Airports {
    Table::new("airports", api).with_id_column("code").with_column_of::<String>("name")
}

fn runs(api: GraphqlApi) -> Airports {
    Table::new("runs", api)
        .with_column_of::<i64>("number")
        .with(|table| table.set_id_field("number"))
}

fn paged(endpoint: &Endpoint, dialect: FilterDialect) -> GraphqlApi {
    GraphqlApi::builder(endpoint.url())
        .dialect(dialect)
        .supports(Supports::default().with_paginate(true))
        .build()
}

fn two_airports() -> Json {
    json!({"airports": [{"code": "TXL", "name": "Tegel"}, {"code": "MUC", "name": null}]})
}

#[tokio::test]
async fn lists_the_declared_columns_id_first() {
    let endpoint = Endpoint::with_data(two_airports()).await;
    let table: Airports = Table::new("airports", endpoint.api())
        .with_column_of::<String>("name")
        .with_id_column("code");

    let rows = table.list_values().await.unwrap();

    assert_eq!(endpoint.queries(), ["query { airports { code name } }"]);
    assert_eq!(rows.keys().collect::<Vec<_>>(), ["TXL", "MUC"]);
    assert_eq!(shown(&rows["TXL"]), json!({"code": "TXL", "name": "Tegel"}));
    assert_eq!(rows["TXL"]["name"].type_variant(), None, "values claim no type");
}

#[tokio::test]
async fn sends_conditions_orders_and_pages_only_where_the_server_takes_them() {
    let everything = |api: GraphqlApi| {
        let mut table = airports(api).with_condition(GraphqlCondition::eq("country", "DE"));
        table.add_order(OrderBy::descending(GraphqlCondition::eq("name", Json::Null)));
        table.set_pagination(Some(Pagination::new(3, 10)));
        table
    };
    let endpoint = Endpoint::with_data(json!({"airports": []})).await;
    for (api, query, variables) in [
        (endpoint.api(), "query { airports(find: {country: \"DE\"}) { code name } }", json!({})),
        (
            endpoint.hasura(),
            "query { airports(where: {country: {_eq: \"DE\"}}, order_by: [{name: desc}]) { code name } }",
            json!({}),
        ),
        (
            paged(&endpoint, FilterDialect::Hasura),
            "query ($limit: Int, $offset: Int) { airports(where: {country: {_eq: \"DE\"}}, \
             order_by: [{name: desc}], limit: $limit, offset: $offset) { code name } }",
            json!({"limit": 10, "offset": 20}),
        ),
        (
            GraphqlApi::builder(endpoint.url())
                .supports(Supports::default().with_filter(false).with_paginate(true))
                .build(),
            "query { airports { code name } }",
            json!({}),
        ),
    ] {
        everything(api).list_values().await.unwrap();
        let body = endpoint.bodies().pop().unwrap();
        assert_eq!(body, json!({"query": query, "variables": variables}));
    }
}

#[tokio::test]
async fn positions_count_from_the_start_of_the_set() {
    let endpoint = Endpoint::with_data(json!({"airports": [{"code": null, "name": "a"}]})).await;
    let mut table = airports(paged(&endpoint, FilterDialect::Generic));
    table.set_pagination(Some(Pagination::new(3, 10)));

    let rows = table.list_values().await.unwrap();

    assert_eq!(rows.keys().collect::<Vec<_>>(), ["~row:20"]);
}

#[tokio::test]
async fn reads_aliased_and_nested_columns_by_their_own_names() {
    let endpoint = Endpoint::with_data(json!({"airports": [
        {"code": "TXL", "city_code": "BER", "city": {"name": "Berlin"}},
        {"code": "ZZZ", "city_code": null, "city": null},
    ]}))
    .await;
    let api = endpoint.hasura();
    let table: Airports = Table::new("airports", api)
        .with_id_column("code")
        .with_column(Column::<String>::new("city_code").with_alias("cityCode"))
        .with_column_of::<String>("city.name")
        .with(|table| {
            let condition = table["city_code"].eq("BER");
            table.add_condition(condition);
        });

    let rows = table.list_values().await.unwrap();

    assert_eq!(
        endpoint.queries(),
        ["query { airports(where: {cityCode: {_eq: \"BER\"}}) \
          { code city_code: cityCode city { name } } }"]
    );
    assert_eq!(
        shown(&rows["TXL"]),
        json!({"code": "TXL", "city_code": "BER", "city.name": "Berlin"})
    );
    assert_eq!(shown(&rows["ZZZ"]), json!({"code": "ZZZ", "city_code": null, "city.name": null}));
}

#[tokio::test]
async fn computed_columns_are_not_asked_for() {
    let endpoint = Endpoint::with_data(two_airports()).await;
    let table = airports(endpoint.api()).with_lazy_expression("shout", |row| {
        let name = row["name"].value().as_str().unwrap_or_default().to_uppercase();
        async move { Ok(name.into()) }
    });

    let rows = table.list_values().await.unwrap();

    assert_eq!(endpoint.queries(), ["query { airports { code name } }"]);
    assert_eq!(rows["TXL"]["shout"].value(), "TEGEL");
}

#[tokio::test]
async fn follows_the_response_path() {
    let endpoint = Endpoint::with_data(json!({"airports": {"edges": [
        {"node": {"code": "TXL", "name": "Tegel"}},
        {"node": {"code": "MUC", "name": null}},
    ]}}))
    .await;
    let api = GraphqlApi::builder(endpoint.url()).response_path("edges..node.").build();

    let rows = airports(api).list_values().await.unwrap();

    assert_eq!(endpoint.queries(), ["query { airports { edges { node { code name } } } }"]);
    assert_eq!(rows.len(), 2);
}

#[tokio::test]
async fn a_null_root_is_no_rows_and_other_shapes_are_errors() {
    for (data, message) in [
        (json!({}), Some("GraphQL response missing root field (field: \"airports\")")),
        (json!(null), Some("GraphQL response missing root field (field: \"airports\")")),
        (json!({"airports": null}), None),
        (
            json!({"airports": {"code": "TXL"}}),
            Some(
                "Unexpected response shape — expected array under root field \
                 (root: \"airports\", got: \"object\")",
            ),
        ),
        (json!({"airports": [7]}), Some("Expected JSON object for row (got: \"number\")")),
        (json!({"airports": [{"name": "a"}]}), Some("Row missing id field (field: \"code\")")),
        (
            json!({"airports": [{"code": 7}, {"code": "7"}]}),
            Some("Two rows in the response share an id (id: \"7\")"),
        ),
    ] {
        let endpoint = Endpoint::with_data(data).await;
        let got = airports(endpoint.api()).list_values().await;
        match message {
            Some(message) => assert_eq!(got.unwrap_err().to_string(), message),
            None => assert!(got.unwrap().is_empty()),
        }
    }
}

#[tokio::test]
async fn a_table_without_columns_says_what_to_do() {
    let endpoint = Endpoint::with_data(json!({"airports": [{"id": 7}]})).await;
    let bare = |api| Table::<_, EmptyEntity>::new("airports", api);

    let error = bare(endpoint.api()).list_values().await.unwrap_err();
    assert!(error.message().contains("selection set"), "{error}");
    assert!(error.to_string().contains("declare at least one column"), "{error}");
    assert!(endpoint.bodies().is_empty());

    let api = GraphqlApi::builder(endpoint.url()).select_id_by_default().build();
    let rows = bare(api).list_values().await.unwrap();
    assert_eq!(endpoint.queries(), ["query { airports { id } }"]);
    assert_eq!(rows.keys().collect::<Vec<_>>(), ["7"]);
}

#[tokio::test]
async fn gets_a_row_by_its_id() {
    let endpoint =
        Endpoint::with_data(json!({"airports": [{"code": "TXL", "name": "Tegel"}]})).await;
    let table = airports(endpoint.hasura()).with_condition(GraphqlCondition::eq("open", true));

    let row = table.get_value("TXL").await.unwrap().unwrap();

    assert_eq!(shown(&row), json!({"code": "TXL", "name": "Tegel"}));
    assert_eq!(
        endpoint.queries(),
        ["query { airports(where: {open: {_eq: true}, code: {_eq: \"TXL\"}}) { code name } }"]
    );
}

#[tokio::test]
async fn a_lone_object_is_the_row_and_null_is_none() {
    let lone = Endpoint::with_data(json!({"airports": {"code": "TXL", "name": "Tegel"}})).await;
    assert!(airports(lone.api()).get_value("TXL").await.unwrap().is_some());
    for data in [json!({"airports": null}), json!({"airports": []})] {
        let none = Endpoint::with_data(data).await;
        assert!(airports(none.api()).get_value("TXL").await.unwrap().is_none());
    }
}

#[tokio::test]
async fn never_passes_another_row_for_the_one_that_was_asked_for() {
    // The server ignores the filter and answers with everything, or its first row.
    let all = Endpoint::with_data(two_airports()).await;
    let muc = airports(all.api()).get_value("MUC").await.unwrap().unwrap();
    assert_eq!(muc["code"].value(), "MUC");
    assert!(airports(all.api()).get_value("BER").await.unwrap().is_none());

    let first = Endpoint::with_data(json!({"airports": {"code": "TXL", "name": "Tegel"}})).await;
    assert!(airports(first.api()).get_value("MUC").await.unwrap().is_none());
}

#[tokio::test]
async fn asks_for_one_row_where_the_server_pages_and_drops_the_offset() {
    let endpoint = Endpoint::with_data(json!({"airports": [{"code": "TXL", "name": ""}]})).await;
    let mut table = airports(paged(&endpoint, FilterDialect::Generic));
    table.set_pagination(Some(Pagination::new(3, 10)));

    table.get_value("TXL").await.unwrap().unwrap();

    assert_eq!(
        endpoint.bodies(),
        [json!({
            "query": "query ($limit: Int) { airports(find: {code: \"TXL\"}, limit: $limit) { code name } }",
            "variables": {"limit": 1},
        })]
    );
}

#[tokio::test]
async fn an_integer_id_is_sent_as_one_or_refused_before_anything_is_sent() {
    let endpoint = Endpoint::with_data(json!({"runs": [{"number": 7}]})).await;

    assert!(runs(endpoint.api()).get_value("7").await.unwrap().is_some());
    assert!(runs(endpoint.api()).get_value("07").await.unwrap().is_some());
    assert_eq!(endpoint.queries()[0], "query { runs(find: {number: 7}) { number } }");

    let error = runs(endpoint.api()).get_value("seven").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "Id is not an integer for an integer id column (id: \"seven\", column: \"number\")"
    );
    assert_eq!(endpoint.bodies().len(), 2);
}

#[tokio::test]
async fn a_nested_id_is_picked_from_the_listing() {
    let endpoint = Endpoint::with_data(json!({"runs": [
        {"run": {"id": 6}, "kind": "x"}, {"run": {"id": 7}, "kind": "x"},
    ]}))
    .await;
    let mut table: Airports = Table::new("runs", endpoint.hasura())
        .with_column_of::<i64>("run.id")
        .with_column_of::<String>("kind")
        .with_condition(GraphqlCondition::eq("kind", "x"));
    table.set_id_field("run.id");

    let row = table.get_value("7").await.unwrap().unwrap();

    assert_eq!(row["run.id"].value(), 7);
    assert_eq!(
        endpoint.queries(),
        ["query { runs(where: {kind: {_eq: \"x\"}}) { run { id } kind } }"]
    );
}

#[tokio::test]
async fn an_id_that_narrows_the_table_may_be_asked_for_again() {
    let endpoint = Endpoint::with_data(json!({"runs": [{"number": 2}]})).await;
    let narrowed = || runs(endpoint.api()).with_id("2").unwrap();

    assert!(narrowed().get_value("2").await.unwrap().is_some());
    assert_eq!(endpoint.queries(), ["query { runs(find: {number: 2}) { number } }"]);

    assert!(narrowed().get_value("3").await.unwrap().is_none(), "the set has only row 2");
    assert_eq!(endpoint.bodies().len(), 1, "which needs no request");
}

#[tokio::test]
async fn takes_the_first_listed_row() {
    let endpoint = Endpoint::with_data(two_airports()).await;
    let (id, _) = airports(endpoint.api()).get_some_value().await.unwrap().unwrap();
    assert_eq!(id, "TXL");
}

#[tokio::test]
async fn counts_by_listing_the_whole_set_whatever_page_is_set() {
    let endpoint = Endpoint::with_data(two_airports()).await;
    let mut table = airports(paged(&endpoint, FilterDialect::Hasura));
    table.set_pagination(Some(Pagination::new(1, 1)));

    assert_eq!(table.get_count().await.unwrap(), 2);
    assert_eq!(endpoint.queries(), ["query { airports { code name } }"]);
}

#[tokio::test]
async fn counts_on_the_server_where_it_can() {
    let endpoint =
        Endpoint::with_data(json!({"airports_aggregate": {"aggregate": {"count": 42}}})).await;
    let aggregate = Supports::default().with_count(CountMode::Aggregate);
    let api = GraphqlApi::builder(endpoint.url())
        .dialect(FilterDialect::Hasura)
        .root_args(json!({"live": true}))
        .supports(aggregate)
        .build();
    let mut table = airports(api).with_condition(GraphqlCondition::eq("country", "DE"));
    table.add_order(OrderBy::ascending(GraphqlCondition::eq("name", Json::Null)));

    assert_eq!(table.get_count().await.unwrap(), 42);
    assert_eq!(
        endpoint.queries(),
        ["query { airports_aggregate(live: true, where: {country: {_eq: \"DE\"}}) \
          { aggregate { count } } }"]
    );

    let generic = Endpoint::with_data(two_airports()).await;
    let api = GraphqlApi::builder(generic.url()).supports(aggregate).build();
    assert_eq!(airports(api).get_count().await.unwrap(), 2, "no aggregate in this dialect");
}

#[tokio::test]
async fn a_refused_or_misshapen_aggregate_is_an_error() {
    let counting = |endpoint: &Endpoint| {
        GraphqlApi::builder(endpoint.url())
            .dialect(FilterDialect::Hasura)
            .count_field("howMany")
            .supports(Supports::default().with_count(CountMode::Aggregate))
            .build()
    };
    let refusing = Endpoint::new(|_| json!({"errors": [{"message": "no field howMany"}]})).await;
    let error = airports(counting(&refusing)).get_count().await.unwrap_err();
    assert!(error.message().starts_with("GraphQL server rejected the aggregate count; "));
    assert!(error.message().contains("`count: list`"));
    assert_eq!(error.context["field"], "\"howMany\"");
    assert_eq!(error.context["errors"], "\"no field howMany\"");
    assert_eq!(refusing.bodies().len(), 1, "no fallback");

    let misshapen = Endpoint::with_data(json!({"howMany": {"aggregate": {"count": "x"}}})).await;
    let error = airports(counting(&misshapen)).get_count().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "GraphQL aggregate response missing aggregate.count (field: \"howMany\", got: \"string\")"
    );
}

#[tokio::test]
async fn writes_and_column_aggregates_are_refused_and_nothing_is_sent() {
    let endpoint = Endpoint::with_data(json!({})).await;
    let api = endpoint.api();
    let table = airports(api.clone());
    let record = vantage_types::Record::new();
    let id = "TXL".to_owned();
    let column = &table["name"];
    let refusals = [
        api.get_table_sum(&table, column).await.map(drop),
        api.get_table_min(&table, column).await.map(drop),
        api.get_table_max(&table, column).await.map(drop),
        api.insert_table_value(&table, &id, &record).await.map(drop),
        api.replace_table_value(&table, &id, &record).await.map(drop),
        api.patch_table_value(&table, &id, &record).await.map(drop),
        api.delete_table_value(&table, &id).await,
        api.delete_table_all_values(&table).await,
        api.insert_table_return_id_value(&table, &record).await.map(drop),
    ];
    let methods = [
        "get_table_sum",
        "get_table_min",
        "get_table_max",
        "insert_table_value",
        "replace_table_value",
        "patch_table_value",
        "delete_table_value",
        "delete_table_all_values",
        "insert_table_return_id_value",
    ];
    for (refusal, method) in refusals.into_iter().zip(methods) {
        let error = refusal.unwrap_err();
        assert!(error.is_unsupported());
        assert_eq!(
            error.to_string(),
            format!("GraphQL data source supports reads and count only (method: {method:?})")
        );
    }
    assert!(endpoint.bodies().is_empty());
}
