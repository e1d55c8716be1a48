//! How long a stage of a call was waited for.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Instant;

use pin_project_lite::pin_project;

use crate::clock;
use crate::event::WaitStage;
use crate::observer::Watcher;

pin_project! {
    /// A future whose time is reported when it ends.
    ///
    /// Without an observer, and for a stage that is over at once, the clock is not read.
    pub(super) struct Timed<'a, F> {
        watcher: Option<&'a Watcher>,
        stage: WaitStage,
        since: Option<Instant>,
        #[pin]
        future: F,
    }
}

/// Runs `future` and reports the time that it was pending for.
pub(super) fn timed<F: Future>(
    watcher: Option<&Watcher>,
    stage: WaitStage,
    future: F,
) -> Timed<'_, F> {
    Timed { watcher, stage, since: None, future }
}

impl<F: Future> Future for Timed<'_, F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        let poll = this.future.poll(context);
        let Some(watcher) = this.watcher else { return poll };
        match (&poll, *this.since) {
            (Poll::Pending, None) => *this.since = Some(clock::now()),
            (Poll::Ready(_), Some(since)) => {
                let waited = clock::now().saturating_duration_since(since);
                if !waited.is_zero() {
                    watcher.waited(*this.stage, waited);
                }
            }
            _ => (),
        }
        poll
    }
}
