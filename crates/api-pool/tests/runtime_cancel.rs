//! A call that is dropped leaves nothing behind, wherever it is.

mod support;

use std::time::Duration;

use api_pool::{QueueClass, RequestRuntime, RunOptions, testing::CancelAt};
use futures_util::{FutureExt, future::join_all};
use support::timeline::{Timeline, sleep_ms};

fn runtime(slots: usize) -> RequestRuntime {
    RequestRuntime::builder("shop")
        .max_concurrent_requests(slots)
        .build()
        .expect("the limits are not zero")
}

#[track_caller]
fn assert_idle(runtime: &RequestRuntime) {
    let now = runtime.diagnostics();
    assert_eq!((now.active(), now.pending(), now.calls()), (0, 0, 0));
}

#[tokio::test(start_paused = true)]
async fn a_waiting_attempt_leaves_the_line_before_its_operation_is_called() {
    let runtime = runtime(1);
    let timeline = Timeline::start();
    let call = |name: &'static str| {
        let timeline = timeline.clone();
        runtime.run(RunOptions::new(), move || {
            timeline.record(name);
            async {
                sleep_ms(100).await;
                Ok::<_, ()>(())
            }
        })
    };
    let cancelled = tokio::time::timeout(Duration::from_millis(50), call("cancelled"));
    let (_, cancelled, _) = tokio::join!(call("first"), cancelled, call("third"));
    assert!(cancelled.is_err());
    timeline.assert(&[(0, "first"), (100, "third")]);
    assert_idle(&runtime);
}

#[tokio::test(start_paused = true)]
async fn each_of_64_waiting_calls_can_be_cancelled_and_the_others_keep_their_order() {
    for cancelled in 0..64 {
        let runtime = runtime(1);
        let timeline = Timeline::start();
        let mut calls: Vec<_> = (0..65)
            .map(|n| {
                let timeline = timeline.clone();
                Box::pin(runtime.run(RunOptions::new(), move || {
                    timeline.record(n.to_string());
                    async {
                        sleep_ms(10).await;
                        Ok::<_, ()>(())
                    }
                }))
            })
            .collect();
        assert!(calls.iter_mut().all(|call| call.now_or_never().is_none()));
        drop(calls.remove(1 + cancelled));
        join_all(calls).await;
        let order: Vec<_> = timeline.entries().into_iter().map(|(_, n)| n).collect();
        let expected: Vec<_> =
            (0..65).filter(|&n| n != 1 + cancelled).map(|n| n.to_string()).collect();
        assert_eq!(order, expected);
        assert_eq!(timeline.ms(), 640);
    }
}

#[tokio::test(start_paused = true)]
async fn a_running_operation_is_dropped_and_its_slot_goes_to_the_next() {
    struct Dropped(Timeline);
    impl Drop for Dropped {
        fn drop(&mut self) {
            self.0.record("dropped");
        }
    }

    let runtime = runtime(1);
    let timeline = Timeline::start();
    let first = runtime.run(RunOptions::new(), || {
        let dropped = Dropped(timeline.clone());
        async move {
            std::future::pending::<()>().await;
            drop(dropped);
            Ok::<_, ()>(())
        }
    });
    let first = tokio::time::timeout(Duration::from_millis(70), first);
    let second = runtime.run(RunOptions::new(), || {
        timeline.record("second");
        async { Ok::<_, ()>(()) }
    });
    let (first, second) = tokio::join!(first, second);
    assert!(first.is_err() && second.is_ok());
    // Dropped before the slot was given on: the limit holds for what is really running.
    timeline.assert(&[(70, "dropped"), (70, "second")]);
    assert_idle(&runtime);
}

#[tokio::test(start_paused = true)]
async fn a_call_cancelled_during_its_delay_never_comes_back() {
    let runtime = runtime(1);
    let timeline = Timeline::start();
    let options = RunOptions::new().retry(5).retry_delay(Duration::from_secs(1));
    let call = runtime.run(options, || {
        timeline.record("attempt");
        async { Err::<(), _>(()) }
    });
    assert!(tokio::time::timeout(Duration::from_millis(1_500), call).await.is_err());
    assert_idle(&runtime);
    sleep_ms(60_000).await;
    timeline.assert(&[(0, "attempt"), (1_000, "attempt")]);
}

#[tokio::test(start_paused = true)]
async fn dropping_a_call_at_any_await_point_leaves_nothing_behind() {
    let mut points = 0;
    for k in 0.. {
        let runtime = runtime(1);
        let scope = runtime.scope();
        let options = RunOptions::new()
            .retry(3)
            .retry_delay(Duration::from_millis(10))
            .class(QueueClass::Essential);
        let mut attempts = 0;
        let call = scope.run(options, || {
            attempts += 1;
            async move {
                sleep_ms(5).await;
                tokio::task::yield_now().await;
                if attempts < 4 { Err("again") } else { Ok(attempts) }
            }
        });
        // Keeps the slot busy, so that the call waits in line again and again.
        let rival = async {
            for _ in 0..5 {
                let operation = || async {
                    sleep_ms(12).await;
                    Ok::<_, ()>(())
                };
                runtime.run(RunOptions::new(), operation).await.unwrap();
            }
        };
        let (_, cancelled) = tokio::join!(rival, CancelAt::new(k, call));
        assert_idle(&runtime);
        let after = runtime.run(RunOptions::new(), || async { Ok::<_, ()>(()) });
        assert_eq!(after.now_or_never(), Some(Ok(())));
        match cancelled {
            Some(result) => {
                assert_eq!(result, Ok(4));
                break;
            }
            None => points += 1,
        }
    }
    // At least: a line, a sleep and a yield for each of four attempts, and three delays.
    assert!(points >= 15, "only {points} points");
}
