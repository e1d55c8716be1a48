//! How long a stage of a call was waited for.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use crate::clock;
use crate::event::WaitStage;
use crate::observer::Watcher;

/// Runs `stage` and reports the time it was pending for. A stage that is over at once costs no
/// clock read.
pub(super) async fn timed<F: Future>(
    watcher: Option<&Watcher>,
    stage: WaitStage,
    future: F,
) -> F::Output {
    let mut future = pin!(future);
    let mut since = None;
    poll_fn(|context| {
        let poll = future.as_mut().poll(context);
        match (&poll, watcher, since) {
            (Poll::Pending, Some(_), None) => since = Some(clock::now()),
            (Poll::Ready(_), Some(watcher), Some(since)) => {
                let waited = clock::now().saturating_duration_since(since);
                if !waited.is_zero() {
                    watcher.waited(stage, waited);
                }
            }
            _ => (),
        }
        poll
    })
    .await
}
