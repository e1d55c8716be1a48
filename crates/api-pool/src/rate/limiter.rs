//! The rate limiter: callers wait in line for the tokens of a meter.

use std::{
    collections::VecDeque,
    future::{Future, poll_fn},
    pin::pin,
    task::{Poll, Waker, ready},
    time::Instant,
};

use tokio::time::Sleep;

use super::{meter::Meter, quick::Quick, quota::Quota};
use crate::{
    clock,
    sync::{Mutex, lock},
};

/// Lets callers through at a rate, in the order in which they came.
///
/// While nobody waits, a token is taken without a lock. Only the head of a line asks the meter and
/// sleeps. The others are parked, and each is woken once, when it becomes the head; whoever comes
/// while there is a line joins its end.
#[derive(Debug)]
pub(crate) struct RateLimiter {
    /// Closed, under the lock, for as long as there is a line.
    quick: Quick,
    line: Mutex<Line>,
}

impl RateLimiter {
    /// A limiter for `per_second` tokens per second, up to `burst` at once; full at first.
    ///
    /// A rate or a burst that is nothing to work with is repaired, and that is logged.
    pub(crate) fn new(per_second: f64, burst: usize) -> Self {
        Self::from_quota(Quota::repaired(per_second, burst))
    }

    /// A limiter for a quota that was checked before.
    pub(crate) fn from_quota(quota: Quota) -> Self {
        Self::starting(quota, clock::now())
    }

    fn starting(quota: Quota, start: Instant) -> Self {
        let meter = Meter::new(quota, start);
        let quick = Quick::new(quota, meter.arrival(), start);
        Self { quick, line: Mutex::new(Line { meter, waiting: VecDeque::new(), head: 0 }) }
    }

    /// Takes a token if one is there and nobody waits for it.
    #[inline]
    pub(crate) fn try_acquire(&self) -> Option<Token<'_>> {
        (self.quick.take() || self.try_in_line()).then(|| Token { limiter: Some(self) })
    }

    /// Takes a token with the lock held, where a clock that went back is noticed.
    #[cold]
    #[inline(never)]
    fn try_in_line(&self) -> bool {
        let mut line = lock(&self.line);
        if !line.waiting.is_empty() {
            return false;
        }
        let permitted = line.meter.ask(clock::now()).is_ok();
        if !permitted {
            // Nobody waits for what the meter named.
            line.meter.clear();
        }
        permitted
    }

    /// Waits for a token.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future gives up the place in the line and takes no token. Until then it must
    /// be polled, or those behind it wait for it.
    pub(crate) async fn acquire(&self) -> Token<'_> {
        let mut place = match self.enter() {
            Ok(token) => return token,
            Err(place) => place,
        };
        let mut timer = pin!(None::<Sleep>);
        poll_fn(|cx| {
            loop {
                let due = match place.step(cx.waker()) {
                    Step::Granted => return Poll::Ready(()),
                    Step::Parked => return Poll::Pending,
                    Step::Due(due) => due,
                };
                let set = timer.as_ref().as_pin_ref().map(|timer| timer.deadline());
                if set != Some(due.into()) {
                    timer.set(Some(clock::sleep_until(due)));
                }
                if let Some(timer) = timer.as_mut().as_pin_mut() {
                    ready!(timer.poll(cx));
                }
            }
        })
        .await;
        Token { limiter: Some(self) }
    }

    /// A token at once if nobody waits and one is there, else a place at the end of the line.
    fn enter(&self) -> Result<Token<'_>, Place<'_>> {
        if self.quick.take() {
            return Ok(Token { limiter: Some(self) });
        }
        let mut line = lock(&self.line);
        // Read under the lock, so that the meter sees its callers' times in order.
        if line.waiting.is_empty() && line.meter.ask(clock::now()).is_ok() {
            return Ok(Token { limiter: Some(self) });
        }
        self.quick.close();
        Err(Place { limiter: self, ticket: line.join() })
    }

    /// Takes `ticket` out of the line.
    fn leave(&self, line: &mut Line, ticket: u64) -> Left {
        let left = line.leave(ticket);
        if line.waiting.is_empty() {
            self.quick.open();
        }
        left
    }

    #[cold]
    fn refund(&self) {
        let mut line = lock(&self.line);
        line.meter.refund();
        let head = line.head_waker();
        drop(line);
        wake(head);
    }
}

/// The right to send one request.
///
/// Dropped unspent it goes back, and whoever waits longest may have it at once.
#[derive(Debug)]
#[must_use = "a token that is dropped unspent goes back"]
pub(crate) struct Token<'a> {
    limiter: Option<&'a RateLimiter>,
}

impl Token<'_> {
    /// Uses the token up.
    #[inline]
    pub(crate) fn spend(mut self) {
        self.limiter = None;
    }
}

impl Drop for Token<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some(limiter) = self.limiter {
            limiter.refund();
        }
    }
}

/// The meter and those who wait for it, by ticket.
#[derive(Debug)]
struct Line {
    meter: Meter,
    /// The head first, then each by its ticket, which is one more than that of who came before it.
    waiting: VecDeque<Waiter>,
    /// The ticket of the head, or of who comes next.
    head: u64,
}

/// Who has a ticket.
#[derive(Debug)]
enum Waiter {
    /// A waker is there from a place's first poll until it is woken.
    Waits(Option<Waker>),
    /// It left when it was not the head.
    Left,
}

impl Line {
    #[cold]
    fn join(&mut self) -> u64 {
        let before = u64::try_from(self.waiting.len()).unwrap_or(u64::MAX);
        self.waiting.push_back(Waiter::Waits(None));
        self.head.wrapping_add(before)
    }

    fn is_head(&self, ticket: u64) -> bool {
        !self.waiting.is_empty() && self.head == ticket
    }

    fn get_mut(&mut self, ticket: u64) -> Option<&mut Waiter> {
        self.waiting.get_mut(usize::try_from(ticket.wrapping_sub(self.head)).ok()?)
    }

    /// Takes `ticket` out of the line.
    fn leave(&mut self, ticket: u64) -> Left {
        let was_head = self.is_head(ticket);
        let own = match self.get_mut(ticket) {
            Some(waiter) => std::mem::replace(waiter, Waiter::Left).into_waker(),
            None => None,
        };
        while let Some(Waiter::Left) = self.waiting.front() {
            self.waiting.pop_front();
            self.head = self.head.wrapping_add(1);
        }
        if self.waiting.is_empty() {
            self.meter.clear();
            // What a crowd took is not kept.
            self.waiting = VecDeque::new();
        }
        Left { own, head: if was_head { self.head_waker() } else { None } }
    }

    fn head_waker(&mut self) -> Option<Waker> {
        match self.waiting.front_mut()? {
            Waiter::Waits(waker) => waker.take(),
            Waiter::Left => None,
        }
    }
}

impl Waiter {
    fn into_waker(self) -> Option<Waker> {
        match self {
            Self::Waits(waker) => waker,
            Self::Left => None,
        }
    }
}

/// The wakers that somebody who left the line leaves behind, to be dealt with outside the lock.
struct Left {
    own: Option<Waker>,
    /// Whoever became the head by it.
    head: Option<Waker>,
}

impl Left {
    fn settle(self) {
        drop(self.own);
        wake(self.head);
    }
}

/// What a place in the line comes to.
enum Step {
    /// It has a token, and is no longer in the line.
    Granted,
    /// Somebody is before it.
    Parked,
    /// It is the head, and its token is due then.
    Due(Instant),
}

/// A place in the line, given up when dropped.
struct Place<'a> {
    limiter: &'a RateLimiter,
    ticket: u64,
}

impl Place<'_> {
    fn step(&mut self, waker: &Waker) -> Step {
        let mut line = lock(&self.limiter.line);
        let step = if !line.is_head(self.ticket) {
            Step::Parked
        } else if let Err(due) = line.meter.ask(clock::now()) {
            Step::Due(due)
        } else {
            let left = self.limiter.leave(&mut line, self.ticket);
            drop(line);
            left.settle();
            return Step::Granted;
        };
        let replaced = match line.get_mut(self.ticket) {
            Some(Waiter::Waits(Some(old))) if old.will_wake(waker) => None,
            Some(Waiter::Waits(slot)) => slot.replace(waker.clone()),
            Some(Waiter::Left) | None => None,
        };
        drop(line);
        drop(replaced);
        step
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut line = lock(&self.limiter.line);
        let left = self.limiter.leave(&mut line, self.ticket);
        drop(line);
        left.settle();
    }
}

/// Wakes with no lock held: a waker may run anything.
fn wake(waker: Option<Waker>) {
    if let Some(waker) = waker {
        waker.wake();
    }
}

#[cfg(all(test, pool_loom))]
mod loom_tests;
#[cfg(all(test, not(pool_loom)))]
mod tests;
