//! The queue: a state machine without a clock, a lock or a waker.
//!
//! It counts slots and keeps two lines of waiters in one slab. Every operation costs the same
//! however many wait. What a waiter parks here (a waker, a number in a test) comes back exactly
//! once: when the waiter is granted a slot, when it leaves, or when the queue closes.

use core::num::NonZeroUsize;
use std::time::{Duration, Instant};

use super::{
    QueueClass,
    outcome::{Cancelled, Claimed, Entered, Place, Refused, Taken},
    slab::{Key, Line, Slab},
};

/// How many essential waiters may pass a background waiter that came before them.
pub(super) const PASSES: usize = 16;

/// How long a background waiter lets essential ones go first.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// Slots, and the waiters for them.
///
/// Invariant: while anyone waits, no slot is free.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone))]
pub(super) struct Queue<W> {
    /// Slots in all; `usize::MAX` for no limit.
    limit: usize,
    /// Longest that both lines together may grow.
    max_waiting: usize,
    /// Slots taken, granted ones that nobody has claimed yet included.
    in_flight: usize,
    /// The largest `in_flight` so far.
    peak: usize,
    /// The length of both lines together.
    waiting: usize,
    /// The length of the essential line.
    essential_waiting: usize,
    essential: Line,
    background: Line,
    waiters: Slab<Waiter<W>>,
    /// Arrivals so far, which number the waiters from 1.
    arrivals: u64,
    /// Arrival numbers of the latest essential waiters that were granted, a ring.
    ///
    /// A class is served in order of arrival, so the numbers rise, and the oldest one alone tells
    /// whether `PASSES` of them came after a given background waiter.
    passed: [u64; PASSES],
    /// Where the oldest of `passed` is.
    oldest: usize,
    /// Whether the last grant went to an aged background waiter ahead of an essential one. The
    /// next one does not: a backlog of aged waiters takes turns with essential ones.
    overtook: bool,
    closed: bool,
}

#[derive(Debug)]
#[cfg_attr(test, derive(Clone))]
struct Waiter<W> {
    parked: Option<W>,
    arrival: u64,
    since: Instant,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Waiting(QueueClass),
    /// Holds a slot that it has not claimed yet.
    Granted,
    /// Put out of line by `close`.
    Closed,
}

impl<W> Queue<W> {
    pub(super) fn new(limit: Option<NonZeroUsize>, max_waiting: Option<usize>) -> Self {
        Self {
            limit: slots(limit),
            max_waiting: max_waiting.unwrap_or(usize::MAX),
            in_flight: 0,
            peak: 0,
            waiting: 0,
            essential_waiting: 0,
            essential: Line::EMPTY,
            background: Line::EMPTY,
            waiters: Slab::new(),
            arrivals: 0,
            passed: [0; PASSES],
            oldest: 0,
            overtook: false,
            closed: false,
        }
    }

    pub(super) fn limit(&self) -> Option<usize> {
        Some(self.limit).filter(|&limit| limit != usize::MAX)
    }

    pub(super) fn in_flight(&self) -> usize {
        self.in_flight
    }

    pub(super) fn peak(&self) -> usize {
        self.peak
    }

    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }

    pub(super) fn waiting_in(&self, class: QueueClass) -> usize {
        match class {
            QueueClass::Essential => self.essential_waiting,
            QueueClass::Background => self.waiting.saturating_sub(self.essential_waiting),
        }
    }

    /// The slots that may be taken and given back without a look at the queue; none while order
    /// matters.
    pub(super) fn spare(&self) -> Option<usize> {
        let alone = self.waiting == 0 && !self.closed;
        if alone { self.limit.checked_sub(self.in_flight) } else { None }
    }

    /// Catches up with what became of slots that were spare: so many are free of them now, and
    /// `fewest` were.
    pub(super) fn catch_up(&mut self, spare: usize, free: usize, fewest: usize) {
        let known = self.in_flight.saturating_add(spare);
        self.in_flight = known.saturating_sub(free);
        self.peak = self.peak.max(known.saturating_sub(fewest));
    }

    /// Takes a free slot. Costs no clock and no place in line.
    pub(super) fn take(&mut self) -> Taken {
        if self.closed {
            Taken::Closed
        } else if self.in_flight < self.limit {
            self.occupy();
            Taken::Slot
        } else {
            Taken::Nothing
        }
    }

    /// Takes a free slot, or the last place of a class's line.
    pub(super) fn enqueue(
        &mut self,
        class: QueueClass,
        parked: W,
        now: Instant,
    ) -> Result<Entered, Refused> {
        match self.take() {
            Taken::Slot => return Ok(Entered::Slot),
            Taken::Closed => return Err(Refused::Closed),
            Taken::Nothing => (),
        }
        if self.waiting >= self.max_waiting {
            return Err(Refused::Full { limit: self.max_waiting });
        }
        let arrival = self.arrivals + 1;
        let state = State::Waiting(class);
        let waiter = Waiter { parked: Some(parked), arrival, since: now, state };
        let key = self.waiters.insert(waiter).ok_or(Refused::Full { limit: self.waiting })?;
        let line = match class {
            QueueClass::Essential => &mut self.essential,
            QueueClass::Background => &mut self.background,
        };
        self.waiters.append(line, key);
        self.arrivals = arrival;
        self.waiting += 1;
        self.essential_waiting += usize::from(class == QueueClass::Essential);
        Ok(Entered::Waiting(Place(key)))
    }

    /// Asks for the slot that a waiter may have been granted. If it still waits, `parked`
    /// replaces what it had parked.
    pub(super) fn claim(&mut self, place: Place, parked: W) -> Claimed<W> {
        match self.waiters.get_mut(place.0) {
            Some(Waiter { state: State::Waiting(_), parked: before, .. }) => {
                let before = before.replace(parked);
                Claimed::Waiting(place, before)
            }
            Some(Waiter { state: State::Granted, .. }) => {
                self.waiters.remove(place.0);
                Claimed::Slot
            }
            Some(Waiter { state: State::Closed, .. }) | None => {
                self.waiters.remove(place.0);
                Claimed::Closed
            }
        }
    }

    /// Gives a place up: its place in line, or the slot it was granted, which goes to the next.
    pub(super) fn cancel(&mut self, place: Place, now: impl FnOnce() -> Instant) -> Cancelled<W> {
        if let Some(&Waiter { state: State::Waiting(class), .. }) = self.waiters.get(place.0) {
            self.leave(class, place.0);
        }
        match self.waiters.remove(place.0) {
            Some(Waiter { state: State::Granted, parked, .. }) => {
                Cancelled { left: parked, granted: self.release(now) }
            }
            left => Cancelled { left: left.and_then(|waiter| waiter.parked), granted: None },
        }
    }

    /// Gives a slot back. Returns what the waiter had parked that was granted it.
    ///
    /// `now` is asked only where a background waiter's age decides.
    pub(super) fn release(&mut self, now: impl FnOnce() -> Instant) -> Option<W> {
        self.in_flight = self.in_flight.saturating_sub(1);
        self.grant(now)
    }

    /// Changes the number of slots. Returns what the waiters had parked that were granted the
    /// new ones. Slots in use above a lower limit stay in use until they are released.
    pub(super) fn resize(&mut self, limit: Option<NonZeroUsize>, now: Instant) -> Vec<W> {
        self.limit = slots(limit);
        core::iter::from_fn(|| self.grant(|| now)).collect()
    }

    /// Closes for good: nobody is granted a slot any more, and the slots in use are only counted
    /// down. Returns what the waiters had parked, in no particular order.
    pub(super) fn close(&mut self) -> Vec<W> {
        self.closed = true;
        self.waiting = 0;
        self.essential_waiting = 0;
        let mut parked = Vec::new();
        for waiter in self.waiters.entries() {
            if waiter.state == State::Granted {
                self.in_flight = self.in_flight.saturating_sub(1);
            }
            waiter.state = State::Closed;
            parked.extend(waiter.parked.take());
        }
        parked
    }

    /// Grants a free slot, if there is one, to whoever is next.
    fn grant(&mut self, now: impl FnOnce() -> Instant) -> Option<W> {
        if self.waiting == 0 || self.in_flight >= self.limit {
            return None;
        }
        let (class, key) = self.next(now)?;
        self.overtook = class == QueueClass::Background && self.essential.head().is_some();
        self.leave(class, key);
        self.occupy();
        let waiter = self.waiters.get_mut(key)?;
        waiter.state = State::Granted;
        let (arrival, parked) = (waiter.arrival, waiter.parked.take());
        if class == QueueClass::Essential {
            self.note_pass(arrival);
        }
        parked
    }

    /// Whose turn it is.
    fn next(&self, now: impl FnOnce() -> Instant) -> Option<(QueueClass, Key)> {
        let essential = self.essential.head().map(|key| (QueueClass::Essential, key));
        let background = self.background.head().map(|key| (QueueClass::Background, key));
        let (Some(_), Some((_, oldest))) = (essential, background) else {
            return essential.or(background);
        };
        if self.overtook {
            return essential;
        }
        let waiter = self.waiters.get(oldest)?;
        let aged = self.passes_are_spent(waiter.arrival)
            || now().saturating_duration_since(waiter.since) >= PATIENCE;
        if aged { background } else { essential }
    }

    /// Whether `PASSES` essential waiters that came after `arrival` have been granted.
    fn passes_are_spent(&self, arrival: u64) -> bool {
        self.passed.get(self.oldest).is_some_and(|&oldest| oldest > arrival)
    }

    fn note_pass(&mut self, arrival: u64) {
        if let Some(oldest) = self.passed.get_mut(self.oldest) {
            *oldest = arrival;
        }
        self.oldest = (self.oldest + 1) % PASSES;
    }

    fn occupy(&mut self) {
        self.in_flight += 1;
        self.peak = self.peak.max(self.in_flight);
    }

    fn leave(&mut self, class: QueueClass, key: Key) {
        let line = match class {
            QueueClass::Essential => &mut self.essential,
            QueueClass::Background => &mut self.background,
        };
        self.waiters.unlink(line, key);
        self.waiting -= 1;
        self.essential_waiting -= usize::from(class == QueueClass::Essential);
    }
}

fn slots(limit: Option<NonZeroUsize>) -> usize {
    limit.map_or(usize::MAX, NonZeroUsize::get)
}

#[cfg(test)]
mod history;
#[cfg(test)]
mod model;
#[cfg(test)]
mod naive;
#[cfg(test)]
mod tests;
