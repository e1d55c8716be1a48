//! One execution: a future that whichever caller is awake drives on.

use core::{
    fmt,
    future::Future,
    mem,
    pin::Pin,
    task::{Context, Poll, Waker},
};
use std::sync::Arc;

use super::wakers::{Seat, Wakers};
use crate::sync::{Mutex, lock};

/// A future that any of several callers may poll, and its result for all of them.
pub(super) struct Execution<T> {
    state: Mutex<State<T>>,
    wakers: Arc<Wakers>,
}

type Driven<T> = Pin<Box<dyn Future<Output = T> + Send>>;

enum State<T> {
    /// Nobody polls it just now.
    Idle(Driven<T>),
    /// A caller has it and is polling.
    Polling,
    Done(Arc<T>),
    Cancelled,
}

/// How a caller's poll went.
#[derive(Debug)]
pub(super) enum Progress<T> {
    Pending,
    /// Ended; `None` if it was cancelled. The caller who ended it is told so.
    Ended(Option<Arc<T>>),
}

impl<T> Execution<T> {
    pub(super) fn new(future: impl Future<Output = T> + Send + 'static) -> Self {
        Self { state: Mutex::new(State::Idle(Box::pin(future))), wakers: Wakers::new() }
    }

    /// Drives the execution on, unless another caller is at it.
    ///
    /// `ended` is called before the others hear of the end.
    pub(super) fn poll(
        &self,
        seat: &mut Seat,
        cx: &mut Context<'_>,
        ended: impl FnOnce(),
    ) -> Progress<T> {
        // First, so that no wake-up can come between the look and the registration.
        self.wakers.register(seat, cx.waker());
        let mut turn = match self.begin_turn(ended) {
            Ok(turn) => turn,
            Err(progress) => return progress,
        };
        let waker = Waker::from(Arc::clone(&self.wakers));
        match turn
            .future
            .as_mut()
            .map(|future| future.as_mut().poll(&mut Context::from_waker(&waker)))
        {
            Some(Poll::Ready(result)) => turn.finish(result),
            Some(Poll::Pending) | None => turn.pause(),
        }
    }

    /// Drops the future and tells everyone.
    pub(super) fn cancel(&self) {
        let before = {
            let mut state = lock(&self.state);
            match *state {
                State::Done(_) => return,
                _ => mem::replace(&mut *state, State::Cancelled),
            }
        };
        drop(before);
        self.wakers.wake_all();
    }

    /// Forgets a caller.
    pub(super) fn leave(&self, seat: &mut Seat) {
        self.wakers.leave(seat);
    }

    fn begin_turn<F: FnOnce()>(&self, ended: F) -> Result<Turn<'_, T, F>, Progress<T>> {
        let mut state = lock(&self.state);
        match mem::replace(&mut *state, State::Polling) {
            State::Idle(future) => {
                self.wakers.begin_turn();
                Ok(Turn { execution: self, future: Some(future), ended: Some(ended) })
            }
            State::Polling => Err(Progress::Pending),
            State::Done(result) => {
                *state = State::Done(Arc::clone(&result));
                Err(Progress::Ended(Some(result)))
            }
            State::Cancelled => {
                *state = State::Cancelled;
                Err(Progress::Ended(None))
            }
        }
    }
}

impl<T> fmt::Debug for Execution<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Execution").finish_non_exhaustive()
    }
}

/// A caller's turn to poll. Dropped in a panic, it cancels the execution for the others.
struct Turn<'a, T, F: FnOnce()> {
    execution: &'a Execution<T>,
    future: Option<Driven<T>>,
    ended: Option<F>,
}

impl<T, F: FnOnce()> Turn<'_, T, F> {
    /// Puts the future back for the next turn.
    fn pause(mut self) -> Progress<T> {
        let Some(future) = self.future.take() else { return Progress::Pending };
        let mut state = lock(&self.execution.state);
        if let State::Cancelled = *state {
            drop(state);
            drop(future);
            return Progress::Ended(None);
        }
        *state = State::Idle(future);
        drop(state);
        // Whoever came to poll because of that wake-up found this turn going on.
        if self.execution.wakers.was_woken() {
            self.execution.wakers.wake_all();
        }
        Progress::Pending
    }

    fn finish(mut self, result: T) -> Progress<T> {
        let result = Arc::new(result);
        let future = self.future.take();
        self.end();
        let mut state = lock(&self.execution.state);
        let cancelled = matches!(*state, State::Cancelled);
        if !cancelled {
            *state = State::Done(Arc::clone(&result));
        }
        drop(state);
        self.execution.wakers.wake_all();
        drop(future);
        Progress::Ended((!cancelled).then_some(result))
    }

    fn end(&mut self) {
        if let Some(ended) = self.ended.take() {
            ended();
        }
    }
}

impl<T, F: FnOnce()> Drop for Turn<'_, T, F> {
    fn drop(&mut self) {
        if self.future.take().is_some() {
            self.end();
            self.execution.cancel();
        }
    }
}
