//! Dates in `Retry-After` are read only where a call asks for it, and by the server's clock.
#![cfg(feature = "http-date")]

mod support;

use api_pool::testing::{Reply, Script};
use api_pool::{CallPolicy, RetryPolicy};
use support::{Recorder, URL, ms, now, secs, watched};

const SENT: &str = "Sun, 06 Nov 1994 08:49:37 GMT";

async fn waited(retry_after: &str, policy: &CallPolicy) -> std::time::Duration {
    let limited =
        Reply::status(429).with_header("date", SENT).with_header("retry-after", retry_after);
    let client = watched(&Script::new([limited, Reply::status(200)]), &Recorder::new()).build();
    let started = now();
    client.execute_with(policy, |http| http.get(URL)).await.expect("the retry succeeds");
    started.elapsed()
}

fn policy() -> CallPolicy {
    CallPolicy::bounded(RetryPolicy::new(1, ms(70), secs(60)))
}

#[tokio::test(start_paused = true)]
async fn a_date_is_a_wait_from_the_response_s_own_date_on() {
    let policy = policy().with_retry_after_dates();
    assert_eq!(waited("Sun, 06 Nov 1994 08:49:57 GMT", &policy).await, secs(20));
    assert_eq!(waited("Sunday, 06-Nov-94 08:49:57 GMT", &policy).await, secs(20));
    assert_eq!(waited("5", &policy).await, secs(5));
}

#[tokio::test(start_paused = true)]
async fn a_date_that_has_passed_never_means_at_once() {
    let policy = policy().with_retry_after_dates();
    for past in [SENT, "Sun, 06 Nov 1994 08:00:00 GMT"] {
        assert_eq!(waited(past, &policy).await, ms(70));
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_did_not_ask_for_dates_ignores_them() {
    assert_eq!(waited("Sun, 06 Nov 1994 08:49:57 GMT", &policy()).await, ms(70));
}
