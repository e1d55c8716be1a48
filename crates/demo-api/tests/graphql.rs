//! Both spellings answer what the files hold, and what they cannot answer is an error in a 200.

mod support;

use demo_api::{Config, DemoServer, ExpiredCursor, Lifetime, TokenRules, airports, flights};
use serde_json::{Value, json};
use support::{read, serve};

/// The status and JSON body of a document's execution.
async fn post(server: &DemoServer, path: &str, query: &str, variables: Value) -> (u16, Value) {
    let request = reqwest::Client::new()
        .post(format!("{}{path}", server.url()))
        .json(&json!({ "query": query, "variables": variables }));
    read(request).await
}

/// The `data` of a document that has no errors.
async fn flat(server: &DemoServer, query: &str, variables: Value) -> Value {
    data(post(server, "/graphql", query, variables).await)
}

/// The `data` of a document that has no errors.
async fn hasura(server: &DemoServer, query: &str, variables: Value) -> Value {
    data(post(server, "/hasura/graphql", query, variables).await)
}

fn data((status, mut body): (u16, Value)) -> Value {
    assert_eq!(status, 200, "{body}");
    assert_eq!(body.get("errors"), None, "{body}");
    body["data"].take()
}

/// The values of one column of the rows of a file that satisfy a condition.
fn column(
    name: &str,
    rows: &[demo_api::Row],
    wanted: impl Fn(&demo_api::Row) -> bool,
) -> Vec<Value> {
    rows.iter().filter(|row| wanted(row)).map(|row| row[name].clone()).collect()
}

fn pluck(rows: &Value, name: &str) -> Vec<Value> {
    rows.as_array().expect("rows").iter().map(|row| row[name].clone()).collect()
}

#[tokio::test]
async fn a_flat_filter_is_spelled_as_arguments_or_as_one() {
    let server = serve(Config::new());
    let texas = column("iata", airports(), |row| row["state"] == "TX");
    for query in [
        r#"query { airports(state: "TX") { iata } }"#,
        r#"query { airports(find: {state: "TX"}) { iata } }"#,
        r#"query { airports(state: "TX", find: {country: "USA"}) { iata } }"#,
    ] {
        let data = flat(&server, query, json!({})).await;
        assert_eq!(pluck(&data["airports"], "iata"), texas, "{query}");
    }
}

#[tokio::test]
async fn windows_are_variables() {
    let server = serve(Config::new());
    let query = r#"query ($limit: Int, $offset: Int) { airports(find: {state: "TX"}, limit: $limit, offset: $offset) { iata } }"#;
    let data = flat(&server, query, json!({"limit": 3, "offset": 2})).await;
    let texas = column("iata", airports(), |row| row["state"] == "TX");
    assert_eq!(pluck(&data["airports"], "iata"), texas[2..5]);

    let query =
        "query ($limit: Int, $offset: Int) { flights(limit: $limit, offset: $offset) { id } }";
    let data = hasura(&server, query, json!({"limit": 2, "offset": 1999})).await;
    assert_eq!(data, json!({"flights": [{"id": 2_000}]}));
}

#[tokio::test]
async fn values_keep_their_types() {
    let server = serve(Config::new());
    let query = "{ flight(id: 1) { id date delay distance origin destination originAirport { latitude city } } }";
    let data = flat(&server, query, json!({})).await;
    let mut expected = flights()[0].clone();
    let origin = airports().iter().find(|row| row["iata"] == expected["origin"]).unwrap();
    expected.insert(
        "originAirport".into(),
        json!({"latitude": origin["latitude"], "city": origin["city"]}),
    );
    assert_eq!(data, json!({ "flight": expected }));
}

#[tokio::test]
async fn nested_rows_have_filters_of_their_own() {
    let server = serve(Config::new());
    let from_ord = |to: &str| {
        let to = to.to_owned();
        column("id", flights(), move |row| row["origin"] == "ORD" && row["destination"] == *to)
    };
    let query = r#"{ airport(iata: "ORD") { flights(find: {destination: "LAX"}) { id } } }"#;
    let data = flat(&server, query, json!({})).await;
    assert!(!from_ord("LAX").is_empty());
    assert_eq!(pluck(&data["airport"]["flights"], "id"), from_ord("LAX"));

    let query =
        r#"{ airports_by_pk(iata: "ORD") { flights(where: {destination: {_eq: "LAX"}}) { id } } }"#;
    let data = hasura(&server, query, json!({})).await;
    assert_eq!(pluck(&data["airports_by_pk"]["flights"], "id"), from_ord("LAX"));
}

#[tokio::test]
async fn hasura_filters_orders_and_counts() {
    let server = serve(Config::new());
    let query = r#"query ($limit: Int) {
        flights(where: {_and: [{distance: {_gte: 1000}}, {distance: {_lt: 1100}}], _not: {origin: {_in: ["ORD", "LAX"]}}},
                order_by: [{distance: desc, id: asc}], limit: $limit) { id distance }
        flights_aggregate(where: {distance: {_gte: 1000, _lt: 1100}}) { aggregate { count } }
    }"#;
    let data = hasura(&server, query, json!({"limit": 5})).await;
    let near = |row: &demo_api::Row| (1_000..1_100).contains(&row["distance"].as_i64().unwrap());
    let mut expected: Vec<_> = flights()
        .iter()
        .filter(|row| near(row) && row["origin"] != "ORD" && row["origin"] != "LAX")
        .map(|row| (-row["distance"].as_i64().unwrap(), row["id"].as_i64().unwrap()))
        .collect();
    expected.sort_unstable();
    let expected: Vec<_> =
        expected[..5].iter().map(|(down, id)| json!({"id": id, "distance": -down})).collect();
    assert_eq!(data["flights"], json!(expected));
    let count = flights().iter().filter(|row| near(row)).count();
    assert_eq!(data["flights_aggregate"]["aggregate"]["count"], count);
}

#[tokio::test]
async fn hasura_searches_by_pattern_in_either_case() {
    let server = serve(Config::new());
    let query = r#"{ airports(where: {_or: [{name: {_ilike: "%INTERNATIONAL%"}}, {city: {_like: "Chicago%"}}]}) { iata } }"#;
    let data = hasura(&server, query, json!({})).await;
    let expected = column("iata", airports(), |row| {
        row["name"].as_str().unwrap().to_lowercase().contains("international")
            || row["city"].as_str().unwrap().starts_with("Chicago")
    });
    assert_eq!(pluck(&data["airports"], "iata"), expected);

    let nothing = hasura(&server, "{ airports(where: {_not: {}}) { iata } }", json!({})).await;
    assert_eq!(nothing, json!({"airports": []}));
}

#[tokio::test]
async fn connections_lead_through_a_filtered_table() {
    let server = serve(Config::new());
    let query = r#"query ($after: String) { airportsConnection(find: {state: "TX"}, first: 60, after: $after) { edges { node { iata } } pageInfo { hasNextPage endCursor } totalCount } }"#;
    let texas = column("iata", airports(), |row| row["state"] == "TX");
    let mut found = Vec::new();
    let mut after = Value::Null;
    loop {
        let data = flat(&server, query, json!({ "after": after })).await;
        let part = &data["airportsConnection"];
        assert_eq!(part["totalCount"], texas.len());
        found.extend(part["edges"].as_array().unwrap().iter().map(|e| e["node"]["iata"].clone()));
        if part["pageInfo"]["hasNextPage"] == false {
            break;
        }
        after = part["pageInfo"]["endCursor"].clone();
    }
    assert_eq!(found, texas);
}

#[tokio::test]
async fn an_expired_cursor_is_an_error_with_a_code() {
    let server = serve(Config::new());
    let query =
        "query ($after: String) { airportsConnection(after: $after) { pageInfo { endCursor } } }";
    let data = flat(&server, query, json!({})).await;
    let after = &data["airportsConnection"]["pageInfo"]["endCursor"];
    server.expire_cursors(ExpiredCursor::Gone);
    let (status, body) = post(&server, "/graphql", query, json!({ "after": after })).await;
    assert_eq!(status, 200);
    assert_eq!(body["errors"][0]["extensions"]["code"], "CURSOR_EXPIRED");
}

#[tokio::test]
async fn errors_are_part_of_a_success() {
    let server = serve(Config::new());
    for path in ["/graphql", "/hasura/graphql"] {
        for query in [
            "{ airports { nope } }",
            "{ airports(limit: -1) { iata } }",
            "{ airports(nope: 1) { iata } }",
            "not a document",
        ] {
            let (status, body) = post(&server, path, query, json!({})).await;
            assert_eq!(status, 200, "{path} {query}");
            assert!(!body["errors"].as_array().unwrap().is_empty(), "{path} {query}");
        }
        let (_, body) =
            post(&server, path, "{ airports(limit: 1) { iata broken } }", json!({})).await;
        assert_eq!(body["data"], json!({"airports": [{"iata": "00M", "broken": null}]}));
        assert_eq!(body["errors"][0]["path"], json!(["airports", 0, "broken"]));
        assert_eq!(body["errors"][0]["extensions"]["code"], "BROKEN");
    }
}

#[tokio::test]
async fn faults_and_tokens_apply_here_too() {
    let server = serve(
        Config::new()
            .faults("503@#1; graphql@#2-3 code=THROTTLED".parse().unwrap())
            .tokens(TokenRules::required(Lifetime::unlimited())),
    );
    let query = "{ airports { iata } }";
    assert_eq!(post(&server, "/graphql", query, json!({})).await.0, 503);
    for path in ["/graphql", "/hasura/graphql"] {
        let (status, body) = post(&server, path, query, json!({})).await;
        assert_eq!((status, &body["data"]), (200, &Value::Null));
        assert_eq!(body["errors"][0]["extensions"]["code"], "THROTTLED");
    }
    assert_eq!(post(&server, "/graphql", query, json!({})).await.0, 401);
    assert_eq!(server.stats().path("/graphql"), 3);
}
