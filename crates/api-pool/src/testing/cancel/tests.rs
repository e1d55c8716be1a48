//! A future can be dropped at each of its await points, and at no other moment.

#![expect(clippy::disallowed_methods, reason = "the test watches a paused clock")]

use std::{cell::Cell, time::Duration};

use tokio::task::yield_now;

use super::{CancelAt, pending_count};

/// Sets its cell when dropped.
struct Flag<'a>(&'a Cell<bool>);

impl Drop for Flag<'_> {
    fn drop(&mut self) {
        self.0.set(true);
    }
}

#[tokio::test]
async fn visits_each_await_point_once() {
    let reached = Cell::new(0);
    let work = || async {
        for step in 1..=3 {
            reached.set(step);
            yield_now().await;
        }
        "done"
    };

    let mut visited = Vec::new();
    for pending in 0.. {
        reached.set(0);
        let outcome = CancelAt::new(pending, work()).await;
        visited.push(reached.get());
        if outcome.is_some() {
            break;
        }
    }

    assert_eq!(visited, [0, 1, 2, 3, 3]);
}

#[tokio::test]
async fn the_inner_future_is_gone_when_the_wrapper_ends() {
    let dropped = Cell::new(false);
    let guard = Flag(&dropped);
    let mut cancelled = Box::pin(CancelAt::new(1, async move {
        let _guard = guard;
        std::future::pending::<()>().await;
    }));

    assert_eq!(cancelled.as_mut().await, None);

    assert!(dropped.get(), "dropped before the wrapper itself is");
}

#[tokio::test]
async fn an_unpolled_future_runs_nothing() {
    let ran = Cell::new(false);
    assert_eq!(CancelAt::new(0, async { ran.set(true) }).await, None);
    assert!(!ran.get());
}

#[tokio::test(start_paused = true)]
async fn a_paused_clock_still_moves_what_is_kept() {
    let nap = || tokio::time::sleep(Duration::from_secs(5));
    let started = tokio::time::Instant::now();
    assert_eq!(CancelAt::new(1, nap()).await, None);
    assert_eq!(started.elapsed(), Duration::ZERO);
    assert_eq!(CancelAt::new(2, nap()).await, Some(()));
    assert_eq!(started.elapsed(), Duration::from_secs(5));
}

#[tokio::test]
async fn counts_every_pending_poll() {
    let (output, pending) = pending_count(async {
        yield_now().await;
        yield_now().await;
        'x'
    })
    .await;
    assert_eq!((output, pending), ('x', 2));
}
