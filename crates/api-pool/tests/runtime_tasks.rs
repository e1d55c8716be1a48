//! Calls run wherever their futures are polled.

use api_pool::{QueueGroup, RequestRuntime, RequestScope, RunOptions};
use futures_util::FutureExt;

fn runtime() -> RequestRuntime {
    RequestRuntime::builder("shop").build().expect("no limits are set")
}

fn task<T: Send + 'static>(task: T) -> T {
    task
}

#[test]
fn handles_can_be_shared_between_threads() {
    fn shared<T: Send + Sync + 'static>() {}
    shared::<RequestRuntime>();
    shared::<RequestScope>();
    shared::<QueueGroup>();
    shared::<RunOptions<std::io::Error>>();
}

#[tokio::test]
async fn a_call_outlives_the_handles_it_came_from() {
    let call = {
        let runtime = runtime();
        task(runtime.run(RunOptions::new(), || async { Ok::<_, ()>(1) }))
    };
    assert_eq!(tokio::spawn(call).await.unwrap(), Ok(1));
    let shared = {
        let runtime = runtime();
        task(runtime.shared("key", || async { Ok::<_, ()>(2) }))
    };
    assert_eq!(tokio::spawn(shared).await.unwrap(), Ok(2));
}

#[test]
fn a_call_that_need_not_wait_needs_no_tokio_runtime() {
    let runtime = runtime();
    let borrowed = String::from("borrowed");
    // Neither `Send` nor `'static`.
    let local = std::rc::Rc::new(7);
    let call = runtime.run(RunOptions::new(), || {
        let local = std::rc::Rc::clone(&local);
        let borrowed = borrowed.as_str();
        async move { Ok::<_, ()>(borrowed.len() + *local) }
    });
    assert_eq!(call.now_or_never(), Some(Ok(15)));
}

#[test]
fn a_blocking_program_can_wait_for_a_call() {
    let runtime = runtime();
    let threads = tokio::runtime::Builder::new_multi_thread().enable_time().build().unwrap();
    let result = threads.block_on(async {
        let handle = tokio::runtime::Handle::current();
        tokio::task::spawn_blocking(move || {
            handle.block_on(runtime.run(RunOptions::new(), || async { Ok::<_, ()>(1) }))
        })
        .await
    });
    assert_eq!(result.unwrap(), Ok(1));
}

#[tokio::test(start_paused = true)]
async fn nothing_is_spawned() {
    let metrics = tokio::runtime::Handle::current().metrics();
    let before = metrics.num_alive_tasks();
    let runtime = runtime();
    let options = RunOptions::new().retry(2);
    let failed = runtime.run(options, || async {
        assert_eq!(metrics.num_alive_tasks(), before);
        Err::<(), _>("offline")
    });
    assert!(failed.await.is_err());
    let (one, other) = tokio::join!(
        runtime.shared("key", || async { Ok::<_, ()>(()) }),
        runtime.shared("key", || async { Ok::<_, ()>(()) }),
    );
    assert_eq!((one, other), (Ok(()), Ok(())));
    assert_eq!(metrics.num_alive_tasks(), before);
}
