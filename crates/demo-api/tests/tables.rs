//! Rows can be filtered, ordered, wrapped and asked for one by one.

mod support;

use std::collections::BTreeSet;

use demo_api::{Config, DemoServer, flights};
use serde_json::{Value, json};
use support::{read, serve};

/// The status and JSON body of a GET.
async fn get(server: &DemoServer, path: &str) -> (u16, Value) {
    read(reqwest::Client::new().get(format!("{}{path}", server.url()))).await
}

#[tokio::test]
async fn each_prefix_has_its_shape_and_a_parameter_beats_it() {
    let server = serve(Config::new());
    let rows = |value: &Value| value.as_array().map(Vec::len);
    assert_eq!(rows(&get(&server, "/bare/airports").await.1), Some(30));
    assert_eq!(rows(&get(&server, "/table/airports").await.1["airports"]), Some(30));
    let (_, nested) = get(&server, "/nested/airports").await;
    assert_eq!(rows(&nested["result"]["items"]), Some(30));
    assert_eq!(nested["total"], 3_376);
    assert_eq!(rows(&get(&server, "/airports?shape=bare").await.1), Some(30));
    assert_eq!(rows(&get(&server, "/bare/airports?shape=a.b").await.1["a"]["b"]), Some(30));
}

#[tokio::test]
async fn filters_order_and_ranges_apply_before_paging() {
    let server = serve(Config::new());
    let (_, body) =
        get(&server, "/flights?origin=LAX&distance_gte=1000&order=-distance,id&_limit=3").await;
    let mut expected: Vec<_> = flights()
        .iter()
        .filter(|row| row["origin"] == "LAX" && row["distance"].as_i64().unwrap() >= 1_000)
        .collect();
    expected.sort_by_key(|row| (-row["distance"].as_i64().unwrap(), row["id"].as_i64().unwrap()));
    assert_eq!(body["total"], expected.len());
    assert_eq!(body["data"], json!(expected[..3]));
}

#[tokio::test]
async fn single_rows_and_children_have_paths() {
    let server = serve(Config::new());
    assert_eq!(get(&server, "/airports/ORD").await.1["city"], "Chicago");
    assert_eq!(get(&server, "/flights/7").await.1["id"], 7);
    let (_, children) = get(&server, "/airports/ORD/flights?_limit=500").await;
    let origins: BTreeSet<_> =
        children["data"].as_array().unwrap().iter().map(|row| row["origin"].as_str()).collect();
    assert_eq!(origins, BTreeSet::from([Some("ORD")]));
    for path in ["/airports/none", "/flights/0", "/airports/none/flights", "/nope"] {
        assert_eq!(get(&server, path).await.0, 404, "{path}");
    }
}
