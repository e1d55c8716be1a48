//! The rate limiter: callers wait in line for the tokens of a meter.

use std::{
    collections::BTreeMap,
    future::{Future, poll_fn},
    pin::pin,
    task::{Poll, Waker, ready},
    time::Instant,
};

use tokio::time::Sleep;

use super::{meter::Meter, quota::Quota};
use crate::{
    clock,
    sync::{Mutex, lock},
};

/// Lets callers through at a rate, in the order in which they came.
///
/// Only the head of the line asks the meter and sleeps. The others are parked, and each is woken
/// once, when it becomes the head; whoever comes while there is a line joins its end.
#[derive(Debug)]
pub(crate) struct RateLimiter {
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
        let line = Line {
            meter: Meter::new(quota, clock::now()),
            waiting: BTreeMap::new(),
            next_ticket: 0,
        };
        Self { line: Mutex::new(line) }
    }

    /// Takes a token if one is there and nobody waits for it.
    #[inline]
    pub(crate) fn try_acquire(&self) -> Option<Token<'_>> {
        let mut line = lock(&self.line);
        if !line.waiting.is_empty() {
            return None;
        }
        // Read under the lock, so that the meter sees its callers' times in order.
        let permitted = line.meter.ask(clock::now()).is_ok();
        if !permitted {
            // Nobody waits for what the meter named.
            line.meter.clear();
        }
        permitted.then(|| Token { limiter: Some(self) })
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
        let mut line = lock(&self.line);
        // Read under the lock, so that the meter sees its callers' times in order.
        if line.waiting.is_empty() && line.meter.ask(clock::now()).is_ok() {
            return Ok(Token { limiter: Some(self) });
        }
        Err(Place { limiter: self, ticket: line.join() })
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
    /// The head first. A waker is there from a place's first poll until it is woken.
    waiting: BTreeMap<u64, Option<Waker>>,
    next_ticket: u64,
}

impl Line {
    #[cold]
    fn join(&mut self) -> u64 {
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        self.waiting.insert(ticket, None);
        ticket
    }

    fn is_head(&self, ticket: u64) -> bool {
        self.waiting.first_key_value().is_some_and(|(&head, _)| head == ticket)
    }

    /// Takes `ticket` out of the line.
    fn leave(&mut self, ticket: u64) -> Left {
        let was_head = self.is_head(ticket);
        let own = self.waiting.remove(&ticket).flatten();
        if self.waiting.is_empty() {
            self.meter.clear();
        }
        Left { own, head: if was_head { self.head_waker() } else { None } }
    }

    fn head_waker(&mut self) -> Option<Waker> {
        self.waiting.first_entry()?.get_mut().take()
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
            let left = line.leave(self.ticket);
            drop(line);
            left.settle();
            return Step::Granted;
        };
        let replaced = match line.waiting.get_mut(&self.ticket) {
            Some(slot) if slot.as_ref().is_some_and(|old| old.will_wake(waker)) => None,
            Some(slot) => slot.replace(waker.clone()),
            None => None,
        };
        drop(line);
        drop(replaced);
        step
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let left = lock(&self.limiter.line).leave(self.ticket);
        left.settle();
    }
}

/// Wakes with no lock held: a waker may run anything.
fn wake(waker: Option<Waker>) {
    if let Some(waker) = waker {
        waker.wake();
    }
}

#[cfg(test)]
mod tests;
