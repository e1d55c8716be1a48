//! Limits in time that cost nothing where there are none.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Instant;

use pin_project_lite::pin_project;
use tokio::time::Sleep;

use crate::clock;
use crate::seldom::Seldom;

/// A limit in time, or none. The timer is boxed: the future of a call without limits stays small.
#[derive(Default)]
pub(super) struct Timer(Seldom<Option<Pin<Box<Sleep>>>>);

/// The limit passed first.
pub(super) struct Elapsed;

impl Timer {
    #[inline(always)]
    pub(super) const fn none() -> Self {
        Self(Seldom::none())
    }

    pub(super) fn at(deadline: Option<Instant>) -> Self {
        Self(Seldom::new(deadline.map(|deadline| Box::pin(clock::sleep_until(deadline)))))
    }

    /// Whether there is a limit.
    #[inline]
    pub(super) fn is_set(&self) -> bool {
        self.0.is_some()
    }

    /// Whether the limit has passed, however late anybody looks.
    #[inline]
    pub(super) fn has_passed(&self) -> bool {
        self.0.as_ref().is_some_and(is_over)
    }

    /// Ready once the limit has passed.
    #[inline]
    pub(super) fn poll_elapsed(&mut self, context: &mut Context<'_>) -> Poll<()> {
        match &mut *self.0 {
            Some(sleep) => sleep.as_mut().poll(context),
            None => Poll::Pending,
        }
    }

    /// Runs `future` to its end or to the limit, whichever comes first; an end at the same
    /// instant counts as an end.
    pub(super) fn bound<F: Future>(&mut self, future: F) -> Bounded<'_, F> {
        Bounded { timer: self, future }
    }
}

#[cold]
fn is_over(sleep: &Pin<Box<Sleep>>) -> bool {
    Instant::from(sleep.deadline()) <= clock::now()
}

pin_project! {
    /// A future within a limit.
    pub(super) struct Bounded<'t, F> {
        timer: &'t mut Timer,
        #[pin]
        future: F,
    }
}

impl<F: Future> Future for Bounded<'_, F> {
    type Output = Result<F::Output, Elapsed>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        if let Poll::Ready(output) = this.future.poll(context) {
            return Poll::Ready(Ok(output));
        }
        this.timer.poll_elapsed(context).map(|()| Err(Elapsed))
    }
}
