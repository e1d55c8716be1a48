//! What is logged, and what never is.

use std::{
    fmt::Write,
    sync::{Arc, Mutex},
};

use serde_json::json;
use tracing::{
    Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};
use vantage_dataset::prelude::ReadableValueSet;
use vantage_rest::RestApi;

use crate::support::{Api, users};

/// Keeps a line for every event of this crate, at most `max` verbose.
#[derive(Clone)]
struct Lines {
    max: Level,
    kept: Arc<Mutex<Vec<String>>>,
}

struct Fields(String);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        write!(self.0, " {field}={value:?}").unwrap();
    }
}

impl Subscriber for Lines {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("vantage_") && *metadata.level() <= self.max
    }
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields(event.metadata().level().to_string());
        event.record(&mut fields);
        self.kept.lock().unwrap().push(fields.0);
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

async fn logged(max: Level, api: RestApi, read: impl AsyncFnOnce(RestApi)) -> Vec<String> {
    let lines = Lines { max, kept: Arc::default() };
    let guard = tracing::subscriber::set_default(lines.clone());
    read(api).await;
    drop(guard);
    let kept = lines.kept.lock().unwrap();
    kept.clone()
}

async fn list(api: RestApi) {
    let _ = users(api).list_values().await;
}

#[tokio::test]
async fn a_loud_api_announces_its_reads_and_not_its_count_probes() {
    let mut api = Api::new().await;
    api.answers("/users", json!({"data": [], "total": 0})).await;
    api.answers("/users?_page=1&_limit=1", json!({"total": 0})).await;
    let rest = RestApi::builder(api.url()).total_key("total").debug(true).build();
    let lines = logged(Level::INFO, rest, async |rest: RestApi| {
        let vista = rest.vista_factory().from_table(users(rest.clone())).unwrap();
        vista.list_values().await.unwrap();
        vista.count().await.unwrap();
    });
    let lines = lines.await;
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("table=\"users\"") && lines[0].contains("/users"), "{lines:?}");
}

#[tokio::test]
async fn a_quiet_api_logs_its_reads_at_debug() {
    let mut api = Api::new().await;
    api.answers_times("/users", json!([]), 2).await;
    assert!(logged(Level::INFO, api.build(), list).await.is_empty());
    let lines = logged(Level::DEBUG, api.build(), list).await;
    assert!(lines.iter().any(|line| line.contains(" ms=")), "{lines:?}");
}

#[tokio::test]
async fn a_final_failure_is_a_warning_and_a_passing_one_is_not() {
    let mut api = Api::new().await;
    api.answers_with("/users", 404, "", 1).await;
    let lines = logged(Level::WARN, api.build(), list).await;
    assert_eq!(lines.len(), 1, "{lines:?}");
    let mut api = Api::new().await;
    api.answers_with("/users", 503, "", 1).await;
    assert!(logged(Level::WARN, api.build(), list).await.is_empty());
}

#[tokio::test]
async fn no_line_and_no_error_shows_a_credential() {
    let mut api = Api::new().await;
    api.answers_with("/users?token=canary", 500, "", 1).await;
    let base = api.url().replace("http://", "http://me:canary@");
    let rest = RestApi::builder(base).auth("Bearer canary").debug(true).build();
    let lines = logged(Level::TRACE, rest, async |rest: RestApi| {
        let table = users(rest).with_condition(vantage_rest::eq_condition("token", "canary"));
        let err = table.list_values().await.unwrap_err();
        assert!(!format!("{err} {err:?}").contains("canary"), "{err:?}");
    });
    let lines = lines.await;
    assert!(!lines.is_empty() && lines.iter().all(|line| !line.contains("canary")), "{lines:?}");
}
