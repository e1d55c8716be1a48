//! Dropping a future at an await point of one's choice.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

#[cfg(test)]
mod tests;

/// Drops the inner future right after its `n`-th `Pending`, and says so.
///
/// Resolves to `Some(output)` if the inner future finished before that, else to `None`; the inner
/// future is dropped by the time `None` is returned. With `n == 0` it is dropped without having
/// been polled. Counting `n` up from 0 until the result is `Some` visits every point at which a
/// caller could have dropped the future.
///
/// # Cancel safety
///
/// Dropping it drops the inner future.
///
/// # Examples
///
/// Wherever a call is dropped, it leaves nothing in flight:
///
/// ```
/// use std::time::Duration;
/// use api_pool::ResilientClient;
/// use api_pool::testing::{CancelAt, Reply, Script};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap()
/// # .block_on(async {
/// let slow = Script::answering(|_| Reply::ok("hello").after(Duration::from_secs(1)));
/// let client = ResilientClient::builder().transport(slow).build();
/// for n in 0.. {
///     let call = client.execute(|http| http.get("http://api.test/greeting"));
///     let outcome = CancelAt::new(n, call).await;
///     assert_eq!(client.in_flight(), 0);
///     if outcome.is_some() {
///         break;
///     }
/// }
/// # });
/// ```
#[derive(Debug)]
#[must_use = "futures do nothing unless awaited"]
pub struct CancelAt<F> {
    inner: Option<Pin<Box<F>>>,
    pending_left: usize,
}

impl<F: Future> CancelAt<F> {
    /// Lets `inner` answer `Pending` up to `n` times and drops it at the last of them.
    pub fn new(n: usize, inner: F) -> Self {
        let inner = (n > 0).then(|| Box::pin(inner));
        Self { inner, pending_left: n }
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
/// use api_pool::testing::pending_count;
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let (output, pending) = pending_count(async {
///     tokio::task::yield_now().await;
///     7
/// })
/// .await;
/// assert_eq!((output, pending), (7, 1));
/// # });
/// ```
pub async fn pending_count<F: Future>(inner: F) -> (F::Output, usize) {
    let mut inner = Box::pin(inner);
    let mut pending = 0_usize;
    let output = std::future::poll_fn(|cx| {
        let poll = inner.as_mut().poll(cx);
        pending = pending.saturating_add(usize::from(poll.is_pending()));
        poll
    })
    .await;
    (output, pending)
}
