//! Those who wait at the gate, in the order in which they go.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use super::{BreakerMode, countdown::Countdown, epoch::Epoch};
use crate::queue::QueueClass;

/// How many essential calls may pass a background call that could go.
const MOST_PASSED: u32 = 16;

/// How long a background call that could go waits for essential ones.
const LONGEST_PASSED: Duration = Duration::from_secs(10);

/// Whom a place in the line is for. What others wait for goes before all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// A call that fetches a token for the client that it is made through.
    Token,
    /// Any other.
    Caller,
}

/// A place in the line. The lower goes first, inside its class.
///
/// It is not `Copy`: two calls on one seat would be one.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(test, derive(Clone))]
pub(crate) struct Seat {
    pub(super) rank: Rank,
    /// Those who came in an earlier epoch are older, even if they get their number only now.
    pub(super) era: Epoch,
    pub(super) turn: u64,
}

impl Seat {
    pub(super) const fn again(&self) -> Self {
        Self { ..*self }
    }
}

#[derive(Debug)]
#[cfg_attr(test, derive(Clone))]
pub(super) struct Waiter<W> {
    pub(super) mode: BreakerMode,
    pub(super) class: QueueClass,
    pub(super) lease: Duration,
    /// What wakes it; `None` while it runs, or once it has been woken.
    pub(super) waker: Option<W>,
}

/// Essential before background, in order of seat inside each class. The background call at the
/// head of its class goes next once 16 essential ones have passed it there, or once it has been
/// there for 10 s. Only for calls that fetch a token it waits however long.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone))]
pub(super) struct Line<W> {
    essential: BTreeMap<Seat, Waiter<W>>,
    background: BTreeMap<Seat, Waiter<W>>,
    passed: u32,
    /// Since when the head of the background calls has been that.
    ageing: Option<Countdown>,
}

impl<W> Line<W> {
    pub(super) const fn new() -> Self {
        Self { essential: BTreeMap::new(), background: BTreeMap::new(), passed: 0, ageing: None }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.essential.is_empty() && self.background.is_empty()
    }

    pub(super) fn insert(&mut self, seat: Seat, waiter: Waiter<W>, now: Instant) {
        match waiter.class {
            QueueClass::Essential => self.essential.insert(seat, waiter),
            QueueClass::Background => {
                self.ageing.get_or_insert_with(|| Countdown::new(now, LONGEST_PASSED));
                self.background.insert(seat, waiter)
            }
        };
    }

    pub(super) fn get_mut(&mut self, seat: &Seat) -> Option<&mut Waiter<W>> {
        self.essential.get_mut(seat).or_else(|| self.background.get_mut(seat))
    }

    /// Takes out one who gave up.
    pub(super) fn remove(&mut self, seat: &Seat) {
        if self.essential.remove(seat).is_none() && self.background.remove(seat).is_some() {
            self.forget_ageing_of_nobody();
        }
    }

    /// Who goes next.
    pub(super) fn head(&mut self, now: Instant) -> Option<(&Seat, &Waiter<W>)> {
        match self.next_class(now) {
            QueueClass::Essential => self.essential.first_key_value(),
            QueueClass::Background => self.background.first_key_value(),
        }
    }

    /// Takes out who goes next.
    pub(super) fn pop(&mut self, now: Instant) -> Option<(Seat, Waiter<W>)> {
        match self.next_class(now) {
            QueueClass::Essential => {
                if !self.background.is_empty() {
                    self.passed = self.passed.saturating_add(1);
                }
                self.essential.pop_first()
            }
            QueueClass::Background => {
                self.passed = 0;
                self.ageing = Some(Countdown::new(now, LONGEST_PASSED));
                let first = self.background.pop_first();
                self.forget_ageing_of_nobody();
                first
            }
        }
    }

    /// Takes out all who do not wait at a shut gate, with what wakes them.
    pub(super) fn take_impatient(&mut self) -> Vec<(Seat, Option<W>)> {
        let mut taken = Vec::new();
        for class in [&mut self.essential, &mut self.background] {
            class.retain(|seat, waiter| {
                let stays = waiter.mode != BreakerMode::FailFast;
                if !stays {
                    taken.push((seat.again(), waiter.waker.take()));
                }
                stays
            });
        }
        self.forget_ageing_of_nobody();
        taken
    }

    fn next_class(&mut self, now: Instant) -> QueueClass {
        let aged = self.passed >= MOST_PASSED
            || self.ageing.as_mut().is_some_and(|ageing| ageing.is_over(now));
        let token = self.essential.keys().next().is_some_and(|seat| seat.rank == Rank::Token);
        if self.essential.is_empty() || (aged && !token) {
            QueueClass::Background
        } else {
            QueueClass::Essential
        }
    }

    fn forget_ageing_of_nobody(&mut self) {
        if self.background.is_empty() {
            self.passed = 0;
            self.ageing = None;
        }
    }
}

#[cfg(test)]
mod tests;
