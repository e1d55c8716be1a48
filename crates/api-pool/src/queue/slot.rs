//! Slots: the queue behind its lock, with wakers parked in it.

use core::{
    future::Future,
    num::NonZeroUsize,
    ops::Deref,
    pin::Pin,
    task::{Context, Poll, Waker},
};
use std::{sync::Arc, time::Duration};

use tokio::time::Sleep;

use super::{
    QueueClass,
    free::Free,
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
/// While nobody waits, free slots are taken and given back in one word, without a lock. A slot that
/// is given back where somebody waits goes straight to the next waiter, which alone is woken, after
/// the lock is released.
#[derive(Debug)]
pub(crate) struct Slots {
    free: Free,
    queue: Mutex<Queue<Waker>>,
    max_wait: Option<Duration>,
}

impl Slots {
    pub(crate) fn new(limits: SlotLimits) -> Arc<Self> {
        let SlotLimits { limit, max_waiting, max_wait } = limits;
        let queue = Queue::new(limit, max_waiting);
        let free = Free::new(queue.spare().unwrap_or(0));
        Arc::new(Self { free, queue: Mutex::new(queue), max_wait })
    }

    /// Takes a slot if one is free and nobody waits for it.
    #[inline]
    pub(crate) fn try_acquire(&self) -> Result<Option<Permit<&Self>>, QueueError> {
        self.take().map(|taken| taken.then(|| Permit { slots: self }))
    }

    /// As [`try_acquire`](Self::try_acquire), of slots that the permit keeps alive.
    pub(crate) fn try_acquire_owned(self: &Arc<Self>) -> Result<Option<Permit>, QueueError> {
        self.take().map(|taken| taken.then(|| Permit { slots: Arc::clone(self) }))
    }

    /// Takes a slot, waiting in `class`'s line for one where needed.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves the line, or passes a slot it was granted on to the next.
    pub(crate) async fn acquire(&self, class: QueueClass) -> Result<Permit<&Self>, QueueError> {
        match self.try_acquire()? {
            Some(permit) => Ok(permit),
            None => Waiting::new(self, class).await,
        }
    }

    /// As [`acquire`](Self::acquire), of slots that the permit keeps alive.
    pub(crate) async fn acquire_owned(
        self: &Arc<Self>,
        class: QueueClass,
    ) -> Result<Permit, QueueError> {
        match self.try_acquire_owned()? {
            Some(permit) => Ok(permit),
            None => Waiting::new(Arc::clone(self), class).await,
        }
    }

    /// How many attempts may run at a time; `None` for any number.
    pub(crate) fn limit(&self) -> Option<usize> {
        lock(&self.queue).limit()
    }

    /// Slots taken, those included that were granted to a waiter which has not run since.
    pub(crate) fn in_flight(&self) -> usize {
        self.change(|queue| queue.in_flight())
    }

    /// The most slots that were ever taken at a time.
    pub(crate) fn peak(&self) -> usize {
        self.change(|queue| queue.peak())
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
        let granted = self.change(|queue| queue.resize(limit, now));
        granted.into_iter().for_each(Waker::wake);
    }

    /// Closes for good: whoever waits, or comes later, gets [`QueueError::Closed`].
    pub(crate) fn close(&self) {
        let waiters = self.change(Queue::close);
        waiters.into_iter().for_each(Waker::wake);
    }

    /// Does something to the queue, which knows of every slot meanwhile.
    fn change<O>(&self, change: impl FnOnce(&mut Queue<Waker>) -> O) -> O {
        let mut queue = lock(&self.queue);
        if let (Some(lent), Some(spare)) = (self.free.call_in(), queue.spare()) {
            queue.catch_up(Free::portion(spare), lent.free, lent.fewest);
        }
        let outcome = change(&mut queue);
        if let Some(spare) = queue.spare() {
            self.free.lend(spare);
        }
        outcome
    }

    #[inline]
    fn take(&self) -> Result<bool, QueueError> {
        if self.free.take() { Ok(true) } else { self.ask() }
    }

    #[cold]
    fn ask(&self) -> Result<bool, QueueError> {
        match self.change(Queue::take) {
            Taken::Slot => Ok(true),
            Taken::Nothing => Ok(false),
            Taken::Closed => Err(QueueError::Closed),
        }
    }

    #[cold]
    fn pass_on(&self) {
        let granted = self.change(|queue| queue.release(clock::now));
        if let Some(waker) = granted {
            waker.wake();
        }
    }
}

/// A slot. Dropping it gives the slot to the next waiter.
#[derive(Debug)]
#[must_use = "the slot is given back when this is dropped"]
pub(crate) struct Permit<S: Deref<Target = Slots> = Arc<Slots>> {
    slots: S,
}

impl<S: Deref<Target = Slots>> Drop for Permit<S> {
    #[inline]
    fn drop(&mut self) {
        if !self.slots.free.give_back() {
            self.slots.pass_on();
        }
    }
}

/// A wait for a slot.
#[derive(Debug)]
struct Waiting<S: Deref<Target = Slots>> {
    slots: S,
    class: QueueClass,
    place: Option<Place>,
    /// Boxed, so that an attempt which need not wait carries no timer.
    timer: Option<Pin<Box<Sleep>>>,
}

impl<S: Deref<Target = Slots> + Clone> Waiting<S> {
    const fn new(slots: S, class: QueueClass) -> Self {
        Self { slots, class, place: None, timer: None }
    }

    fn enqueue(&mut self, waker: Waker) -> Result<Option<Permit<S>>, QueueError> {
        let now = clock::now();
        let entered = self.slots.change(|queue| queue.enqueue(self.class, waker, now))?;
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

    fn claim(&mut self, place: Place, waker: Waker) -> Result<Option<Permit<S>>, QueueError> {
        let claimed = self.slots.change(|queue| queue.claim(place, waker));
        match claimed {
            Claimed::Slot => Ok(Some(self.permit())),
            Claimed::Closed => Err(QueueError::Closed),
            Claimed::Waiting(place, _replaced) => {
                self.place = Some(place);
                Ok(None)
            }
        }
    }

    fn permit(&self) -> Permit<S> {
        Permit { slots: self.slots.clone() }
    }
}

impl<S: Deref<Target = Slots> + Clone + Unpin> Future for Waiting<S> {
    type Output = Result<Permit<S>, QueueError>;

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

impl<S: Deref<Target = Slots>> Drop for Waiting<S> {
    fn drop(&mut self) {
        if let Some(place) = self.place.take() {
            let Cancelled { left, granted } =
                self.slots.change(|queue| queue.cancel(place, clock::now));
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
