//! Under the fate-aware rule no operation with an effect is repeated on a guess.

mod support;

use api_pool::testing::{Reply, Script};
use api_pool::{CallPolicy, Fault, RetrySafety, StopReason};
use http::Method;
use support::{Recorder, URL, watched};

fn careful() -> CallPolicy {
    CallPolicy::essential().with_safety(RetrySafety::FateAware)
}

async fn requests(replies: [Reply; 2], method: Method, policy: &CallPolicy, key: bool) -> usize {
    let script = Script::new(replies);
    let client = watched(&script, &Recorder::new()).build();
    let result = client
        .execute_with(policy, |http| {
            let request = http.request(method.clone(), URL);
            if key { request.header("Idempotency-Key", "k-1") } else { request }
        })
        .await;
    if let Err(error) = result {
        assert_eq!(error.stop_reason(), Some(&StopReason::Unsafe), "{error:?}");
    }
    script.requests().len()
}

#[tokio::test(start_paused = true)]
async fn an_unsafe_request_is_repeated_only_if_it_was_certainly_not_sent() {
    let failures: [(fn() -> Reply, usize); 7] = [
        (|| Reply::fault(Fault::Unreachable), 2),
        (|| Reply::fault(Fault::Refused), 2),
        (|| Reply::fault(Fault::Broken), 1),
        (|| Reply::fault(Fault::TimedOut), 1),
        (|| Reply::status(503), 1),
        (|| Reply::status(504), 1),
        (|| Reply::status(429), 1),
    ];
    for (failure, expected) in failures {
        for method in [Method::POST, Method::PATCH] {
            let sent = requests([failure(), Reply::ok("done")], method, &careful(), false).await;
            assert_eq!(sent, expected, "{:?}", failure());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_key_or_an_idempotent_method_makes_a_request_repeatable() {
    let broken = || [Reply::fault(Fault::Broken), Reply::ok("done")];
    assert_eq!(requests(broken(), Method::POST, &careful(), true).await, 2);
    for method in [Method::GET, Method::HEAD, Method::PUT, Method::DELETE, Method::OPTIONS] {
        assert_eq!(requests(broken(), method, &careful(), false).await, 2);
    }
}

#[tokio::test(start_paused = true)]
async fn by_default_the_caller_vouches_for_what_it_sends() {
    let broken = [Reply::fault(Fault::Broken), Reply::ok("done")];
    assert_eq!(requests(broken, Method::POST, &CallPolicy::essential(), false).await, 2);
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_timed_out_may_have_been_processed() {
    let policy = careful().with_attempt_timeout(support::secs(1));
    let replies = [Reply::hang(), Reply::ok("done")];
    assert_eq!(requests(replies, Method::POST, &policy, false).await, 1);
}
