//! A shared execution never waits for itself: who asks it to is refused, and nothing is kept.

mod support;

use std::sync::Arc;

use api_pool::{RequestRuntime, RunError};
use futures_util::{FutureExt, future::BoxFuture};
use support::timeline::sleep_ms;

const REFUSED: &str = "the shared execution would wait for itself";

/// A key, and the runtime on which it is asked for.
type Step = (RequestRuntime, &'static str);

fn runtime() -> RequestRuntime {
    RequestRuntime::builder("shop").default_concurrency(9).build().expect("the limit is not zero")
}

fn on(runtime: &RequestRuntime, path: &[&'static str]) -> Vec<Step> {
    path.iter().map(|&key| (runtime.clone(), key)).collect()
}

/// Asks for the first step. Its execution asks for the rest after 10 ms, and says how long it was.
fn ask(path: &[Step]) -> BoxFuture<'static, Result<usize, String>> {
    let Some(((runtime, key), rest)) = path.split_first() else { return async { Ok(0) }.boxed() };
    let rest = rest.to_vec();
    let shared = runtime.shared(*key, move || {
        let rest = rest.clone();
        async move {
            sleep_ms(10).await;
            ask(&rest).await.map(|steps| steps + 1)
        }
    });
    let innermost = |error: RunError<Arc<String>>| match error {
        RunError::Failed(error) => error.to_string(),
        other => other.to_string(),
    };
    shared.map(move |answer| answer.map_err(innermost)).boxed()
}

/// As [`ask`], for less than an hour.
async fn answer(path: &[Step]) -> Result<usize, String> {
    tokio::select! {
        answer = ask(path) => answer,
        () = sleep_ms(3_600_000) => Err("it hangs".to_owned()),
    }
}

/// Nothing runs, and each key is free for work that goes well.
async fn assert_unharmed(runtime: &RequestRuntime) {
    let now = runtime.diagnostics();
    assert_eq!((now.active(), now.pending(), now.calls()), (0, 0, 0));
    for key in ["a", "b", "c"] {
        assert_eq!(ask(&on(runtime, &[key])).now_or_never(), None, "{key} is begun anew");
        assert_eq!(answer(&on(runtime, &[key])).await, Ok(1), "{key}");
    }
}

#[tokio::test(start_paused = true)]
async fn one_that_asks_for_itself_is_refused_however_far_round() {
    let runtime = runtime();
    for path in [&["a", "a"][..], &["a", "b", "a"], &["a", "b", "c", "b"]] {
        assert_eq!(answer(&on(&runtime, path)).await, Err(REFUSED.to_owned()), "{path:?}");
        assert_unharmed(&runtime).await;
    }
}

#[tokio::test(start_paused = true)]
async fn one_that_asks_for_itself_through_another_runtime_is_refused() {
    let (one, other) = (runtime(), runtime());
    let path = [(one.clone(), "a"), (other.clone(), "a"), (one.clone(), "a")];
    assert_eq!(answer(&path).await, Err(REFUSED.to_owned()));
    assert_unharmed(&one).await;
    assert_unharmed(&other).await;
}

#[tokio::test(start_paused = true)]
async fn of_two_that_come_to_wait_for_each_other_the_later_is_refused() {
    let runtime = runtime();
    let (a, b) = (on(&runtime, &["a", "b"]), on(&runtime, &["b", "a"]));
    let answers = tokio::join!(answer(&a), answer(&b));
    assert_eq!(answers, (Err(REFUSED.to_owned()), Err(REFUSED.to_owned())));
    assert_unharmed(&runtime).await;
}

#[tokio::test(start_paused = true)]
async fn two_may_wait_for_a_third() {
    let runtime = runtime();
    let (a, b) = (on(&runtime, &["a", "c"]), on(&runtime, &["b", "c"]));
    assert_eq!(tokio::join!(answer(&a), answer(&b)), (Ok(2), Ok(2)));
    assert_unharmed(&runtime).await;
}

/// `b` asks for `a`, which has asked for `b` twice, given up on one, and on the other if it says so.
async fn given_up(both: bool) -> Result<usize, String> {
    let runtime = runtime();
    let b = on(&runtime, &["b"]);
    let a = runtime.shared("a", move || {
        let b = b.clone();
        async move {
            let (mut one, mut other) = (ask(&b), ask(&b));
            assert_eq!(((&mut one).now_or_never(), (&mut other).now_or_never()), (None, None));
            drop(one);
            let kept = (!both).then_some(other);
            sleep_ms(50).await;
            drop(kept);
            Ok::<usize, String>(1)
        }
    });
    let asks = on(&runtime, &["b", "a"]);
    let (b, a) = tokio::join!(answer(&asks), a);
    assert_eq!(a, Ok(1));
    assert_unharmed(&runtime).await;
    b
}

#[tokio::test(start_paused = true)]
async fn one_that_has_given_up_waits_no_more() {
    assert_eq!(given_up(true).await, Ok(2));
    assert_eq!(given_up(false).await, Err(REFUSED.to_owned()));
}
