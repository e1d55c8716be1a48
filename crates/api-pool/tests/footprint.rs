//! What a call costs before it does anything, and where its types may go.

use std::time::Duration;

use api_pool::testing::{Reply, Script};
use api_pool::{
    CallPolicy, ClientError, ReadResponse, ResilientClient, ResilientClientBuilder, TokenBucket,
    TransportEvent,
};

/// The room that a call may take beyond the HTTP client's own future, in bytes.
const ROOM: usize = 512;

#[test]
fn the_future_of_a_call_is_at_most_half_a_kibibyte_larger_than_the_http_client_s() {
    let http = reqwest::Client::new();
    let client = ResilientClient::builder().default_breaker().build();
    let policy = CallPolicy::essential();

    let bare = size_of_val(&http.get("http://127.0.0.1/").send());
    let head = size_of_val(&client.execute_with(&policy, |http| http.get("http://127.0.0.1/")));
    let whole = size_of_val(&client.execute_read(&policy, |http| http.get("http://127.0.0.1/")));

    assert!(head <= bare + ROOM, "{head} bytes over {bare}");
    assert!(whole <= bare + ROOM, "{whole} bytes over {bare}");
}

#[test]
fn a_retried_operation_is_at_most_208_bytes_larger_than_the_operation() {
    let operation = || async { std::future::ready(Ok::<_, std::convert::Infallible>(1)).await };
    let bare = size_of_val(&operation());

    let retried = size_of_val(&api_pool::with_retry(api_pool::Policy::default(), || async {
        std::future::ready(Err::<u8, _>(Refused)).await
    }));

    assert!(retried <= bare + 208, "{retried} bytes over {bare}");
}

#[derive(Debug)]
struct Refused;

impl api_pool::Retryable for Refused {
    fn is_transient(&self) -> bool {
        false
    }

    fn retry_after(&self) -> Option<Duration> {
        None
    }
}

/// What many calls leave behind, in bytes.
fn left_by(policy: &CallPolicy) -> i64 {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("it needs nothing of the system");
    let script = Script::answering(|_| Reply::ok("fine"));
    let client = ResilientClient::builder().transport(script).default_breaker().build();
    let call = || client.execute_with(policy, |http| http.get("http://127.0.0.1/"));
    let one = || drop(runtime.block_on(call()).expect("the script answers"));
    one();
    allocation_counter::measure(|| (0..100).for_each(|_| one())).bytes_current
}

#[test]
fn limits_in_time_leave_nothing_behind() {
    let second = Duration::from_secs(1);
    let limited = [
        CallPolicy::essential().with_attempt_timeout(second),
        CallPolicy::essential().with_deadline(second),
    ];

    for policy in limited {
        assert_eq!(left_by(&policy), left_by(&CallPolicy::essential()));
    }
}

fn assert_send_sync<T: Send + Sync>() {}
fn assert_send<T: Send>(_: T) {}

#[test]
fn everything_a_call_touches_may_cross_threads() {
    assert_send_sync::<ResilientClient>();
    assert_send_sync::<ResilientClient<Script>>();
    assert_send_sync::<ClientError>();
    assert_send_sync::<ReadResponse>();
    assert_send_sync::<TokenBucket>();
    assert_send_sync::<TransportEvent>();
    assert_send(ResilientClientBuilder::default());
    let client = ResilientClient::builder().default_breaker().build();
    let policy = CallPolicy::essential();
    assert_send(client.execute(|http| http.get("http://127.0.0.1/")));
    assert_send(client.execute_with(&policy, |http| http.get("http://127.0.0.1/")));
    assert_send(client.execute_read(&policy, |http| http.get("http://127.0.0.1/")));
}
