//! Dropping a future at an await point of one's choice.

use core::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

/// Drops the inner future right after its `k`-th `Pending`, and says so.
///
/// Resolves to `Some(output)` if the inner future finished before that, else to `None`; the inner
/// future is dropped by the time `None` is returned. With `k == 0` it is dropped without having
/// been polled. Counting `k` up from 0 until the result is `Some` visits every point at which a
/// caller could have dropped the future.
///
/// # Examples
///
/// ```
/// use test_support::CancelAt;
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let work = || async {
///     tokio::task::yield_now().await;
///     tokio::task::yield_now().await;
///     "done"
/// };
/// assert_eq!(CancelAt::new(0, work()).await, None);
/// assert_eq!(CancelAt::new(2, work()).await, None);
/// assert_eq!(CancelAt::new(3, work()).await, Some("done"));
/// # });
/// ```
#[derive(Debug)]
#[must_use = "futures do nothing unless awaited"]
pub struct CancelAt<F> {
    inner: Option<Pin<Box<F>>>,
    pending_left: usize,
}

impl<F: Future> CancelAt<F> {
    /// Lets `inner` answer `Pending` up to `pending` times and drops it at the last of them.
    pub fn new(pending: usize, inner: F) -> Self {
        let inner = (pending > 0).then(|| Box::pin(inner));
        Self { inner, pending_left: pending }
    }
}

impl<F: Future> Future for CancelAt<F> {
    type Output = Option<F::Output>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(inner) = &mut self.inner else { return Poll::Ready(None) };
        if let Poll::Ready(output) = inner.as_mut().poll(cx) {
            self.inner = None;
            return Poll::Ready(Some(output));
        }
        self.pending_left -= 1;
        if self.pending_left == 0 {
            self.inner = None;
            return Poll::Ready(None);
        }
        Poll::Pending
    }
}

/// Runs `inner` to its end and tells how often it answered `Pending` on the way.
///
/// # Cancel safety
///
/// Dropping it drops `inner`.
///
/// # Examples
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let (output, pending) = test_support::poll_count(async {
///     tokio::task::yield_now().await;
///     7
/// })
/// .await;
/// assert_eq!((output, pending), (7, 1));
/// # });
/// ```
pub async fn poll_count<F: Future>(inner: F) -> (F::Output, usize) {
    let mut inner = Box::pin(inner);
    let mut pending = 0_usize;
    let output = core::future::poll_fn(|cx| {
        let poll = inner.as_mut().poll(cx);
        pending += usize::from(poll.is_pending());
        poll
    })
    .await;
    (output, pending)
}
