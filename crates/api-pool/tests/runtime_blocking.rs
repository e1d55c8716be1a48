//! Work that cannot be interrupted keeps its slot until it has really ended.

mod support;

use std::{sync::mpsc, time::Duration};

use api_pool::{RequestRuntime, RunError, RunOptions};
use support::timeline::Timeline;

fn runtime() -> RequestRuntime {
    RequestRuntime::builder("shop")
        .max_concurrent_requests(1)
        .build()
        .expect("the limits are not zero")
}

/// Blocking work that says when it starts and ends when it is told to.
struct Work {
    started: tokio::sync::mpsc::UnboundedReceiver<()>,
    end: mpsc::Sender<Result<u32, ()>>,
}

fn work() -> (Work, impl FnMut() -> Result<u32, ()> + Send + 'static) {
    let (starting, started) = tokio::sync::mpsc::unbounded_channel();
    let (end, ended) = mpsc::channel();
    let operation = move || {
        starting.send(()).map_err(drop)?;
        ended.recv().map_err(drop)?
    };
    (Work { started, end }, operation)
}

async fn next_call_starts(runtime: &RequestRuntime) {
    runtime.run(RunOptions::new(), || async { Ok::<_, ()>(()) }).await.expect("a free slot");
}

#[tokio::test]
async fn blocking_work_runs_on_another_thread_and_answers() {
    let caller = std::thread::current().id();
    let worker = runtime()
        .run_blocking(RunOptions::new(), || Ok::<_, ()>(std::thread::current().id()))
        .await
        .unwrap();
    assert_ne!(worker, caller);
}

#[tokio::test]
async fn a_cancelled_caller_is_answered_at_once_and_the_slot_stays_taken_to_the_end() {
    let runtime = runtime();
    let (mut work, operation) = work();
    let call = tokio::spawn(runtime.run_blocking(RunOptions::new(), operation));
    work.started.recv().await.unwrap();

    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    assert_eq!(runtime.diagnostics().active(), 1);
    let next = tokio::spawn({
        let runtime = runtime.clone();
        async move { next_call_starts(&runtime).await }
    });
    tokio::task::yield_now().await;
    let now = runtime.diagnostics();
    assert_eq!((now.active(), now.pending()), (1, 1));

    work.end.send(Ok(1)).unwrap();
    next.await.unwrap();
}

#[tokio::test]
async fn disposal_answers_the_caller_at_once_and_the_slot_stays_taken_to_the_end() {
    let runtime = runtime();
    let scope = runtime.scope();
    let (mut work, operation) = work();
    let call = tokio::spawn(scope.run_blocking(RunOptions::new(), operation));
    work.started.recv().await.unwrap();

    scope.dispose();
    assert!(call.await.unwrap().unwrap_err().is_disposed());
    assert_eq!(runtime.diagnostics().active(), 1);

    work.end.send(Ok(1)).unwrap();
    next_call_starts(&runtime).await;
}

#[tokio::test]
async fn a_call_cancelled_in_line_never_starts() {
    let runtime = runtime();
    let (mut running, operation) = work();
    let first = tokio::spawn(runtime.run_blocking(RunOptions::new(), operation));
    running.started.recv().await.unwrap();
    let (mut waiting, operation) = work();
    let second = tokio::spawn(runtime.run_blocking(RunOptions::new(), operation));
    tokio::task::yield_now().await;
    assert_eq!(runtime.diagnostics().pending(), 1);

    second.abort();
    assert!(second.await.is_err());
    running.end.send(Ok(1)).unwrap();
    assert_eq!(first.await.unwrap(), Ok(1));
    next_call_starts(&runtime).await;
    // Its operation is gone, and has never run.
    assert_eq!(waiting.started.recv().await, None);
}

#[test]
fn work_that_no_thread_has_taken_up_is_called_off() {
    let threads = tokio::runtime::Builder::new_current_thread()
        .max_blocking_threads(1)
        .enable_all()
        .build()
        .unwrap();
    threads.block_on(async {
        let runtime = RequestRuntime::builder("shop").group("queued", 1).build().unwrap();
        let (mut running, operation) = work();
        let first = tokio::spawn(runtime.run_blocking(RunOptions::new(), operation));
        running.started.recv().await.unwrap();
        // Has a slot, but the only thread is taken.
        let (mut queued, operation) = work();
        let options = || RunOptions::new().group("queued");
        let second = tokio::spawn(runtime.run_blocking(options(), operation));
        tokio::task::yield_now().await;
        assert_eq!(runtime.diagnostics().active(), 2);
        second.abort();
        assert!(second.await.is_err());
        running.end.send(Ok(1)).unwrap();
        assert_eq!(first.await.unwrap(), Ok(1));
        assert_eq!(queued.started.recv().await, None);
        // The thread drops the operation first, then the slot.
        runtime.run(options(), || async { Ok::<_, ()>(()) }).await.unwrap();
        assert_eq!(runtime.diagnostics().active(), 0);
    });
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_repeated_after_exactly_its_delay() {
    let runtime = runtime();
    let timeline = Timeline::start();
    let (record, mut attempts) = (timeline.clone(), 0);
    let result = runtime
        .run_blocking(RunOptions::new().retry(3).retry_delay(Duration::from_secs(7)), move || {
            attempts += 1;
            record.record("attempt");
            if attempts < 3 { Err("offline") } else { Ok(attempts) }
        })
        .await;
    assert_eq!(result, Ok(3));
    timeline.assert(&[(0, "attempt"), (7_000, "attempt"), (14_000, "attempt")]);
}

#[tokio::test]
async fn a_panic_reaches_the_caller_and_gives_the_slot_back() {
    let runtime = runtime();
    let call = tokio::spawn(runtime.run_blocking(RunOptions::new(), || -> Result<(), ()> {
        std::panic::panic_any("on purpose")
    }));
    let panic = call.await.unwrap_err().into_panic();
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"on purpose"));
    next_call_starts(&runtime).await;
    assert_eq!(runtime.diagnostics().calls(), 0);
}

#[test]
fn a_runtime_that_shuts_down_cancels_work_that_has_not_started() {
    let threads = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let handle = threads.handle().clone();
    threads.shutdown_background();
    let runtime = runtime();
    let _entered = handle.enter();
    let call = runtime.run_blocking(RunOptions::new(), || Ok::<_, ()>(1));
    assert_eq!(futures_util::FutureExt::now_or_never(call), Some(Err(RunError::Cancelled)));
    assert_eq!(runtime.diagnostics().active(), 0);
}
