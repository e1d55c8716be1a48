//! The server starts, counts, asks for tokens and stops as told.

mod support;

use std::time::Duration;

use demo_api::{Config, DemoServer, Lifetime, TokenRules};
use serde_json::{Value, json};
use support::{read, serve};

/// The status and JSON body of a GET.
async fn get(server: &DemoServer, path: &str) -> (u16, Value) {
    read(reqwest::Client::new().get(format!("{}{path}", server.url()))).await
}

#[tokio::test]
async fn data_needs_a_token_where_tokens_are_required() {
    let server = serve(Config::new().tokens(TokenRules::required(Lifetime::requests(2))));
    let client = reqwest::Client::new();
    let token = async || -> String {
        let answer = client.post(format!("{}/token", server.url())).send().await.unwrap();
        let answer: Value = answer.json().await.unwrap();
        answer["access_token"].as_str().unwrap().to_owned()
    };
    let read = async |token: &str| {
        let request = client.get(format!("{}/airports", server.url())).bearer_auth(token);
        request.send().await.unwrap().status().as_u16()
    };
    assert_eq!(get(&server, "/airports").await.0, 401);
    let first = token().await;
    assert_eq!([read(&first).await, read(&first).await, read(&first).await], [200, 200, 401]);
    let second = token().await;
    assert_eq!(read(&second).await, 200);
    server.revoke_tokens();
    assert_eq!(read(&second).await, 401);
    assert_eq!(server.stats().tokens_issued(), 2);
    assert_eq!(server.stats().path("/token"), 2);
    assert_eq!(server.stats().path("/airports"), 6);
}

#[tokio::test]
async fn counts_are_readable_over_http_and_do_not_count_themselves() {
    let server = serve(Config::new());
    for path in ["/airports", "/airports/ORD", "/airports/LAX?x=é", "/nope"] {
        get(&server, path).await;
    }
    let (_, stats) = get(&server, "/stats").await;
    assert_eq!(stats["requests"], 4);
    assert_eq!(stats["by_path"], json!({"(none)": 1, "/airports": 1, "/airports/{iata}": 2}));
    let recent = server.recent_requests();
    assert_eq!(recent[1..3], ["GET /airports/ORD", "GET /airports/LAX?x=%C3%A9"]);
    assert_eq!(stats["by_outcome"], json!({"200": 3, "404": 1}));
    assert_eq!(server.stats().requests(), 4);
}

#[tokio::test]
async fn echo_shows_the_request_as_it_arrived() {
    let server = serve(Config::new());
    let request = reqwest::Client::new()
        .patch(format!("{}/echo/a/b?x=1", server.url()))
        .header("x-one", "1")
        .json(&json!({"n": 1}));
    let echo: Value = request.send().await.unwrap().json().await.unwrap();
    assert_eq!(echo["method"], "PATCH");
    assert_eq!((&echo["path"], &echo["query"]), (&json!("/echo/a/b"), &json!("x=1")));
    assert_eq!(echo["headers"]["x-one"], json!(["1"]));
    assert_eq!(echo["json"], json!({"n": 1}));
    assert_eq!(server.stats().writes(), 1);
}

#[test]
fn a_server_on_its_own_thread_stops_when_dropped() {
    let server = DemoServer::start_in_thread(Config::new()).unwrap();
    let address = server.url().strip_prefix("http://").unwrap().to_owned();
    std::net::TcpStream::connect(&address).expect("it listens");
    drop(server);
    std::net::TcpStream::connect(&address).expect_err("it does not listen any more");
}

#[tokio::test]
async fn an_idle_connection_does_not_delay_the_shutdown() {
    let server = serve(Config::new());
    let address = server.url().strip_prefix("http://").unwrap().to_owned();
    let _idle = tokio::net::TcpStream::connect(&address).await.unwrap();
    tokio::time::timeout(Duration::from_secs(5), server.shutdown()).await.expect("it stops");
}

#[tokio::test]
async fn a_taken_port_is_an_error() {
    let server = serve(Config::new());
    let port = server.url().rsplit(':').next().unwrap().parse().unwrap();
    DemoServer::start(Config::new().port(port)).expect_err("the port is taken");
}
