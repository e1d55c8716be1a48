//! Limits in time that cost nothing where there are none.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Instant;

use tokio::time::Sleep;

use crate::clock;

/// A limit in time, or none. The timer is boxed: the future of a call without limits stays small.
#[derive(Default)]
pub(super) struct Timer(Option<Pin<Box<Sleep>>>);

/// The limit passed first.
pub(super) struct Elapsed;

impl Timer {
    pub(super) fn at(deadline: Option<Instant>) -> Self {
        Self(deadline.map(|deadline| Box::pin(clock::sleep_until(deadline))))
    }

    /// Runs `future` to its end or to the limit, whichever comes first; an end at the same
    /// instant counts as an end.
    pub(super) async fn bound<F: Future>(&mut self, future: F) -> Result<F::Output, Elapsed> {
        let mut future = pin!(future);
        poll_fn(|context| {
            if let Poll::Ready(output) = future.as_mut().poll(context) {
                return Poll::Ready(Ok(output));
            }
            match &mut self.0 {
                Some(sleep) => sleep.as_mut().poll(context).map(|()| Err(Elapsed)),
                None => Poll::Pending,
            }
        })
        .await
    }
}
