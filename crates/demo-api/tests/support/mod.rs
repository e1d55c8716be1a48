//! What the server's tests share.

use demo_api::{Config, DemoServer};
use serde_json::Value;

/// A server on the test's own runtime.
pub(crate) fn serve(config: Config) -> DemoServer {
    DemoServer::start(config).expect("a free port")
}

/// The status and JSON body of a GET.
pub(crate) async fn get(server: &DemoServer, path: &str) -> (u16, Value) {
    let response = reqwest::get(format!("{}{path}", server.url())).await.expect("an answer");
    (response.status().as_u16(), response.json().await.expect("a JSON body"))
}
