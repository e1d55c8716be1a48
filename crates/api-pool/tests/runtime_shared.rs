//! Callers of one key share one execution.

mod support;

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use api_pool::{RequestRuntime, RunError, RunOptions};
use futures_util::{FutureExt, future::join_all};
use support::timeline::{Timeline, sleep_ms};

fn runtime() -> RequestRuntime {
    RequestRuntime::builder("shop")
        .max_concurrent_requests(1)
        .build()
        .expect("the limits are not zero")
}

/// An operation of 100 ms that counts its executions and records what becomes of them.
#[derive(Clone)]
struct Counted {
    executions: Arc<AtomicUsize>,
    timeline: Timeline,
}

impl Counted {
    fn new() -> Self {
        Self { executions: Arc::default(), timeline: Timeline::start() }
    }

    fn executions(&self) -> usize {
        self.executions.load(Ordering::Relaxed)
    }

    fn operation(
        &self,
    ) -> impl FnMut() -> futures_util::future::BoxFuture<'static, Answer> + 'static + use<> {
        struct Dropped(Option<Timeline>);
        impl Drop for Dropped {
            fn drop(&mut self) {
                if let Some(timeline) = &self.0 {
                    timeline.record("dropped");
                }
            }
        }
        let this = self.clone();
        move || {
            let this = this.clone();
            async move {
                let number = this.executions.fetch_add(1, Ordering::Relaxed) + 1;
                this.timeline.record("started");
                let mut dropped = Dropped(Some(this.timeline.clone()));
                sleep_ms(100).await;
                dropped.0 = None;
                Ok(number)
            }
            .boxed()
        }
    }
}

type Answer = Result<usize, &'static str>;

#[tokio::test(start_paused = true)]
async fn concurrent_callers_of_a_key_share_one_execution() {
    let (runtime, counted) = (runtime(), Counted::new());
    let caller = |after| {
        let call = runtime.shared("key", counted.operation());
        async move {
            sleep_ms(after).await;
            call.await
        }
    };
    let answers = join_all((0..100).map(caller)).await;
    assert_eq!(answers, vec![Ok(1); 100]);
    assert_eq!((counted.executions(), counted.timeline.ms()), (1, 100));
    assert_eq!(runtime.diagnostics().calls(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_caller_after_the_end_starts_anew() {
    let (runtime, counted) = (runtime(), Counted::new());
    for expected in 1..=3 {
        assert_eq!(runtime.shared("key", counted.operation()).await, Ok(expected));
    }
}

#[tokio::test(start_paused = true)]
async fn keys_and_types_do_not_mix() {
    let runtime = RequestRuntime::builder("shop").build().unwrap();
    let (a, b, text) = tokio::join!(
        runtime.shared("a", || async { Ok::<_, ()>(sleep_ms(5).map(|()| 1).await) }),
        runtime.shared("b", || async { Ok::<_, ()>(sleep_ms(5).map(|()| 2).await) }),
        runtime.shared("a", || async { Ok::<_, ()>(sleep_ms(5).map(|()| "text").await) }),
    );
    assert_eq!((a, b, text), (Ok(1), Ok(2), Ok("text")));
}

#[tokio::test(start_paused = true)]
async fn an_error_is_shared_after_the_retries_of_one_execution() {
    let runtime = runtime();
    let timeline = Timeline::start();
    let call = || {
        let timeline = timeline.clone();
        let options = RunOptions::new().retry(2).retry_delay(Duration::from_secs(1));
        runtime.shared_with("key", options, move || {
            timeline.record("attempt");
            async { Err::<(), _>("offline") }
        })
    };
    let (one, other) = tokio::join!(call(), call());
    assert_eq!(one, Err(RunError::Failed(Arc::new("offline"))));
    assert_eq!(one, other);
    timeline.assert(&[(0, "attempt"), (1_000, "attempt"), (2_000, "attempt")]);
}

#[tokio::test(start_paused = true)]
async fn a_caller_who_leaves_does_not_cancel_it_for_the_others() {
    let (runtime, counted) = (runtime(), Counted::new());
    // Leaving one after the other, the one who drives it first.
    let leaving = join_all((1..=9).map(|n| {
        tokio::time::timeout(
            Duration::from_millis(n * 10),
            runtime.shared("key", counted.operation()),
        )
    }));
    let (left, stayed) = tokio::join!(leaving, runtime.shared("key", counted.operation()));
    assert!(left.iter().all(Result::is_err));
    assert_eq!(stayed, Ok(1));
    counted.timeline.assert(&[(0, "started")]);
    assert_eq!(counted.timeline.ms(), 100);
}

#[tokio::test(start_paused = true)]
async fn the_last_caller_who_leaves_cancels_it() {
    let (runtime, counted) = (runtime(), Counted::new());
    let leaving = [30, 60, 50].map(|ms| {
        tokio::time::timeout(Duration::from_millis(ms), runtime.shared("key", counted.operation()))
    });
    assert!(join_all(leaving).await.iter().all(Result::is_err));
    counted.timeline.assert(&[(0, "started"), (60, "dropped")]);
    let now = runtime.diagnostics();
    assert_eq!((now.active(), now.calls()), (0, 0));
    // And the key is free again.
    assert_eq!(runtime.shared("key", counted.operation()).await, Ok(2));
}

#[tokio::test(start_paused = true)]
async fn an_execution_that_waits_for_a_slot_is_cancelled_before_it_starts() {
    let (runtime, counted) = (runtime(), Counted::new());
    let busy = runtime.run(RunOptions::new(), || async {
        sleep_ms(1_000).await;
        Ok::<_, ()>(())
    });
    let leaving =
        tokio::time::timeout(Duration::from_millis(10), runtime.shared("key", counted.operation()));
    let (_, left) = tokio::join!(busy, leaving);
    assert!(left.is_err());
    assert_eq!(counted.executions(), 0);
    assert_eq!(runtime.diagnostics().pending(), 0);
}

#[tokio::test(start_paused = true)]
async fn the_owner_cancels_it_for_all() {
    let (runtime, counted) = (runtime(), Counted::new());
    let callers = join_all((0..3).map(|_| runtime.shared("key", counted.operation())));
    let cancel = async {
        sleep_ms(40).await;
        assert_eq!(runtime.cancel_shared("another key"), 0);
        runtime.cancel_shared("key")
    };
    let (answers, cancelled) = tokio::join!(callers, cancel);
    assert_eq!(cancelled, 1);
    assert_eq!(answers, [const { Err(RunError::Cancelled) }; 3]);
    counted.timeline.assert(&[(0, "started"), (40, "dropped")]);
    assert_eq!(counted.timeline.ms(), 40);
    assert_eq!(runtime.shared("key", counted.operation()).await, Ok(2));
}

#[tokio::test(start_paused = true)]
async fn disposing_of_the_runtime_ends_it_for_all() {
    let (runtime, counted) = (runtime(), Counted::new());
    let callers = join_all((0..3).map(|_| runtime.shared("key", counted.operation())));
    let dispose = async {
        sleep_ms(40).await;
        runtime.dispose();
    };
    let (answers, ()) = tokio::join!(callers, dispose);
    assert!(answers.iter().all(|answer| answer.as_ref().is_err_and(RunError::is_disposed)));
    counted.timeline.assert(&[(0, "started"), (40, "dropped")]);
}

#[tokio::test(start_paused = true)]
async fn disposing_of_a_scope_takes_only_its_callers_off() {
    let (runtime, counted) = (runtime(), Counted::new());
    let scope = runtime.scope();
    let dispose = async {
        sleep_ms(40).await;
        scope.dispose();
    };
    // The scope's caller starts it and drives it first.
    let (in_scope, outside, ()) = tokio::join!(
        scope.shared("key", counted.operation()),
        runtime.shared("key", counted.operation()),
        dispose,
    );
    assert!(in_scope.unwrap_err().is_disposed());
    assert_eq!(outside, Ok(1));
    counted.timeline.assert(&[(0, "started")]);
}

#[tokio::test(start_paused = true)]
async fn a_panic_reaches_who_drives_it_and_the_others_hear_of_a_cancellation() {
    let runtime = runtime();
    let call = || {
        tokio::spawn(runtime.shared("key", || async {
            sleep_ms(10).await;
            panic!("on purpose") as Result<(), ()>
        }))
    };
    let (one, other) = (call(), call());
    let (one, other) = tokio::join!(one, other);
    let (panicked, cancelled) = if one.is_err() { (one, other) } else { (other, one) };
    assert!(panicked.unwrap_err().is_panic());
    assert_eq!(cancelled.unwrap(), Err(RunError::Cancelled));
    let now = runtime.diagnostics();
    assert_eq!((now.active(), now.calls()), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn a_caller_whose_future_rests_does_not_hold_the_others_up() {
    let (runtime, counted) = (runtime(), Counted::new());
    // Polled once, so it drives the execution, and then never again.
    let mut resting = Box::pin(runtime.shared("key", counted.operation()));
    assert!((&mut resting).now_or_never().is_none());
    assert_eq!(runtime.shared("key", counted.operation()).await, Ok(1));
    // It still gets the answer.
    assert_eq!(resting.await, Ok(1));
    assert_eq!(counted.executions(), 1);
}

#[test]
fn callers_on_several_threads_share_one_execution() {
    let threads =
        tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build().unwrap();
    threads.block_on(async {
        for _ in 0..200 {
            let runtime = runtime();
            let executions = Arc::new(AtomicUsize::new(0));
            let callers: Vec<_> = (0..8)
                .map(|_| {
                    let executions = Arc::clone(&executions);
                    tokio::spawn(runtime.shared("key", move || {
                        executions.fetch_add(1, Ordering::SeqCst);
                        async {
                            for _ in 0..20 {
                                tokio::task::yield_now().await;
                            }
                            Ok::<_, ()>(())
                        }
                    }))
                })
                .collect();
            for caller in callers {
                assert_eq!(caller.await.unwrap(), Ok(()));
            }
            // Callers that came after an end started anew.
            assert!((1..=8).contains(&executions.load(Ordering::SeqCst)));
            assert_eq!(runtime.diagnostics().calls(), 0);
        }
    });
}
