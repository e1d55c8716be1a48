//! How often a call is repeated, and exactly how long it waits.

mod support;

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use api_pool::{RequestRuntime, RunError, RunOptions};
use support::timeline::Timeline;

/// Runs an operation that always fails with the number of its attempt; says when each began.
async fn starts(runtime: &RequestRuntime, options: RunOptions<u64>) -> Vec<u64> {
    let timeline = Timeline::start();
    let mut attempt = 0;
    let result: Result<(), _> = runtime
        .run(options, || {
            timeline.record("");
            attempt += 1;
            async move { Err(attempt) }
        })
        .await;
    let starts: Vec<_> = timeline.entries().into_iter().map(|(ms, _)| ms).collect();
    // The error is that of the last attempt.
    assert_eq!(result, Err(RunError::Failed(starts.len() as u64)));
    starts
}

fn runtime(random: impl Fn() -> f64 + Send + Sync + 'static) -> RequestRuntime {
    RequestRuntime::builder("shop").retry_random(random).build().expect("the limits are not zero")
}

#[tokio::test(start_paused = true)]
async fn retry_counts_repeats_after_the_first_attempt() {
    let runtime = runtime(|| 0.0);
    let fixed = |repeats| RunOptions::new().retry_delay(Duration::from_secs(1)).retry(repeats);
    assert_eq!(starts(&runtime, fixed(0)).await, [0]);
    assert_eq!(starts(&runtime, fixed(1)).await, [0, 1_000]);
    assert_eq!(starts(&runtime, fixed(3)).await, [0, 1_000, 2_000, 3_000]);
}

#[tokio::test(start_paused = true)]
async fn retry_is_off_by_default_and_can_be_switched_off() {
    let runtime = runtime(|| 0.0);
    assert_eq!(starts(&runtime, RunOptions::new()).await, [0]);
    assert_eq!(starts(&runtime, RunOptions::default()).await, [0]);
    assert_eq!(starts(&runtime, RunOptions::new().retry(3).no_retry()).await, [0]);
}

#[tokio::test(start_paused = true)]
async fn the_built_in_delay_doubles_from_1_s_to_30_s() {
    let most = runtime(|| 1.0 - f64::EPSILON / 2.0);
    assert_eq!(
        starts(&most, RunOptions::new().retry(7)).await,
        [0, 1_000, 3_000, 7_000, 15_000, 31_000, 61_000, 91_000]
    );
}

#[tokio::test(start_paused = true)]
async fn the_built_in_delay_is_drawn_between_nothing_and_its_bound() {
    let half = runtime(|| 0.5);
    assert_eq!(starts(&half, RunOptions::new().retry(3)).await, [0, 500, 1_500, 3_500]);
    let least = runtime(|| 0.0);
    assert_eq!(starts(&least, RunOptions::new().retry(3)).await, [0, 0, 0, 0]);
}

#[tokio::test(start_paused = true)]
async fn each_delay_is_a_draw_of_its_own() {
    let draws = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&draws);
    // 0, 0.25, 0.5, 0.75
    #[expect(clippy::cast_precision_loss, reason = "four small numbers")]
    let runtime = runtime(move || counter.fetch_add(1, Ordering::Relaxed) as f64 / 4.0);
    assert_eq!(starts(&runtime, RunOptions::new().retry(4)).await, [0, 0, 500, 2_500, 8_500]);
    assert_eq!(draws.load(Ordering::Relaxed), 4);
}

#[tokio::test(start_paused = true)]
async fn without_an_injected_source_delays_stay_within_their_bounds_and_differ() {
    let runtime = RequestRuntime::builder("shop").build().unwrap();
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..50 {
        let starts = starts(&runtime, RunOptions::new().retry(2)).await;
        assert!(starts[1] <= 1_000 && starts[2] - starts[1] <= 2_000, "{starts:?}");
        seen.insert(starts[1]);
    }
    assert!(seen.len() > 10, "{seen:?}");
}

#[tokio::test(start_paused = true)]
async fn a_source_that_breaks_its_word_stays_within_the_bounds() {
    for random in [f64::NAN, f64::INFINITY, 7.0, 1.0] {
        assert_eq!(starts(&runtime(move || random), RunOptions::new().retry(1)).await, [0, 1_000]);
    }
    for random in [-1.0, f64::NEG_INFINITY] {
        assert_eq!(starts(&runtime(move || random), RunOptions::new().retry(1)).await, [0, 0]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_fixed_delay_is_used_exactly() {
    let runtime = runtime(|| panic!("a fixed delay draws nothing"));
    for ms in [0, 1, 700, 90_000] {
        let options = RunOptions::new().retry(2).retry_delay(Duration::from_millis(ms));
        assert_eq!(starts(&runtime, options).await, [0, ms, 2 * ms]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_delay_function_is_used_exactly() {
    let runtime = runtime(|| panic!("a delay function draws nothing"));
    let options = RunOptions::new().retry(3).retry_delay_with(|failures, error: &u64| {
        // The failures of this call, and the error of the last: here the same number.
        assert_eq!(u64::from(failures), *error);
        Duration::from_secs(60 * error)
    });
    assert_eq!(starts(&runtime, options.clone()).await, [0, 60_000, 180_000, 360_000]);
    // The count starts anew with each call, also with the same options.
    assert_eq!(starts(&runtime, options).await, [0, 60_000, 180_000, 360_000]);
}

#[tokio::test(start_paused = true)]
async fn a_failure_that_is_not_worth_it_ends_the_call_at_once() {
    let runtime = runtime(|| 0.5);
    let options = RunOptions::new().retry(9).retry_if(|error: &u64| *error < 3);
    assert_eq!(starts(&runtime, options.clone()).await, [0, 500, 1_500]);
    assert_eq!(starts(&runtime, options.retry(1)).await, [0, 500]);
}

#[tokio::test(start_paused = true)]
async fn concurrent_calls_count_their_own_failures() {
    let runtime = runtime(|| 0.0);
    let options = RunOptions::new()
        .retry(2)
        .retry_delay_with(|failures, _: &u64| Duration::from_secs(failures.into()));
    let (one, other) =
        tokio::join!(starts(&runtime, options.clone()), starts(&runtime, options.clone()));
    assert_eq!(one, [0, 1_000, 3_000]);
    assert_eq!(other, one);
}

#[tokio::test(start_paused = true)]
async fn success_ends_the_call_and_the_operation_is_called_afresh_each_time() {
    let runtime = runtime(|| 0.5);
    let timeline = Timeline::start();
    let mut attempt = 0;
    let result = runtime
        .run(RunOptions::new().retry(9), || {
            attempt += 1;
            async move { if attempt < 3 { Err("not yet") } else { Ok(attempt) } }
        })
        .await;
    assert_eq!(result, Ok(3));
    assert_eq!(timeline.ms(), 500 + 1_000);
}

#[tokio::test(start_paused = true)]
async fn the_longest_delay_does_not_panic() {
    let runtime = runtime(|| 0.5);
    let options = RunOptions::new().retry(1).retry_delay(Duration::MAX);
    let forever = runtime.run(options, || async { Err::<(), _>(()) });
    let year = Duration::from_secs(60 * 60 * 24 * 365);
    assert!(tokio::time::timeout(year, forever).await.is_err());
}
