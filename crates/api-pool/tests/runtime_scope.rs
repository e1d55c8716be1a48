//! Scopes and runtimes end what they own, and nothing that waits starts afterwards.

mod support;

use std::time::Duration;

use api_pool::{RequestRuntime, RunError, RunOptions};
use futures_util::{FutureExt, future::join_all};
use support::timeline::{Timeline, sleep_ms};

fn runtime(slots: usize) -> RequestRuntime {
    RequestRuntime::builder("shop")
        .max_concurrent_requests(slots)
        .build()
        .expect("the limits are not zero")
}

/// Records that it begins, works for 100 ms, and records that it is dropped if it is.
async fn work(timeline: Timeline, name: &'static str) -> Result<(), ()> {
    struct Dropped(Option<Timeline>, &'static str);
    impl Drop for Dropped {
        fn drop(&mut self) {
            if let Some(timeline) = &self.0 {
                timeline.record(format!("{} dropped", self.1));
            }
        }
    }
    timeline.record(name);
    let mut dropped = Dropped(Some(timeline), name);
    sleep_ms(100).await;
    dropped.0 = None;
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn disposing_a_scope_drops_what_runs_and_starts_nothing_that_waits() {
    let runtime = runtime(2);
    let scope = runtime.scope();
    let timeline = Timeline::start();
    let in_scope = join_all(["a", "b", "c", "d"].map(|name| {
        let timeline = timeline.clone();
        let ended = timeline.clone();
        scope
            .run(RunOptions::new(), move || work(timeline.clone(), name))
            .map(move |result| (result.is_err_and(|error| error.is_disposed()), ended.ms()))
    }));
    let outside = runtime.run(RunOptions::new(), || work(timeline.clone(), "outside"));
    let dispose = async {
        sleep_ms(30).await;
        scope.dispose();
    };
    let (ended, outside, ()) = tokio::join!(in_scope, outside, dispose);
    assert_eq!(ended, [(true, 30); 4]);
    assert_eq!(outside, Ok(()));
    timeline.assert(&[(0, "a"), (0, "b"), (30, "a dropped"), (30, "b dropped"), (30, "outside")]);
    assert_eq!(runtime.diagnostics().calls(), 0);
}

#[tokio::test(start_paused = true)]
async fn dropping_a_scope_disposes_of_it() {
    let runtime = runtime(1);
    let timeline = Timeline::start();
    let scope = runtime.scope();
    let call = tokio::spawn({
        let timeline = timeline.clone();
        scope.run(RunOptions::new(), move || work(timeline.clone(), "a"))
    });
    sleep_ms(10).await;
    drop(scope);
    assert!(call.await.unwrap().unwrap_err().is_disposed());
    timeline.assert(&[(0, "a"), (10, "a dropped")]);
    assert!(!runtime.is_disposed());
}

#[tokio::test(start_paused = true)]
async fn a_call_that_was_ended_holds_nothing_though_its_future_is_kept() {
    let runtime = runtime(1);
    let timeline = Timeline::start();
    let scope = runtime.scope();
    let mut call = Box::pin(scope.run(RunOptions::new(), || work(timeline.clone(), "a")));
    assert!((&mut call).now_or_never().is_none());
    scope.dispose();
    assert!((&mut call).await.unwrap_err().is_disposed());
    timeline.assert(&[(0, "a"), (0, "a dropped")]);
    let now = runtime.diagnostics();
    assert_eq!((now.active(), now.calls()), (0, 0));
    drop(call);
}

#[tokio::test(start_paused = true)]
async fn a_scope_disposed_of_during_a_delay_makes_no_further_attempt() {
    let runtime = runtime(1);
    let scope = runtime.scope();
    let timeline = Timeline::start();
    let options = RunOptions::new().retry(3).retry_delay(Duration::from_secs(1));
    let call = scope.run(options, || {
        timeline.record("attempt");
        async { Err::<(), _>("offline") }
    });
    let dispose = async {
        sleep_ms(1_500).await;
        scope.dispose();
    };
    let (result, ()) = tokio::join!(call, dispose);
    assert!(result.unwrap_err().is_disposed());
    timeline.assert(&[(0, "attempt"), (1_000, "attempt")]);
    assert_eq!(timeline.ms(), 1_500);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_disposes_of_its_own_scope_is_not_repeated() {
    let runtime = runtime(1);
    let scope = runtime.scope();
    let mut attempts = 0;
    let options = RunOptions::new().retry(3).retry_delay(Duration::ZERO);
    let result: Result<(), _> = scope
        .run(options, || {
            attempts += 1;
            scope.dispose();
            async { Err("offline") }
        })
        .await;
    assert!(result.is_err());
    assert_eq!(attempts, 1);
}

#[tokio::test(start_paused = true)]
async fn disposing_of_the_runtime_ends_every_scope_and_call() {
    let runtime = runtime(1);
    let (one, other) = (runtime.scope(), runtime.scope());
    let timeline = Timeline::start();
    let operation = |name| {
        let timeline = timeline.clone();
        move || work(timeline.clone(), name)
    };
    let dispose = async {
        sleep_ms(40).await;
        runtime.clone().dispose();
    };
    let (a, b, c, ()) = tokio::join!(
        one.run(RunOptions::new(), operation("a")),
        other.run(RunOptions::new(), operation("b")),
        runtime.run(RunOptions::new(), operation("c")),
        dispose,
    );
    assert!([a, b, c].iter().all(|result| result.as_ref().is_err_and(RunError::is_disposed)));
    timeline.assert(&[(0, "a"), (40, "a dropped")]);
    assert!(runtime.is_disposed() && one.is_disposed());
}

#[tokio::test(start_paused = true)]
async fn a_call_after_the_end_is_refused_without_calling_its_operation() {
    let never = || async { unreachable!("disposed of") as Result<(), ()> };
    let runtime = runtime(1);
    let scope = runtime.scope();
    scope.dispose();
    scope.dispose();
    assert!(scope.run(RunOptions::new(), never).await.unwrap_err().is_disposed());
    assert!(scope.shared("key", never).await.unwrap_err().is_disposed());
    let blocking = || -> Result<(), ()> { unreachable!("disposed of") };
    assert!(scope.run_blocking(RunOptions::new(), blocking).await.unwrap_err().is_disposed());
    // The scope's end is not the runtime's.
    assert_eq!(runtime.run(RunOptions::new(), || async { Ok::<_, ()>(1) }).await, Ok(1));

    let late = runtime.scope();
    runtime.dispose();
    assert!(runtime.run(RunOptions::new(), never).await.unwrap_err().is_disposed());
    assert!(runtime.shared("key", never).await.unwrap_err().is_disposed());
    assert!(late.run(RunOptions::new(), never).await.unwrap_err().is_disposed());
    assert!(runtime.scope().run(RunOptions::new(), never).await.unwrap_err().is_disposed());
}

#[tokio::test(start_paused = true)]
async fn a_disposed_scope_gives_its_places_up_and_the_others_keep_their_order() {
    let runtime = runtime(1);
    let scope = runtime.scope();
    let timeline = Timeline::start();
    let calls = join_all(["0", "1", "2", "3", "4", "5", "6"].map(|name| {
        let timeline = timeline.clone();
        let operation = move || work(timeline.clone(), name);
        let odd = ["1", "3", "5"].contains(&name);
        if odd {
            scope.run(RunOptions::new(), operation).left_future()
        } else {
            runtime.run(RunOptions::new(), operation).right_future()
        }
    }));
    let dispose = async {
        sleep_ms(150).await; // while 1 is running
        scope.dispose();
    };
    tokio::join!(calls, dispose);
    timeline.assert(&[
        (0, "0"),
        (100, "1"),
        (150, "1 dropped"),
        (150, "2"),
        (250, "4"),
        (350, "6"),
    ]);
}
