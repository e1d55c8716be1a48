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
use crate::seldom::Seldom;

/// Something that can be attempted more than once.
pub(crate) trait Operation {
    /// Room for an attempt; by default none is under way.
    type Attempt: Default;
    /// What a successful attempt yields.
    type Output;
    /// What a failed attempt yields.
    type Error;
    /// What is lent to it for each step, and is not part of its type: a program that makes calls in
    /// many places has the code of their starts and failures once.
    type Loan<'l>: Copy;

    /// Starts an attempt where there is none.
    fn start(&mut self, loan: Self::Loan<'_>, attempt: Pin<&mut Self::Attempt>);

    /// Goes on with an attempt. One that failed is gone, with every hold it took.
    fn poll(
        &mut self,
        loan: Self::Loan<'_>,
        attempt: Pin<&mut Self::Attempt>,
        context: &mut Context<'_>,
    ) -> Poll<Result<Self::Output, Self::Error>>;

    /// Says what follows a failed attempt.
    ///
    /// What the operation holds for the wait it asks for, it holds in `self`: dropping the loop
    /// during the wait drops it.
    fn decide(&mut self, error: Self::Error) -> Step<Self::Error>;
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
    Execution {
        attempt: O::Attempt::default(),
        phase: Phase::Start,
        timer: Seldom::none(),
        operation,
    }
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
        attempt: O::Attempt,
        phase: Phase,
        // Set up by the first wait, and used by all. Boxed: most operations never wait.
        timer: Seldom<Option<Pin<Box<Sleep>>>>,
        operation: O,
    }
}

/// What is to be done next.
// As large as the place it takes: padding would be copied with it. `Start`, which an execution
// begins with, is not zero: it lies between zeros, and zeros in a row are set up as one block, which
// is copied.
#[repr(usize)]
enum Phase {
    /// Go on with the attempt.
    Attempt,
    /// Start an attempt.
    Start,
    /// Wait for the timer.
    Wait,
    /// Nothing: polled again it stays pending, and does not start over.
    Over,
}

impl<O> Future for Execution<O>
where
    O: for<'l> Operation<Loan<'l> = ()>,
{
    type Output = Result<O::Output, O::Error>;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.poll_with((), context)
    }
}

impl<O: Operation> Execution<O> {
    /// Goes on with it, for one attempt at most. Where the next follows at once, it asks to be
    /// polled again: others have their turn however fast attempts fail, and the way of one that
    /// succeeds has no loop.
    #[inline(always)]
    pub(crate) fn poll_with(
        self: Pin<&mut Self>,
        loan: O::Loan<'_>,
        context: &mut Context<'_>,
    ) -> Poll<Result<O::Output, O::Error>> {
        let mut this = self.project();
        if !matches!(this.phase, Phase::Attempt) {
            if !matches!(this.phase, Phase::Start) {
                ready!(rest(this.phase, this.timer, context));
            }
            *this.phase = Phase::Attempt;
            this.operation.start(loan, this.attempt.as_mut());
        }
        match this.operation.poll(loan, this.attempt, context) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Ok(output)) => Poll::Ready(Ok(output)),
            Poll::Ready(Err(error)) => {
                let step = this.operation.decide(error);
                follow(step, this.phase, this.timer, context).map(Err)
            }
        }
    }
}

/// Does what follows a failed attempt. Ready when nothing does.
#[inline]
fn follow<E>(
    step: Step<E>,
    phase: &mut Phase,
    timer: &mut Seldom<Option<Pin<Box<Sleep>>>>,
    context: &mut Context<'_>,
) -> Poll<E> {
    match step {
        Step::Again => *phase = Phase::Start,
        Step::After(wait) => {
            *phase = Phase::Wait;
            set(timer, wait);
            ready!(rest(phase, timer, context));
            *phase = Phase::Start;
        }
        Step::Stop(error) => {
            *phase = Phase::Over;
            return Poll::Ready(error);
        }
    }
    context.waker().wake_by_ref();
    Poll::Pending
}

/// Has the one timer complete `wait` from now.
#[inline]
fn set(timer: &mut Seldom<Option<Pin<Box<Sleep>>>>, wait: Duration) {
    match &mut **timer {
        Some(timer) => clock::reset(timer.as_mut(), wait),
        none => *none = Some(Box::pin(clock::sleep(wait))),
    }
}

/// Ready once the wait is over.
#[cold]
#[inline(never)]
fn rest(
    phase: &Phase,
    timer: &mut Seldom<Option<Pin<Box<Sleep>>>>,
    context: &mut Context<'_>,
) -> Poll<()> {
    match (phase, &mut **timer) {
        (Phase::Wait, Some(timer)) => timer.as_mut().poll(context),
        _ => Poll::Pending,
    }
}

/// An operation whose attempts are futures that take it along and bring it back.
pub(crate) trait Roundtrip {
    type Output;
    type Error;

    /// As [`Operation::decide`].
    fn decide(&mut self, error: Self::Error) -> Step<Self::Error>;
}

/// As [`execute`], for an operation that each attempt takes along.
pub(crate) fn execute_roundtrips<O, F, A>(
    operation: O,
    attempt: F,
) -> impl Future<Output = Result<O::Output, O::Error>>
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
    type Loan<'l> = ();

    fn start(&mut self, (): (), mut attempt: Pin<&mut Option<A>>) {
        attempt.set(self.home.take().map(&self.attempt));
    }

    fn poll(
        &mut self,
        (): (),
        mut attempt: Pin<&mut Option<A>>,
        context: &mut Context<'_>,
    ) -> Poll<Result<O::Output, O::Error>> {
        // Never `None`: each attempt brings the operation back before the next starts.
        let Some(future) = attempt.as_mut().as_pin_mut() else { return Poll::Pending };
        let (operation, result) = ready!(future.poll(context));
        attempt.set(None);
        self.home = Some(operation);
        Poll::Ready(result)
    }

    fn decide(&mut self, error: O::Error) -> Step<O::Error> {
        match &mut self.home {
            Some(operation) => operation.decide(error),
            None => Step::Again,
        }
    }
}
