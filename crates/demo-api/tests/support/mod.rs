//! What the server's tests share.

use demo_api::{Config, DemoServer};
use serde_json::Value;

/// A server on the test's own runtime.
pub(crate) fn serve(config: Config) -> DemoServer {
    DemoServer::start(config).expect("a free port")
}

/// The status and JSON body of an answer.
pub(crate) async fn read(request: reqwest::RequestBuilder) -> (u16, Value) {
    let response = request.send().await.expect("an answer");
    (response.status().as_u16(), response.json().await.expect("a JSON body"))
}
