//! A token source may use the client that it works for, whatever the breaker does.

mod support;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use api_pool::testing::{Reply, Script};
use api_pool::{BreakerState, CallPolicy, ClientError, ResilientClient, RetryPolicy, Token};
use futures_util::future::join_all;
use support::{URL, ms, now, secs, sleep};

const TOKEN: &str = "http://api.test/token";

/// A server that refuses everything for a while. It wants no token at `/token`, and issues those
/// that live for a minute.
fn down_between(from: Duration, to: Duration) -> Script {
    let start = now();
    Script::answering(move |request| {
        let at = start.elapsed();
        if from <= at && at < to {
            Reply::status(503)
        } else if request.uri().path() == "/token" {
            Reply::ok("a token to be sent")
        } else if request.headers().contains_key("authorization") {
            Reply::ok("data")
        } else {
            Reply::status(401)
        }
    })
}

/// A client whose tokens are fetched through itself.
fn signing_in(script: &Script, policy: CallPolicy) -> ResilientClient<Script> {
    let itself: Arc<OnceLock<ResilientClient<Script>>> = Arc::default();
    let client = Arc::clone(&itself);
    let source = move || {
        let client = client.get().cloned().expect("it is built");
        let policy = policy.clone();
        async move {
            let answer = client.execute_read(&policy, |http| http.get(TOKEN)).await?;
            let token = String::from_utf8_lossy(answer.body()).into_owned();
            Ok::<_, ClientError>(Token::new(token).expires_in(secs(60)))
        }
    };
    let built = ResilientClient::builder()
        .transport(script.clone())
        .entropy(|| 0)
        .circuit_breaker(2, secs(5))
        .bearer_tokens(source)
        .build();
    assert!(itself.set(built.clone()).is_ok());
    built
}

/// How those fetch who have to do with a breaker.
fn ways_to_fetch() -> [CallPolicy; 3] {
    let retry = RetryPolicy::new(1, ms(100), secs(1));
    [CallPolicy::background(), CallPolicy::bounded(retry), CallPolicy::essential()]
}

#[tokio::test(start_paused = true)]
async fn a_token_that_expires_in_an_outage_is_fetched_by_the_first_call_after_it() {
    for policy in ways_to_fetch() {
        let script = down_between(secs(10), secs(100));
        let client = signing_in(&script, policy);
        client.execute(|http| http.get(URL)).await.unwrap();
        sleep(secs(20)).await;
        for _ in 0..4 {
            let failed = client.execute_with(&CallPolicy::background(), |http| http.get(URL)).await;
            failed.unwrap_err();
        }
        assert!(matches!(client.breaker_state(), Some(BreakerState::Open { .. })));
        sleep(secs(100)).await;

        client.execute_with(&CallPolicy::background(), |http| http.get(URL)).await.unwrap();

        assert_eq!(client.breaker_state(), Some(BreakerState::Closed));
    }
}

#[tokio::test(start_paused = true)]
async fn those_who_wait_for_a_server_that_is_down_from_the_start_are_served_once_it_is_back() {
    // Those whose fetch does not wait at the breaker ask again each second, and each failed probe
    // doubles the cooldown.
    let served = [ms(105_403), ms(111_203), ms(100_250)];
    for (policy, served) in ways_to_fetch().into_iter().zip(served) {
        let script = down_between(secs(0), secs(100));
        let client = signing_in(&script, policy);
        let started = now();
        let callers = (0..200).map(|_| async {
            while client.execute_with(&CallPolicy::essential(), |http| http.get(URL)).await.is_err()
            {
                sleep(secs(1)).await;
            }
        });

        join_all(callers).await;

        assert_eq!(started.elapsed(), served);
        assert_eq!(client.breaker_state(), Some(BreakerState::Closed));
        assert_eq!(client.in_flight(), 0);
    }
}
