//! An error passes on what caused it, as the type that it was.

mod support;

use std::error::Error as StdError;
use std::io;

use api_pool::{CallPolicy, ClientError, ResilientClient, RetryPolicy};
use support::{Recorder, URL, ms, statuses, watched};

#[track_caller]
fn cause<E: StdError + 'static>(error: &ClientError) -> &E {
    let source = error.source().expect("there is a cause");
    source.downcast_ref().expect("it is of its own type")
}

#[tokio::test(start_paused = true)]
async fn a_request_that_cannot_be_sent_has_the_transports_cause() {
    let client = watched(&statuses([]), &Recorder::new()).build();

    let error = client.execute(|http| http.get("no url at all")).await.unwrap_err();

    assert_eq!(error.kind_name(), "request");
    cause::<http::uri::InvalidUri>(&error);
}

#[tokio::test]
async fn an_attempt_without_an_answer_has_the_http_clients_error() {
    let client = ResilientClient::builder().retry(RetryPolicy::new(1, ms(1), ms(1))).build();

    // Nothing listens on port 1: the attempts fail at once.
    let error = client.execute(|http| http.get("http://127.0.0.1:1/")).await.unwrap_err();

    assert_eq!((error.kind_name(), error.attempts), ("transport", 2));
    assert!(cause::<reqwest::Error>(&error).is_connect());
}

#[tokio::test(start_paused = true)]
async fn a_call_without_a_token_has_the_error_of_its_source() {
    let client = watched(&statuses([]), &Recorder::new())
        .bearer_tokens(|| async { Err::<String, _>(io::Error::from(io::ErrorKind::NotFound)) })
        .build();

    let policy = CallPolicy::essential();
    let error = client.execute_with(&policy, |http| http.get(URL)).await.unwrap_err();

    assert_eq!(error.kind_name(), "auth");
    assert_eq!(cause::<io::Error>(&error).kind(), io::ErrorKind::NotFound);
}

#[tokio::test(start_paused = true)]
async fn a_status_has_no_cause() {
    let client = watched(&statuses([404]), &Recorder::new()).build();
    let error = client.execute(|http| http.get(URL)).await.unwrap_err();
    assert!(error.source().is_none());
}
