//! The one retry loop.
//!
//! It knows nothing of HTTP, of queues or of policies. It runs attempts of an operation until the
//! operation itself says that it has ended, and waits in between.

use std::time::Duration;

use crate::clock;

/// Something that can be attempted more than once.
pub(crate) trait Operation {
    /// What a successful attempt yields.
    type Output;
    /// What a failed attempt yields.
    type Error;
    /// What is left of the last one.
    type Failure;

    /// Runs one attempt, with every hold it takes released by the time it ends.
    fn attempt(&mut self) -> impl Future<Output = Result<Self::Output, Self::Error>>;

    /// Says what follows a failed attempt.
    ///
    /// What the operation holds for the wait it asks for, it holds in `self`: dropping the loop
    /// during the wait drops it.
    fn decide(&mut self, error: Self::Error) -> Step<Self::Failure>;
}

/// What follows a failed attempt.
#[derive(Debug)]
pub(crate) enum Step<E> {
    /// The next attempt starts at once.
    Again,
    /// The next attempt starts after this wait.
    After(Duration),
    /// There is no next attempt.
    Stop(E),
}

/// Attempts `operation` until it succeeds or decides to stop.
///
/// # Cancel safety
///
/// Dropping the future drops the attempt or the wait in progress, and the operation with
/// everything it holds. Nothing goes on in the background.
#[expect(clippy::manual_async_fn, reason = "an `async fn` would hold the operation twice")]
pub(crate) fn execute<O: Operation>(
    mut operation: O,
) -> impl Future<Output = Result<O::Output, O::Failure>> {
    async move {
        loop {
            let error = match operation.attempt().await {
                Ok(output) => return Ok(output),
                Err(error) => error,
            };
            let wait = match operation.decide(error) {
                Step::Again => continue,
                Step::After(wait) => wait,
                Step::Stop(error) => return Err(error),
            };
            clock::sleep(wait).await;
        }
    }
}
