//! A call that its owner can end.

use core::{
    pin::Pin,
    task::{Context, Poll},
};

use pin_project_lite::pin_project;

use super::error::{Disposed, RunError};

pin_project! {
    /// Completes with a call's result, or as soon as its owner is disposed of.
    ///
    /// Not an `async` block, which would keep the call twice: as it was given, and as it runs.
    pub(super) struct Owned<D, C> {
        #[pin]
        disposed: D,
        // `None` once the owner is gone.
        #[pin]
        call: Option<C>,
    }
}

impl<D, C> Owned<D, C> {
    pub(super) const fn new(disposed: D, call: C) -> Self {
        Self { disposed, call: Some(call) }
    }
}

impl<D, C, T, E> Future for Owned<D, C>
where
    D: Future<Output = ()>,
    C: Future<Output = Result<T, RunError<E>>>,
{
    type Output = Result<T, RunError<E>>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        // First, so that a call whose owner is gone is not polled again.
        let gone = this.disposed.poll(cx).is_ready();
        match this.call.as_mut().as_pin_mut() {
            Some(call) if !gone => call.poll(cx),
            _ => {
                // Here, for a caller who keeps this future: the call's slot is free from now on.
                this.call.set(None);
                Poll::Ready(Err(RunError::Disposed(Disposed)))
            }
        }
    }
}
