//! The runtime tells how much it does, and nothing else.

mod support;

use std::{sync::mpsc, time::Duration};

use api_pool::{RequestRuntime, RunOptions};
use support::timeline::sleep_ms;

fn runtime() -> RequestRuntime {
    RequestRuntime::builder("shop")
        .default_concurrency(1)
        .group("search", 2)
        .build()
        .expect("the limits are not zero")
}

async fn hour() -> Result<(), &'static str> {
    sleep_ms(3_600_000).await;
    Ok(())
}

/// Active and pending attempts of a group.
fn counts(runtime: &RequestRuntime, group: &str) -> (usize, usize) {
    let now = runtime.diagnostics();
    let group = now.group(group).expect("a group of the runtime");
    (group.active(), group.pending())
}

#[tokio::test(start_paused = true)]
async fn counts_attempts_per_group_and_in_total() {
    let runtime = runtime();
    let calls: Vec<_> = (0..3)
        .map(|_| tokio::spawn(runtime.run(RunOptions::new(), hour)))
        .chain((0..5).map(|_| tokio::spawn(runtime.run(RunOptions::new().group("search"), hour))))
        .collect();
    sleep_ms(1).await;
    assert_eq!(counts(&runtime, "default"), (1, 2));
    assert_eq!(counts(&runtime, "search"), (2, 3));
    let now = runtime.diagnostics();
    assert_eq!((now.active(), now.pending(), now.calls()), (3, 5, 8));
    for call in calls {
        call.abort();
        assert!(call.await.is_err());
    }
    let now = runtime.diagnostics();
    assert_eq!((now.active(), now.pending(), now.calls()), (0, 0, 0));
}

#[tokio::test(start_paused = true)]
async fn a_call_between_two_attempts_is_a_call_and_no_attempt() {
    let runtime = runtime();
    let options = RunOptions::new().retry(1).retry_delay(Duration::from_secs(1));
    let call = tokio::spawn(runtime.run(options, || async { Err::<(), _>("offline") }));
    sleep_ms(500).await;
    let now = runtime.diagnostics();
    assert_eq!((now.active(), now.pending(), now.calls()), (0, 0, 1));
    assert!(call.await.unwrap().is_err());
    assert_eq!(runtime.diagnostics().calls(), 0);
}

#[tokio::test]
async fn work_that_outlives_its_caller_is_an_attempt_and_no_call() {
    let runtime = runtime();
    let (release, released) = mpsc::channel::<()>();
    let (started, mut start) = tokio::sync::mpsc::unbounded_channel();
    let call = tokio::spawn(runtime.run_blocking(RunOptions::new(), move || {
        started.send(()).map_err(drop)?;
        released.recv().map_err(drop)
    }));
    start.recv().await.unwrap();
    call.abort();
    assert!(call.await.is_err());
    let now = runtime.diagnostics();
    assert_eq!((now.active(), now.calls()), (1, 0));
    release.send(()).unwrap();
    // Its slot is free again when the next call gets it.
    runtime.run(RunOptions::new(), || async { Ok::<_, ()>(()) }).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_shared_execution_is_one_call() {
    let runtime = runtime();
    let callers: Vec<_> = (0..10).map(|_| tokio::spawn(runtime.shared("key", hour))).collect();
    sleep_ms(1).await;
    let now = runtime.diagnostics();
    assert_eq!((now.active(), now.pending(), now.calls()), (1, 0, 1));
    callers.iter().for_each(tokio::task::JoinHandle::abort);
}

#[tokio::test(start_paused = true)]
async fn nothing_but_names_of_groups_and_numbers_is_shown() {
    let runtime = runtime();
    let canary = "https://user:canary@example.com/?token=canary";
    let shared = tokio::spawn(runtime.shared(canary, || async { Err::<(), _>("canary") }));
    let unknown = RunOptions::new().group(canary).retry(1).retry_delay(Duration::from_secs(1));
    let call = tokio::spawn(runtime.run(unknown, || async { Err::<(), _>("canary") }));
    sleep_ms(500).await;
    let scope = runtime.scope();
    for shown in [
        format!("{runtime:?}"),
        format!("{runtime:#?}"),
        format!("{scope:?}"),
        format!("{:?}", runtime.diagnostics()),
        format!("{:?}", runtime.group(canary)),
    ] {
        assert!(!shown.contains("canary"), "{shown}");
        assert!(shown.contains("default"), "{shown}");
    }
    drop((shared, call));
}

#[tokio::test(start_paused = true)]
async fn a_group_shows_its_limit_and_how_many_run_and_wait() {
    let runtime = RequestRuntime::builder("shop").group("a", 1).build().unwrap();
    let calls = [(); 3].map(|()| {
        tokio::spawn(runtime.run(RunOptions::new().group("a"), || async {
            sleep_ms(100).await;
            Ok::<_, ()>(())
        }))
    });
    sleep_ms(1).await;
    assert_eq!(
        format!("{:?}", runtime.group("a")),
        r#"QueueGroup { name: "a", limit: Some(1), active: 1, pending: 2, .. }"#
    );
    assert_eq!(
        format!("{:?}", runtime.group("default")),
        r#"QueueGroup { name: "default", limit: None, active: 0, pending: 0, .. }"#
    );
    drop(calls);
}
