//! Slots: the queue behind its lock, with wakers parked in it.

use core::{
    future::Future,
    num::NonZeroUsize,
    pin::Pin,
    task::{Context, Poll, Waker},
};
use std::{sync::Arc, time::Duration};

use tokio::time::Sleep;

use super::{
    QueueClass,
    machine::Queue,
    outcome::{Cancelled, Claimed, Entered, Place, Refused, Taken},
};
use crate::{
    clock,
    sync::{Mutex, lock},
};

/// How many attempts may run at a time, and how long and how many may wait.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SlotLimits {
    /// Attempts that run at a time. `None`: no limit.
    pub(crate) limit: Option<NonZeroUsize>,
    /// Attempts that may wait. `None`: no limit. Zero: never wait.
    pub(crate) max_waiting: Option<usize>,
    /// How long an attempt may wait. `None`: no limit.
    pub(crate) max_wait: Option<Duration>,
}

impl SlotLimits {
    /// `limit` attempts at a time, any number of waiters for any time.
    pub(crate) const fn new(limit: Option<NonZeroUsize>) -> Self {
        Self { limit, max_waiting: None, max_wait: None }
    }
}

/// Why an attempt got no slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QueueError {
    /// As many attempts waited as may.
    Full { limit: usize },
    /// The attempt waited as long as it may.
    Timeout { limit: Duration },
    /// The slots were closed before the attempt got one.
    Closed,
}

impl From<Refused> for QueueError {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Full { limit } => Self::Full { limit },
            Refused::Closed => Self::Closed,
        }
    }
}

/// The slots of one client or one group.
///
/// A slot that is given back goes straight to the next waiter, which alone is woken, after the
/// lock is released.
#[derive(Debug)]
pub(crate) struct Slots {
    queue: Mutex<Queue<Waker>>,
    max_wait: Option<Duration>,
}

impl Slots {
    pub(crate) fn new(limits: SlotLimits) -> Arc<Self> {
        let SlotLimits { limit, max_waiting, max_wait } = limits;
        Arc::new(Self { queue: Mutex::new(Queue::new(limit, max_waiting)), max_wait })
    }

    /// Takes a slot if one is free and nobody waits for it.
    #[inline]
    pub(crate) fn try_acquire(self: &Arc<Self>) -> Result<Option<Permit>, QueueError> {
        let taken = lock(&self.queue).take();
        match taken {
            Taken::Slot => Ok(Some(Permit { slots: Arc::clone(self) })),
            Taken::Nothing => Ok(None),
            Taken::Closed => Err(QueueError::Closed),
        }
    }

    /// Takes a slot, waiting in `class`'s line for one where needed.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves the line, or passes a slot it was granted on to the next.
    pub(crate) async fn acquire(self: &Arc<Self>, class: QueueClass) -> Result<Permit, QueueError> {
        match self.try_acquire()? {
            Some(permit) => Ok(permit),
            None => Waiting { slots: self, class, place: None, timer: None }.await,
        }
    }

    /// Slots taken, those included that were granted to a waiter which has not run since.
    pub(crate) fn in_flight(&self) -> usize {
        lock(&self.queue).in_flight()
    }

    /// The most slots that were ever taken at a time.
    pub(crate) fn peak(&self) -> usize {
        lock(&self.queue).peak()
    }

    /// Attempts that wait for a slot.
    pub(crate) fn waiting(&self) -> usize {
        lock(&self.queue).waiting()
    }

    /// Attempts of one class that wait for a slot.
    pub(crate) fn waiting_in(&self, class: QueueClass) -> usize {
        lock(&self.queue).waiting_in(class)
    }

    /// Changes the number of slots. Slots in use above a lower limit stay in use.
    pub(crate) fn resize(&self, limit: Option<NonZeroUsize>) {
        let now = clock::now();
        let granted = lock(&self.queue).resize(limit, now);
        granted.into_iter().for_each(Waker::wake);
    }

    /// Closes for good: whoever waits, or comes later, gets [`QueueError::Closed`].
    pub(crate) fn close(&self) {
        let waiters = lock(&self.queue).close();
        waiters.into_iter().for_each(Waker::wake);
    }

    fn release(&self) {
        let granted = lock(&self.queue).release(clock::now);
        if let Some(waker) = granted {
            waker.wake();
        }
    }
}

/// A slot. Dropping it gives the slot to the next waiter.
#[derive(Debug)]
#[must_use = "the slot is given back when this is dropped"]
pub(crate) struct Permit {
    slots: Arc<Slots>,
}

impl Drop for Permit {
    #[inline]
    fn drop(&mut self) {
        self.slots.release();
    }
}

/// A wait for a slot.
#[derive(Debug)]
struct Waiting<'a> {
    slots: &'a Arc<Slots>,
    class: QueueClass,
    place: Option<Place>,
    /// Boxed, so that an attempt which need not wait carries no timer.
    timer: Option<Pin<Box<Sleep>>>,
}

impl Waiting<'_> {
    fn enqueue(&mut self, waker: Waker) -> Result<Option<Permit>, QueueError> {
        let now = clock::now();
        let entered = lock(&self.slots.queue).enqueue(self.class, waker, now)?;
        match entered {
            Entered::Slot => Ok(Some(self.permit())),
            Entered::Waiting(place) => {
                self.place = Some(place);
                self.timer = self
                    .slots
                    .max_wait
                    .map(|limit| Box::pin(clock::sleep_until(clock::after(now, limit))));
                Ok(None)
            }
        }
    }

    fn claim(&mut self, place: Place, waker: Waker) -> Result<Option<Permit>, QueueError> {
        let claimed = lock(&self.slots.queue).claim(place, waker);
        match claimed {
            Claimed::Slot => Ok(Some(self.permit())),
            Claimed::Closed => Err(QueueError::Closed),
            Claimed::Waiting(place, _replaced) => {
                self.place = Some(place);
                Ok(None)
            }
        }
    }

    fn permit(&self) -> Permit {
        Permit { slots: Arc::clone(self.slots) }
    }
}

impl Future for Waiting<'_> {
    type Output = Result<Permit, QueueError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        // Cloned before locking: a waker's code is not ours.
        let waker = cx.waker().clone();
        let permit = match self.place.take() {
            None => self.enqueue(waker)?,
            Some(place) => self.claim(place, waker)?,
        };
        if let Some(permit) = permit {
            return Poll::Ready(Ok(permit));
        }
        let max_wait = self.slots.max_wait;
        if let (Some(timer), Some(limit)) = (&mut self.timer, max_wait)
            && timer.as_mut().poll(cx).is_ready()
        {
            return Poll::Ready(Err(QueueError::Timeout { limit }));
        }
        Poll::Pending
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if let Some(place) = self.place.take() {
            let Cancelled { left, granted } = lock(&self.slots.queue).cancel(place, clock::now);
            drop(left);
            if let Some(waker) = granted {
                waker.wake();
            }
        }
    }
}

#[cfg(all(test, pool_loom))]
mod loom_tests;
#[cfg(all(test, not(pool_loom)))]
mod tests;
