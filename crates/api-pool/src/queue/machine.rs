//! The queue: a state machine without a clock, a lock or a waker.
//!
//! It counts slots and keeps two lines of waiters in one slab. Every operation costs the same
//! however many wait. What a waiter parks here (a waker, a number in a test) comes back exactly
//! once: when the waiter is granted a slot, when it leaves, or when the queue closes.

use core::num::NonZeroUsize;
use std::time::{Duration, Instant};

use super::QueueClass;

/// How many essential waiters may pass a background waiter that came before them.
pub(super) const PASSES: usize = 16;

/// How long a background waiter lets essential ones go first.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// The end of a line, or of the list of vacant nodes.
const NIL: u32 = u32::MAX;

/// Slots, and the waiters for them.
///
/// Invariant: while anyone waits, no slot is free.
#[derive(Debug)]
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
    essential: Line,
    background: Line,
    nodes: Vec<Node<W>>,
    /// Head of the list of vacant nodes, linked through `next`.
    vacant: u32,
    /// Arrivals so far: the number of the next waiter.
    arrivals: u64,
    /// Arrival numbers of the latest essential waiters that were granted, a ring.
    ///
    /// A class is served in order of arrival, so the numbers rise, and the oldest one alone tells
    /// whether `PASSES` of them came after a given background waiter.
    passed: [u64; PASSES],
    /// Where the oldest of `passed` is.
    oldest: usize,
    closed: bool,
}

/// First and last node of a class.
#[derive(Clone, Copy, Debug)]
struct Line {
    head: u32,
    tail: u32,
}

impl Line {
    const EMPTY: Self = Self { head: NIL, tail: NIL };
}

#[derive(Debug)]
struct Node<W> {
    parked: Option<W>,
    arrival: u64,
    since: Instant,
    prev: u32,
    next: u32,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Vacant,
    Waiting(QueueClass),
    /// Holds a slot that its waiter has not claimed yet.
    Granted,
    /// Put out of line by `close`.
    Closed,
}

/// A waiter's place in the slab. Valid until it is claimed or cancelled.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Place(u32);

/// What [`Queue::take`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// A slot, now the caller's.
    Slot,
    /// No free slot.
    Nothing,
    /// The queue is closed.
    Closed,
}

/// What [`Queue::enqueue`] did.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Entered {
    /// There was a free slot, now the caller's.
    Slot,
    /// The caller waits here.
    Waiting(Place),
}

/// Why [`Queue::enqueue`] let nobody in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// As many wait as may.
    Full { limit: usize },
    /// The queue is closed.
    Closed,
}

/// What [`Queue::claim`] found.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Claimed<W> {
    /// A slot, now the caller's; the place is gone.
    Slot,
    /// Still waiting; what had been parked before is handed back.
    Waiting(Place, Option<W>),
    /// The queue is closed; the place is gone.
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
            essential: Line::EMPTY,
            background: Line::EMPTY,
            nodes: Vec::new(),
            vacant: NIL,
            arrivals: 1,
            passed: [0; PASSES],
            oldest: 0,
            closed: false,
        }
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
        let node = Node {
            parked: Some(parked),
            arrival: self.arrivals,
            since: now,
            prev: NIL,
            next: NIL,
            state: State::Waiting(class),
        };
        let place = self.insert(node).ok_or(Refused::Full { limit: self.waiting })?;
        self.arrivals += 1;
        self.append(class, place);
        Ok(Entered::Waiting(Place(place)))
    }

    /// Asks for the slot that a waiter may have been granted. If it still waits, `parked`
    /// replaces what it had parked.
    pub(super) fn claim(&mut self, place: Place, parked: W) -> Claimed<W> {
        let Some(node) = self.nodes.get_mut(place.0 as usize) else { return Claimed::Closed };
        match node.state {
            State::Waiting(_) => {
                let before = node.parked.replace(parked);
                Claimed::Waiting(place, before)
            }
            State::Granted => {
                self.vacate(place.0);
                Claimed::Slot
            }
            State::Closed | State::Vacant => {
                self.vacate(place.0);
                Claimed::Closed
            }
        }
    }

    /// Gives a place up: out of line, or a granted slot back, for which the next waiter's parked
    /// value is returned.
    pub(super) fn cancel(&mut self, place: Place, now: impl FnOnce() -> Instant) -> Cancelled<W> {
        let Some(node) = self.nodes.get_mut(place.0 as usize) else { return Cancelled::NOTHING };
        let left = node.parked.take();
        match node.state {
            State::Waiting(class) => {
                self.unlink(class, place.0);
                self.vacate(place.0);
                Cancelled { left, granted: None }
            }
            State::Granted => {
                self.vacate(place.0);
                Cancelled { left, granted: self.release(now) }
            }
            State::Closed | State::Vacant => {
                self.vacate(place.0);
                Cancelled { left, granted: None }
            }
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
        self.essential = Line::EMPTY;
        self.background = Line::EMPTY;
        let mut parked = Vec::new();
        let mut unclaimed = 0;
        for node in &mut self.nodes {
            match node.state {
                State::Waiting(_) => node.state = State::Closed,
                State::Granted => {
                    node.state = State::Closed;
                    unclaimed += 1;
                }
                State::Vacant | State::Closed => (),
            }
            parked.extend(node.parked.take());
        }
        self.in_flight = self.in_flight.saturating_sub(unclaimed);
        parked
    }

    /// Grants a free slot, if there is one, to whoever is next.
    fn grant(&mut self, now: impl FnOnce() -> Instant) -> Option<W> {
        if self.waiting == 0 || self.in_flight >= self.limit {
            return None;
        }
        let class = self.next_class(now);
        let place = self.line(class).head;
        self.unlink(class, place);
        self.occupy();
        let node = self.nodes.get_mut(place as usize)?;
        node.state = State::Granted;
        let (arrival, parked) = (node.arrival, node.parked.take());
        if class == QueueClass::Essential {
            self.note_pass(arrival);
        }
        parked
    }

    /// Whose turn it is, given that somebody waits.
    fn next_class(&self, now: impl FnOnce() -> Instant) -> QueueClass {
        let Some(oldest) = self.nodes.get(self.background.head as usize) else {
            return QueueClass::Essential;
        };
        if self.essential.head == NIL
            || self.passes_are_spent(oldest.arrival)
            || now().saturating_duration_since(oldest.since) >= PATIENCE
        {
            QueueClass::Background
        } else {
            QueueClass::Essential
        }
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

    fn line(&mut self, class: QueueClass) -> &mut Line {
        match class {
            QueueClass::Essential => &mut self.essential,
            QueueClass::Background => &mut self.background,
        }
    }

    fn append(&mut self, class: QueueClass, place: u32) {
        let line = self.line(class);
        let last = core::mem::replace(&mut line.tail, place);
        if last == NIL {
            line.head = place;
        }
        self.relink(last, |node| node.next = place);
        self.relink(place, |node| node.prev = last);
        self.waiting += 1;
    }

    fn unlink(&mut self, class: QueueClass, place: u32) {
        let Some(&Node { prev, next, .. }) = self.nodes.get(place as usize) else { return };
        let line = self.line(class);
        if prev == NIL {
            line.head = next;
        }
        if next == NIL {
            line.tail = prev;
        }
        self.relink(prev, |node| node.next = next);
        self.relink(next, |node| node.prev = prev);
        self.waiting -= 1;
    }

    fn relink(&mut self, place: u32, change: impl FnOnce(&mut Node<W>)) {
        if let Some(node) = self.nodes.get_mut(place as usize) {
            change(node);
        }
    }

    /// Puts a node into a vacant place, or a new one. `None` if places have run out.
    fn insert(&mut self, node: Node<W>) -> Option<u32> {
        let place = self.vacant;
        if let Some(vacant) = self.nodes.get_mut(place as usize) {
            self.vacant = vacant.next;
            *vacant = node;
            return Some(place);
        }
        let place = u32::try_from(self.nodes.len()).ok().filter(|&place| place != NIL)?;
        if self.nodes.len() == self.nodes.capacity() {
            // Growing by half bounds what a waiter costs to one and a half nodes.
            self.nodes.reserve_exact((self.nodes.len() / 2).max(8));
        }
        self.nodes.push(node);
        Some(place)
    }

    fn vacate(&mut self, place: u32) {
        let vacant = self.vacant;
        if let Some(node) = self.nodes.get_mut(place as usize)
            && node.state != State::Vacant
        {
            node.state = State::Vacant;
            node.parked = None;
            node.next = vacant;
            self.vacant = place;
        }
    }
}

/// What [`Queue::cancel`] hands back.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Cancelled<W> {
    /// What the leaver had parked.
    pub(super) left: Option<W>,
    /// What the waiter had parked that got the leaver's slot.
    pub(super) granted: Option<W>,
}

impl<W> Cancelled<W> {
    const NOTHING: Self = Self { left: None, granted: None };
}

fn slots(limit: Option<NonZeroUsize>) -> usize {
    limit.map_or(usize::MAX, NonZeroUsize::get)
}

#[cfg(test)]
mod tests;
