//! A service that is well but slow closes the breaker.

mod support;

use api_pool::testing::{Reply, Script};
use api_pool::{BreakerState, CallPolicy, ErrorKind, ResilientClient};
use support::{URL, now, secs, sleep};

#[tokio::test(start_paused = true)]
async fn a_probe_without_a_timeout_that_takes_longer_than_its_lease_gives_the_next_twice_as_long() {
    let start = now();
    let slow = || Reply::ok("slow").after(secs(40));
    let script = Script::new([Reply::status(503), slow(), slow()]);
    let client = ResilientClient::builder()
        .transport(script.clone())
        .max_parallel(64)
        .circuit_breaker(1, secs(5))
        .build();
    let policy = CallPolicy::background();
    let call = || client.execute_with(&policy, |http| http.get(URL));
    call().await.unwrap_err();
    sleep(secs(5)).await;

    // After 31 s the first is replaced. The second has 62 s, so after 31 nobody else is sent.
    let after = |wait| async move {
        sleep(wait).await;
        call().await
    };
    let (first, second, third) = tokio::join!(call(), after(secs(31)), after(secs(31 + 31)));

    assert!(first.is_ok() && second.is_ok());
    assert_eq!(third.unwrap_err().kind, ErrorKind::BreakerOpen);
    assert_eq!(script.requests().len(), 3);
    assert_eq!(start.elapsed(), secs(5 + 31 + 40));
    assert_eq!(client.breaker_state(), Some(BreakerState::Closed));
}
