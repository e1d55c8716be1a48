//! The one retry loop.
//!
//! It knows nothing of HTTP, of queues or of policies. It runs attempts of an operation until the
//! operation itself says that it has ended, and waits in between.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use pin_project_lite::pin_project;
use tokio::time::Sleep;

use crate::clock;

/// Something that can be attempted more than once.
pub(crate) trait Operation {
    /// An attempt under way.
    type Attempt;
    /// What a successful attempt yields.
    type Output;
    /// What a failed attempt yields.
    type Error;
    /// What is left of the last one.
    type Failure;

    /// Starts an attempt.
    fn start(&mut self) -> Self::Attempt;

    /// Goes on with an attempt. Every hold it took is released by the time it ends.
    fn poll(
        &mut self,
        attempt: Pin<&mut Self::Attempt>,
        context: &mut Context<'_>,
    ) -> Poll<Result<Self::Output, Self::Error>>;

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

/// Attempts `operation` until it succeeds or decides to stop. Nothing starts before it is polled.
///
/// # Cancel safety
///
/// Dropping the future drops the attempt or the wait in progress, and the operation with
/// everything it holds. Nothing goes on in the background.
#[inline]
pub(crate) fn execute<O: Operation>(operation: O) -> Execution<O> {
    Execution { attempt: None, between: Between::Next, timer: None, operation }
}

pin_project! {
    /// An operation in progress.
    ///
    /// Not `async`: its output would be moved from one state to the next until it is the caller's.
    // In this order its parts are set up apart from each other, and not copied as one block.
    #[repr(C)]
    pub(crate) struct Execution<O: Operation> {
        // Dropped first: what an attempt was doing ends before what it held is given back.
        #[pin]
        attempt: Option<O::Attempt>,
        // What is to be done while there is no attempt.
        between: Between,
        // Set up by the first wait, and used by all. Boxed: most operations never wait.
        timer: Option<Pin<Box<Sleep>>>,
        operation: O,
    }
}

enum Between {
    /// Start the next attempt.
    Next,
    /// Wait for the timer.
    Wait,
    /// Nothing: polled again it stays pending, and does not start over.
    Over,
}

impl<O: Operation> Future for Execution<O> {
    type Output = Result<O::Output, O::Failure>;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        loop {
            if let Some(attempt) = this.attempt.as_mut().as_pin_mut() {
                let error = match ready!(this.operation.poll(attempt, context)) {
                    Ok(output) => return Poll::Ready(Ok(output)),
                    Err(error) => error,
                };
                // The failed attempt is gone before anything else happens.
                this.attempt.set(None);
                match this.operation.decide(error) {
                    Step::Again => (),
                    Step::After(wait) => {
                        *this.between = Between::Wait;
                        match this.timer {
                            Some(timer) => clock::reset(timer.as_mut(), wait),
                            None => *this.timer = Some(Box::pin(clock::sleep(wait))),
                        }
                    }
                    Step::Stop(error) => {
                        *this.between = Between::Over;
                        return Poll::Ready(Err(error));
                    }
                }
            }
            match (&*this.between, &mut *this.timer) {
                (Between::Next, _) => (),
                (Between::Wait, Some(timer)) => ready!(timer.as_mut().poll(context)),
                (Between::Wait, None) | (Between::Over, _) => return Poll::Pending,
            }
            *this.between = Between::Next;
            let attempt = this.operation.start();
            this.attempt.set(Some(attempt));
        }
    }
}

/// An operation whose attempts are futures that take it along and bring it back.
pub(crate) trait Roundtrip {
    type Output;
    type Error;
    type Failure;

    /// As [`Operation::decide`].
    fn decide(&mut self, error: Self::Error) -> Step<Self::Failure>;
}

/// As [`execute`], for an operation that each attempt takes along.
pub(crate) fn execute_roundtrips<O, F, A>(
    operation: O,
    attempt: F,
) -> impl Future<Output = Result<O::Output, O::Failure>>
where
    O: Roundtrip,
    F: Fn(O) -> A,
    A: Future<Output = (O, Result<O::Output, O::Error>)>,
{
    execute(Roundtrips { home: Some(operation), attempt })
}

struct Roundtrips<O, F> {
    /// `None` while an attempt has it.
    home: Option<O>,
    attempt: F,
}

impl<O, F, A> Operation for Roundtrips<O, F>
where
    O: Roundtrip,
    F: Fn(O) -> A,
    A: Future<Output = (O, Result<O::Output, O::Error>)>,
{
    type Attempt = Option<A>;
    type Output = O::Output;
    type Error = O::Error;
    type Failure = O::Failure;

    fn start(&mut self) -> Option<A> {
        self.home.take().map(&self.attempt)
    }

    fn poll(
        &mut self,
        attempt: Pin<&mut Option<A>>,
        context: &mut Context<'_>,
    ) -> Poll<Result<O::Output, O::Error>> {
        // Never `None`: each attempt brings the operation back before the next starts.
        let Some(attempt) = attempt.as_pin_mut() else { return Poll::Pending };
        let (operation, result) = ready!(attempt.poll(context));
        self.home = Some(operation);
        Poll::Ready(result)
    }

    fn decide(&mut self, error: O::Error) -> Step<O::Failure> {
        match &mut self.home {
            Some(operation) => operation.decide(error),
            None => Step::Again,
        }
    }
}
