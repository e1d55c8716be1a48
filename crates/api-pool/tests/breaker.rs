//! The breaker can be opened and closed by hand, and tells who watches.

mod support;

use api_pool::testing::{Reply, Script};
use api_pool::{BreakerState, CallPolicy, ErrorKind};
use futures_util::FutureExt;
use support::{Recorder, URL, ms, now, secs, sleep, statuses, watched};

#[tokio::test(start_paused = true)]
async fn an_isolated_api_is_not_probed_until_it_is_reset() {
    let recorder = Recorder::new();
    let script = statuses([200]);
    let client = watched(&script, &recorder).default_breaker().build();

    client.isolate();
    sleep(secs(3600)).await;
    let poll = CallPolicy::background();
    let refused = client.execute_with(&poll, |http| http.get(URL)).await.unwrap_err();
    assert_eq!(refused.kind, ErrorKind::BreakerOpen);
    assert!(matches!(client.breaker_state(), Some(BreakerState::Open { .. })));

    client.reset_breaker();
    client.execute_with(&poll, |http| http.get(URL)).await.unwrap();
    assert_eq!(client.breaker_state(), Some(BreakerState::Closed));
    assert_eq!((recorder.count("opened"), recorder.count("closed")), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_reset_releases_those_who_wait() {
    let client =
        watched(&statuses([503, 200]), &Recorder::new()).circuit_breaker(1, secs(600)).build();
    client.execute_with(&CallPolicy::background(), |http| http.get(URL)).await.unwrap_err();
    let waiting = client.clone();
    let started = now();
    let waiting = tokio::spawn(async move {
        waiting.execute_with(&CallPolicy::essential(), |http| http.get(URL)).await.map(drop)
    });
    sleep(secs(1)).await;

    client.reset_breaker();

    waiting.await.unwrap().unwrap();
    assert_eq!(now() - started, secs(1));
}

#[tokio::test(start_paused = true)]
async fn the_cooldown_doubles_with_each_failed_probe_up_to_its_longest() {
    let recorder = Recorder::new();
    let script = Script::answering(|_| Reply::status(503));
    let client = watched(&script, &recorder).default_breaker().build();

    let essential = CallPolicy::essential();
    let call = client.execute_with(&essential, |http| http.get(URL));
    tokio::time::timeout(secs(300), call).await.unwrap_err();

    let opened: Vec<_> =
        recorder.lines().into_iter().filter(|line| line.starts_with("opened")).collect();
    let expected = ["5s", "10s", "20s", "40s", "60s", "60s"].map(|d| format!("opened for {d}"));
    assert_eq!(opened[..6], expected);
    assert_eq!(recorder.count("closed"), 0);
}

#[tokio::test(start_paused = true)]
async fn a_success_from_before_the_outage_does_not_end_it() {
    let script = Script::new([
        Reply::ok("slow").after(secs(2)),
        Reply::status(503),
        Reply::ok("probe").after(ms(10)),
    ]);
    let client = watched(&script, &Recorder::new()).circuit_breaker(1, secs(5)).build();
    let slow = client.clone();
    let slow = tokio::spawn(async move { slow.execute(|http| http.get(URL)).await.is_ok() });
    sleep(ms(1)).await;
    client.execute_with(&CallPolicy::background(), |http| http.get(URL)).await.unwrap_err();

    assert!(slow.await.unwrap());
    assert!(matches!(client.breaker_state(), Some(BreakerState::Open { .. })));

    client.execute_with(&CallPolicy::essential(), |http| http.get(URL)).await.unwrap();
    assert_eq!(client.breaker_state(), Some(BreakerState::Closed));
}

/// It had passed the gate before the breaker opened, and comes back to it after another came.
#[tokio::test(start_paused = true)]
async fn a_call_that_is_refused_at_its_slot_goes_before_those_who_came_later() {
    let script = Script::answering(|request| match request.uri().query() {
        Some("failing") => Reply::status(503).after(ms(50)),
        _ => Reply::ok("fine").after(ms(10)),
    });
    let client =
        watched(&script, &Recorder::new()).max_parallel(1).circuit_breaker(1, secs(5)).build();
    let (poll, essential) = (CallPolicy::background(), CallPolicy::essential());
    let call = |policy, name| {
        Box::pin(client.execute_with(policy, move |http| http.get(format!("{URL}?{name}"))))
    };
    let (mut failing, mut early, mut late) =
        (call(&poll, "failing"), call(&essential, "early"), call(&essential, "late"));
    assert!(failing.as_mut().now_or_never().is_none());
    assert!(early.as_mut().now_or_never().is_none());
    assert_eq!((client.in_flight(), client.waiting()), (1, 1));

    failing.await.unwrap_err();
    assert!(late.as_mut().now_or_never().is_none());
    assert!(early.as_mut().now_or_never().is_none());
    let (early, late) = tokio::join!(early, late);

    assert!(early.is_ok() && late.is_ok());
    let sent: Vec<_> = script.requests().iter().map(|sent| sent.uri().to_string()).collect();
    assert_eq!(sent, ["failing", "early", "late"].map(|name| format!("{URL}?{name}")));
}
