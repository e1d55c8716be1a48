//! A failed request is told apart by value, not by searching its text.

use api_pool::{ClientError, ErrorKind};
use vantage_core::{Context, VantageError, error};
use vantage_transport::{FailureKind, Redaction, RequestFailure, request_error};

fn failed(kind: ErrorKind, body: Option<&str>) -> VantageError {
    let url = Redaction::new().url("https://me:pw@h/users?token=canary&page=2");
    let error = ClientError::new(kind, 3).with_body(body.map(str::to_owned));
    request_error("API request failed", &url, &error)
}

#[test]
fn every_kind_of_client_error_has_a_failure_kind() {
    for (kind, expected) in [
        (ErrorKind::Auth("no token".into()), FailureKind::Auth),
        (ErrorKind::BodyTooLarge(7), FailureKind::BodyTooLarge),
        (ErrorKind::BreakerOpen, FailureKind::BreakerOpen),
        (ErrorKind::Deadline, FailureKind::Deadline),
        (ErrorKind::Disposed, FailureKind::Disposed),
        (ErrorKind::QueueFull, FailureKind::QueueFull),
        (ErrorKind::QueueTimeout, FailureKind::QueueTimeout),
        (ErrorKind::Request("bad url".into()), FailureKind::Request),
        (ErrorKind::Status(404), FailureKind::Status(404)),
        (ErrorKind::Transport("reset".into()), FailureKind::Transport),
    ] {
        let failure = RequestFailure::of(&failed(kind, None)).unwrap();
        assert_eq!((failure.kind(), failure.attempts()), (expected, 3));
    }
}

#[test]
fn the_context_of_an_answer_holds_its_status_and_the_start_of_its_body() {
    let err = failed(ErrorKind::Status(503), Some(&"é\"".repeat(400)));
    let keys: Vec<_> = err.context.keys().map(String::as_str).collect();
    assert_eq!(keys, ["url", "status", "attempts", "kind", "body"]);
    let failure = RequestFailure::of(&err).unwrap();
    assert_eq!(failure.status(), Some(503));
    assert_eq!(failure.body(), Some("é\"".repeat(250).as_str()));
    assert_eq!(failure.url(), "https://…@h/users?token=…&page=2");
}

#[test]
fn the_context_without_an_answer_holds_the_transports_words() {
    let err = failed(ErrorKind::Transport("connection reset".into()), None);
    let keys: Vec<_> = err.context.keys().map(String::as_str).collect();
    assert_eq!(keys, ["url", "attempts", "kind", "detail"]);
    let failure = RequestFailure::of(&err).unwrap();
    assert_eq!(failure.detail(), Some("connection reset after 3 attempts"));
    assert_eq!(failure.status(), None);
}

#[test]
fn a_wrapped_failure_is_still_found() {
    let wrapped = Err::<(), _>(failed(ErrorKind::BreakerOpen, None))
        .context(error!("can't read the parent", table = "users"))
        .unwrap_err();
    assert_eq!(RequestFailure::of(&wrapped).unwrap().kind(), FailureKind::BreakerOpen);
}

#[test]
fn other_errors_are_no_failed_requests() {
    assert!(RequestFailure::of(&error!("GraphQL name is not valid", kind = "field")).is_none());
}
