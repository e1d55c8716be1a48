//! One source of credentials at a time, and none of them ever shown.

use std::sync::Arc;

use reqwest::header::AUTHORIZATION;
use vantage_transport::{Auth, TransportSettings};

const CANARY: &str = "s3cret-canary";

fn header(auth: &Auth) -> Option<String> {
    let request = reqwest::Client::new().get("http://127.0.0.1/");
    let request = auth
        .authorization()
        .expect("a valid header")
        .attach(request)
        .build()
        .expect("a valid request");
    request
        .headers()
        .get(AUTHORIZATION)
        .map(|value| value.to_str().expect("visible ASCII").to_owned())
}

fn settings() -> TransportSettings {
    TransportSettings::new()
}

#[test]
fn the_last_source_of_credentials_is_the_only_one() {
    let source = || Arc::new(|| Some("t2".to_owned())) as api_pool::BearerSource;
    let refresher = || {
        let refresh = || -> api_pool::AuthFuture { Box::pin(async { Ok("t3".to_owned()) }) };
        Arc::new(refresh) as api_pool::AuthRefresher
    };

    let fixed = settings().bearer_source(source()).auth_refresher(refresher()).auth("Basic x");
    assert_eq!(header(fixed.credentials()), Some("Basic x".to_owned()));

    let sourced = settings().auth("Basic x").auth_refresher(refresher()).bearer_source(source());
    assert_eq!(header(sourced.credentials()), Some("Bearer t2".to_owned()));

    let refreshed = settings().auth("Basic x").bearer_source(source()).auth_refresher(refresher());
    assert_eq!(header(refreshed.credentials()), None, "the client attaches it");
    assert_eq!(refreshed.credentials().label(), Some("<set>"));
}

#[test]
fn a_source_that_yields_nothing_sends_no_header() {
    let silent = settings().auth("Basic x").bearer_source(Arc::new(|| None));
    assert_eq!(header(silent.credentials()), None);
    assert_eq!(silent.credentials().label(), Some("<per request>"));
}

#[test]
fn a_value_that_is_no_header_is_refused_without_being_shown() {
    let broken = settings().auth(format!("{CANARY}\n"));
    let err = broken.credentials().authorization().unwrap_err();
    assert_eq!(err.to_string(), "Configured Authorization header value is not valid");
}

#[test]
fn no_debug_form_shows_a_credential() {
    let fixed = settings().auth(CANARY);
    let authorization = fixed.credentials().authorization().unwrap();
    let shown = format!("{fixed:?} {:?} {authorization:?}", fixed.credentials());
    assert!(!shown.contains(CANARY), "{shown}");
    assert!(shown.contains("<set>"), "{shown}");
}

#[test]
fn the_client_has_a_breaker_and_what_tuning_adds() {
    let client = settings().tune(|client| client.observer("users", Arc::new(Ignore))).client();
    assert_eq!(client.breaker_state(), Some(api_pool::BreakerState::Closed));
    assert_eq!(client.key(), Some("users"));
}

struct Ignore;

impl api_pool::TransportObserver for Ignore {
    fn on_event(&self, _key: &str, _event: api_pool::TransportEvent) {}
}
