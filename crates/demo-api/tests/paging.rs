//! Listings can be read whole by pages, by rows to skip, by links and by cursors.

mod support;

use std::num::NonZeroUsize;

use demo_api::{Config, DemoServer, ExpiredCursor, Lifetime, Totals, airports, flights};
use serde_json::{Value, json};
use support::{read, serve};

/// The status and JSON body of a GET.
async fn get(server: &DemoServer, path: &str) -> (u16, Value) {
    read(reqwest::Client::new().get(format!("{}{path}", server.url()))).await
}

#[tokio::test]
async fn pages_and_skips_cut_the_same_table() {
    let server = serve(Config::new());
    let mut by_page = Vec::new();
    let mut by_skip = Vec::new();
    for page in 0..7 {
        let (_, paged) = get(&server, &format!("/airports?_page={}&_limit=500", page + 1)).await;
        let (_, skipped) =
            get(&server, &format!("/airports?_skip={}&_limit=500", page * 500)).await;
        assert_eq!(paged["total"], 3_376);
        by_page.extend(paged["data"].as_array().unwrap().clone());
        by_skip.extend(skipped["data"].as_array().unwrap().clone());
    }
    let file: Vec<_> = airports().iter().cloned().map(Value::Object).collect();
    assert_eq!(by_page, file);
    assert_eq!(by_skip, file);
}

#[tokio::test]
async fn without_a_size_the_server_answers_its_default_page() {
    let server = serve(Config::new());
    assert_eq!(get(&server, "/flights").await.1["data"].as_array().unwrap().len(), 30);
    let (_, capped) = get(&server, "/flights?_limit=100000").await;
    assert_eq!(capped["data"].as_array().unwrap().len(), 500);
    let (_, none) = get(&server, "/flights?_limit=0").await;
    assert_eq!(none, json!({"data": [], "total": 2_000}));
}

#[tokio::test]
async fn names_and_sizes_of_paging_can_be_chosen() {
    let size = NonZeroUsize::new(2).unwrap();
    let config = Config::new()
        .page_param("p")
        .limit_param("size")
        .skip_param("from")
        .default_page_size(size)
        .max_page_size(NonZeroUsize::new(3).unwrap());
    let server = serve(config);
    let ids = |rows: &Value| -> Vec<u64> {
        rows["data"].as_array().unwrap().iter().map(|row| row["id"].as_u64().unwrap()).collect()
    };
    assert_eq!(ids(&get(&server, "/flights?p=2").await.1), [3, 4]);
    assert_eq!(ids(&get(&server, "/flights?p=2&size=9").await.1), [4, 5, 6]);
    assert_eq!(ids(&get(&server, "/flights?from=7&size=1").await.1), [8]);
}

#[tokio::test]
async fn bad_paging_is_refused_by_name() {
    let server = serve(Config::new());
    for path in ["/airports?_page=0", "/airports?_page=x", "/airports?_limit=-1"] {
        let (status, body) = get(&server, path).await;
        assert_eq!(status, 400, "{path}");
        assert!(body["error"].as_str().unwrap().starts_with('_'), "{body}");
    }
}

#[tokio::test]
async fn link_headers_lead_through_a_bare_array() {
    let server = serve(Config::new());
    let mut next = Some(format!("{}/bare/airports?state=TX&_limit=50", server.url()));
    let mut found = Vec::new();
    while let Some(url) = next {
        let response = reqwest::get(url).await.unwrap();
        next = response.headers()["link"].to_str().unwrap().split(", ").find_map(|link| {
            let (target, relation) = link.split_once("; ").unwrap();
            (relation == "rel=\"next\"").then(|| target.trim_matches(['<', '>']).to_owned())
        });
        let rows: Vec<Value> = response.json().await.unwrap();
        found.extend(rows);
    }
    let texas: Vec<_> = airports().iter().filter(|row| row["state"] == "TX").collect();
    assert!(texas.len() > 50);
    assert_eq!(json!(found), json!(texas));
}

/// Reads all flights by cursor; ends at the first answer that is no success.
async fn walk_cursors(server: &DemoServer) -> (Vec<Value>, u16) {
    let client = reqwest::Client::new();
    let mut rows = Vec::new();
    let mut cursor = String::new();
    loop {
        let url = format!("{}/flights?_limit=300", server.url());
        let response =
            client.get(url).query(&[("cursor", &cursor)]).send().await.expect("an answer");
        let status = response.status().as_u16();
        if status != 200 {
            return (rows, status);
        }
        let body: Value = response.json().await.expect("JSON");
        rows.extend(body["data"].as_array().expect("rows").clone());
        match body["next_cursor"].as_str() {
            Some(next) => cursor = next.to_owned(),
            None => return (rows, status),
        }
    }
}

#[tokio::test]
async fn cursors_lead_through_a_whole_table() {
    let server = serve(Config::new());
    let (rows, _) = walk_cursors(&server).await;
    assert_eq!(rows, flights().iter().cloned().map(Value::Object).collect::<Vec<_>>());
}

#[tokio::test]
async fn an_expired_cursor_is_gone_or_hidden_behind_a_500() {
    for (answer, status) in [(ExpiredCursor::Gone, 410), (ExpiredCursor::ServerError, 500)] {
        let config = Config::new().cursor_lifetime(Lifetime::requests(0)).expired_cursor(answer);
        assert_eq!(walk_cursors(&serve(config)).await.1, status);

        let server = serve(Config::new());
        let (_, first) = get(&server, "/cursor/flights").await;
        let cursor = first["next_cursor"].as_str().unwrap().replace('/', "%2F").replace('=', "%3D");
        server.expire_cursors(answer);
        let path = format!("/cursor/flights?cursor={cursor}");
        assert_eq!(get(&server, &path).await.0, status);
    }
}

#[tokio::test]
async fn totals_can_be_withheld() {
    for (totals, header, member) in [
        (Totals::Everywhere, true, true),
        (Totals::Header, true, false),
        (Totals::Nowhere, false, false),
    ] {
        let server = serve(Config::new().totals(totals));
        let response = reqwest::get(format!("{}/flights", server.url())).await.unwrap();
        assert_eq!(response.headers().contains_key("x-total-count"), header);
        let body: Value = response.json().await.unwrap();
        assert_eq!(body.get("total").is_some(), member);
    }
}
