//! The limit is on attempts: who waits, who runs, and when a slot is free again.

mod support;

use std::time::Duration;

use api_pool::{QueueClass, RequestRuntime, RunError, RunOptions};
use futures_util::future::join_all;
use support::timeline::{Timeline, sleep_ms};

fn runtime(slots: usize) -> RequestRuntime {
    RequestRuntime::builder("shop")
        .max_concurrent_requests(slots)
        .build()
        .expect("the limits are not zero")
}

#[tokio::test(start_paused = true)]
async fn five_of_twenty_run_and_fifteen_wait_in_order() {
    let runtime = runtime(5);
    let timeline = Timeline::start();
    let calls = join_all((0..20).map(|n| {
        let timeline = &timeline;
        runtime.run(RunOptions::new(), move || async move {
            timeline.record(format!("{n}"));
            sleep_ms(100).await;
            Ok::<_, ()>(())
        })
    }));
    let look = async {
        sleep_ms(50).await;
        let now = runtime.diagnostics();
        assert_eq!((now.active(), now.pending(), now.calls()), (5, 15, 20));
    };
    tokio::join!(calls, look);
    let expected: Vec<_> = (0..20_u64).map(|n| (n / 5 * 100, n.to_string())).collect();
    assert_eq!(timeline.entries(), expected);
    assert_eq!(timeline.ms(), 400);
}

/// Runs `first` and then a call that records when it starts, on one slot.
async fn with_a_second_call(
    options: RunOptions<&'static str>,
    results: Vec<Result<(), &'static str>>,
) -> Timeline {
    let runtime = runtime(1);
    let timeline = Timeline::start();
    let mut results = results.into_iter();
    let first = runtime.run(options, || {
        timeline.record("first");
        let result = results.next().unwrap_or(Ok(()));
        async move {
            sleep_ms(100).await;
            result
        }
    });
    let second = runtime.run(RunOptions::new(), || {
        timeline.record("second");
        async {
            sleep_ms(1_000).await;
            Ok::<_, ()>(())
        }
    });
    let (_, second) = tokio::join!(first, second);
    assert_eq!(second, Ok(()));
    timeline
}

#[tokio::test(start_paused = true)]
async fn a_slot_is_free_after_success() {
    let timeline = with_a_second_call(RunOptions::new(), vec![Ok(())]).await;
    timeline.assert(&[(0, "first"), (100, "second")]);
}

#[tokio::test(start_paused = true)]
async fn a_slot_is_free_after_the_final_error() {
    let timeline = with_a_second_call(RunOptions::new(), vec![Err("broken")]).await;
    timeline.assert(&[(0, "first"), (100, "second")]);
}

#[tokio::test(start_paused = true)]
async fn a_slot_is_free_during_the_delay_and_the_retry_waits_its_turn() {
    let options = RunOptions::new().retry(1).retry_delay(Duration::from_millis(200));
    let timeline = with_a_second_call(options, vec![Err("broken")]).await;
    // Due at 300, while the second call has the slot until 1,100.
    timeline.assert(&[(0, "first"), (100, "second"), (1_100, "first")]);
}

#[tokio::test(start_paused = true)]
async fn a_retry_joins_the_tail_of_its_group() {
    let runtime = runtime(1);
    let timeline = Timeline::start();
    let options = |n| {
        let repeats = if n == 0 { 2 } else { 0 };
        RunOptions::new().retry(repeats).retry_delay(Duration::from_millis(50))
    };
    let results = join_all((0..5).map(|n| {
        let timeline = &timeline;
        runtime.run(options(n), move || async move {
            timeline.record(format!("{n}"));
            sleep_ms(100).await;
            if n == 0 { Err("again") } else { Ok(n) }
        })
    }))
    .await;
    timeline.assert(&[
        (0, "0"), // fails at 100, is back in line at 150, behind 2, 3 and 4
        (100, "1"),
        (200, "2"),
        (300, "3"),
        (400, "4"),
        (500, "0"),
        (650, "0"), // nobody waits any more: only the delay remains
    ]);
    assert_eq!(results[0], Err(RunError::Failed("again")));
    assert_eq!(results[1..], [Ok(1), Ok(2), Ok(3), Ok(4)]);
}

#[tokio::test(start_paused = true)]
async fn an_essential_call_goes_before_those_that_wait() {
    let runtime = runtime(1);
    let timeline = Timeline::start();
    join_all((0..4).map(|n| {
        let timeline = &timeline;
        let class = if n == 3 { QueueClass::Essential } else { QueueClass::Background };
        runtime.run(RunOptions::new().class(class), move || async move {
            timeline.record(format!("{n}"));
            sleep_ms(100).await;
            Ok::<_, ()>(())
        })
    }))
    .await;
    timeline.assert(&[(0, "0"), (100, "3"), (200, "1"), (300, "2")]);
}

#[tokio::test(start_paused = true)]
async fn bounds_on_the_line_end_a_call_with_the_bound() {
    let limit = Duration::from_secs(3);
    let runtime = RequestRuntime::builder("shop")
        .max_concurrent_requests(1)
        .max_waiting(1)
        .max_wait(limit)
        .build()
        .unwrap();
    let timeline = Timeline::start();
    let call = |_| async {
        let operation = || async {
            sleep_ms(10_000).await;
            Ok::<_, ()>(())
        };
        (runtime.run(RunOptions::new(), operation).await, timeline.ms())
    };
    assert_eq!(
        join_all((0..3).map(call)).await,
        [
            (Ok(()), 10_000),
            (Err(RunError::QueueTimeout { limit }), 3_000),
            (Err(RunError::QueueFull { limit: 1 }), 0),
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_the_operation_gives_the_slot_back() {
    let runtime = runtime(1);
    let panicking = tokio::spawn(
        runtime.run(RunOptions::new(), || async { panic!("on purpose") as Result<(), ()> }),
    );
    assert!(panicking.await.unwrap_err().is_panic());
    let now = runtime.diagnostics();
    assert_eq!((now.active(), now.calls()), (0, 0));
    assert_eq!(runtime.run(RunOptions::new(), || async { Ok::<_, ()>(1) }).await, Ok(1));
}
