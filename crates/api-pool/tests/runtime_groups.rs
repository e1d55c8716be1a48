//! Calls run in groups, each with slots of its own.

mod support;

use api_pool::{RequestRuntime, RequestRuntimeBuilder, RunOptions};
use futures_util::future::join_all;
use support::timeline::{Timeline, sleep_ms};

/// Runs `calls` calls of 100 ms in `group` and says when each of them started.
async fn starts(runtime: &RequestRuntime, group: Option<&'static str>, calls: usize) -> Vec<u64> {
    let timeline = Timeline::start();
    let options = || group.map_or_else(RunOptions::new, |name| RunOptions::new().group(name));
    join_all((0..calls).map(|_| async {
        let operation = || async {
            let started = timeline.ms();
            sleep_ms(100).await;
            Ok::<_, ()>(started)
        };
        runtime.run(options(), operation).await.expect("the operation succeeds")
    }))
    .await
}

fn shop() -> RequestRuntimeBuilder {
    RequestRuntime::builder("shop")
}

#[tokio::test(start_paused = true)]
async fn nothing_set_means_no_limit() {
    let runtime = shop().build().unwrap();
    assert_eq!(starts(&runtime, None, 1_000).await, [0; 1_000]);
}

#[tokio::test(start_paused = true)]
async fn max_concurrent_requests_limits_the_default_group() {
    let runtime = shop().max_concurrent_requests(2).build().unwrap();
    assert_eq!(starts(&runtime, None, 5).await, [0, 0, 100, 100, 200]);
    assert_eq!(starts(&runtime, Some("default"), 3).await, [0, 0, 100]);
}

#[tokio::test(start_paused = true)]
async fn default_concurrency_wins_over_max_concurrent_requests() {
    let before = shop().default_concurrency(1).max_concurrent_requests(5);
    let after = shop().max_concurrent_requests(5).default_concurrency(1);
    let named = shop().max_concurrent_requests(5).group("default", 1);
    for builder in [before, after, named] {
        assert_eq!(starts(&builder.build().unwrap(), None, 3).await, [0, 100, 200]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_group_has_the_limit_it_was_given_and_the_last_one_counts() {
    let runtime = shop().default_concurrency(9).group("a", 5).group("a", 1).build().unwrap();
    assert_eq!(starts(&runtime, Some("a"), 3).await, [0, 100, 200]);
}

#[tokio::test(start_paused = true)]
async fn an_unknown_group_is_the_default_group() {
    let runtime = shop().default_concurrency(2).group("a", 1).build().unwrap();
    let (unknown, none) =
        tokio::join!(starts(&runtime, Some("nowhere"), 2), starts(&runtime, None, 2));
    assert_eq!(unknown, [0, 0]);
    assert_eq!(none, [100, 100]); // the same two slots
}

#[tokio::test(start_paused = true)]
async fn groups_do_not_take_each_others_slots() {
    let runtime = shop().default_concurrency(1).group("a", 2).group("b", 3).build().unwrap();
    let (default, a, b) = tokio::join!(
        starts(&runtime, None, 3),
        starts(&runtime, Some("a"), 4),
        starts(&runtime, Some("b"), 6),
    );
    assert_eq!(default, [0, 100, 200]);
    assert_eq!(a, [0, 0, 100, 100]);
    assert_eq!(b, [0, 0, 0, 100, 100, 100]);
}

#[tokio::test(start_paused = true)]
async fn a_group_that_is_saturated_for_ten_minutes_does_not_delay_another() {
    let runtime = shop().group("hot", 2).group("cold", 1).build().unwrap();
    let (_hot, cold) = tokio::join!(starts(&runtime, Some("hot"), 12_000), async {
        let mut waits = Vec::new();
        for _ in 0..600 {
            let began = Timeline::start();
            let operation = || async { Ok::<_, ()>(began.ms()) };
            waits.push(runtime.run(RunOptions::new().group("cold"), operation).await.unwrap());
            sleep_ms(1_000).await;
        }
        waits
    });
    assert_eq!(cold, [0; 600]);
}

#[test]
fn a_limit_of_zero_is_refused_by_name() {
    for (builder, name) in [
        (shop().max_concurrent_requests(0), "max_concurrent_requests"),
        (shop().max_concurrent_requests(0).default_concurrency(1), "max_concurrent_requests"),
        (shop().default_concurrency(0), "default_concurrency"),
        (shop().group("default", 0), "default_concurrency"),
        (shop().group("a", 1).group("b", 0), "b"),
    ] {
        assert_eq!(builder.build().unwrap_err().setting(), name);
    }
}

#[test]
fn the_application_has_a_name() {
    assert_eq!(shop().build().unwrap().application_id(), "shop");
}
