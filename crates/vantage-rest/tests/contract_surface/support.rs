//! A server of recorded answers, and an observer that keeps what it sees.

use std::sync::{Arc, Mutex};

use ciborium::Value as Cbor;
use mockito::{Mock, Server, ServerGuard};
use serde_json::{Value, json};
use vantage_rest::{ResponseShape, RestApi, RestApiBuilder, TransportEvent, TransportObserver};
use vantage_table::prelude::Table;
use vantage_types::{EmptyEntity, PlainDialect, Record, record_to_json};

pub(crate) type Users = Table<RestApi, EmptyEntity>;

pub(crate) struct Api {
    server: ServerGuard,
    mocks: Vec<Mock>,
}

impl Api {
    pub(crate) async fn new() -> Self {
        Self { server: Server::new_async().await, mocks: Vec::new() }
    }

    pub(crate) fn url(&self) -> String {
        self.server.url()
    }

    /// An API whose bodies are bare arrays.
    pub(crate) fn builder(&self) -> RestApiBuilder {
        RestApi::builder(self.url()).response_shape(ResponseShape::BareArray)
    }

    pub(crate) fn build(&self) -> RestApi {
        self.builder().build()
    }

    /// Answers exactly this path and query with this body, exactly once.
    pub(crate) async fn answers(&mut self, path: &str, body: Value) -> &mut Self {
        self.answers_times(path, body, 1).await
    }

    pub(crate) async fn answers_times(
        &mut self,
        path: &str,
        body: Value,
        times: usize,
    ) -> &mut Self {
        self.answers_with(path, 200, &body.to_string(), times).await
    }

    pub(crate) async fn answers_with(
        &mut self,
        path: &str,
        status: usize,
        body: &str,
        times: usize,
    ) -> &mut Self {
        let mock = self.server.mock("GET", path).with_status(status).with_body(body);
        self.mocks.push(mock.expect(times).create_async().await);
        self
    }

    /// The server itself, for answers of another kind.
    pub(crate) fn server(&mut self) -> &mut ServerGuard {
        &mut self.server
    }

    /// Every recorded answer was asked for as often as expected.
    pub(crate) async fn assert(&self) {
        for mock in &self.mocks {
            mock.assert_async().await;
        }
    }
}

pub(crate) fn users(api: RestApi) -> Users {
    Table::new("users", api)
        .with_id_column("id")
        .with_column_of::<String>("name")
        .with_column_of::<String>("team")
}

pub(crate) fn user(id: u32, team: &str) -> Value {
    json!({"id": id, "name": format!("user {id}"), "team": team})
}

pub(crate) fn ids<'a>(keys: impl IntoIterator<Item = &'a String>) -> Vec<&'a str> {
    keys.into_iter().map(String::as_str).collect()
}

pub(crate) fn json_of(row: &Record<Cbor>) -> Value {
    record_to_json(&PlainDialect, row.clone())
}

/// Keeps a line for every event.
#[derive(Default)]
pub(crate) struct Events(Mutex<Vec<String>>);

impl Events {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl TransportObserver for Events {
    fn on_event(&self, key: &str, event: TransportEvent) {
        let line = match event {
            TransportEvent::Started => "started".to_owned(),
            TransportEvent::Succeeded { status, .. } => format!("succeeded {status}"),
            TransportEvent::Failed { error, .. } => format!("failed {}", error.kind_name()),
            TransportEvent::RowsPulled { n, .. } => format!("rows {n}"),
            TransportEvent::WritePushed => "write".to_owned(),
            TransportEvent::RetryScheduled { .. } => "retry".to_owned(),
            _ => "other".to_owned(),
        };
        self.0.lock().unwrap().push(format!("{key} {line}"));
    }
}
