//! A GraphQL endpoint that answers as the test says and remembers what came.

use std::sync::{Arc, Mutex};

use mockito::ServerGuard;
use serde_json::{Value as Json, json};
use vantage_graphql::{AnyGraphqlType, FilterDialect, GraphqlApi};
use vantage_types::Record;

pub(crate) struct Endpoint {
    server: ServerGuard,
    bodies: Arc<Mutex<Vec<Json>>>,
}

impl Endpoint {
    /// Answers each request body with what `answer` makes of it.
    pub(crate) async fn new(answer: impl Fn(&Json) -> Json + Send + Sync + 'static) -> Self {
        let mut server = mockito::Server::new_async().await;
        let bodies = Arc::new(Mutex::new(Vec::new()));
        let seen = bodies.clone();
        server
            .mock("POST", "/graphql")
            .match_header("content-type", "application/json")
            .with_header("content-type", "application/json")
            .with_body_from_request(move |request| {
                let body: Json =
                    serde_json::from_slice(request.body().expect("a body")).expect("a JSON body");
                let answer = answer(&body);
                seen.lock().expect("not poisoned").push(body);
                serde_json::to_vec(&answer).expect("JSON")
            })
            .expect_at_least(0)
            .create_async()
            .await;
        Self { server, bodies }
    }

    /// Answers every request with `data`.
    pub(crate) async fn with_data(data: Json) -> Self {
        Self::new(move |_| json!({"data": data})).await
    }

    pub(crate) fn url(&self) -> String {
        format!("{}/graphql", self.server.url())
    }

    pub(crate) fn api(&self) -> GraphqlApi {
        GraphqlApi::new(self.url())
    }

    pub(crate) fn hasura(&self) -> GraphqlApi {
        GraphqlApi::builder(self.url()).dialect(FilterDialect::Hasura).build()
    }

    /// The bodies that came, in order.
    pub(crate) fn bodies(&self) -> Vec<Json> {
        self.bodies.lock().expect("not poisoned").clone()
    }

    /// The documents that came, in order.
    pub(crate) fn queries(&self) -> Vec<String> {
        let text = |body: Json| body["query"].as_str().unwrap_or_default().to_owned();
        self.bodies().into_iter().map(text).collect()
    }
}

/// A record as JSON.
pub(crate) fn shown(record: &Record<AnyGraphqlType>) -> Json {
    record.iter().map(|(name, value)| (name.clone(), value.value().clone())).collect()
}
