//! The gate: breaker, pacing and line in one, still without a clock, a lock or I/O.
//!
//! Whoever waits has a seat. A change that lets somebody go *calls* that seat and hands out what
//! wakes it, so that each waiter is woken when it is its turn and not before. One of those who
//! wait, the *keeper*, keeps the time for all: it alone sleeps until the next deadline.

use std::{collections::BTreeMap, time::Instant};

use retry_core::http::Health;

use super::{
    BreakerMode, BreakerState,
    epoch::Epoch,
    grant::{Ask, Call, Entry, Grant, Role, Ticket, Turn},
    line::{Line, Rank, Seat, Waiter},
    machine::{Breaker, BreakerConfig, Transition},
    pacing::Pacing,
};

#[derive(Debug)]
#[cfg_attr(test, derive(Clone))]
struct Keeper {
    seat: Seat,
    /// What it sleeps until; `None` from its appointment until it next runs.
    armed: Option<Instant>,
}

#[derive(Debug)]
#[cfg_attr(test, derive(Clone))]
pub(super) struct Gate<W> {
    breaker: Breaker,
    line: Line<W>,
    /// Decides while the breaker is closed and the line is not empty. Kept while the breaker is
    /// open, so that what it learnt is not forgotten when a recovery fails.
    pacing: Option<Pacing>,
    /// Those who have been called and have not come yet.
    called: BTreeMap<Seat, Call>,
    keeper: Option<Keeper>,
    turns: u64,
    wakes: Vec<W>,
}

impl<W> Gate<W> {
    pub(super) fn new(config: BreakerConfig) -> Self {
        Self {
            breaker: Breaker::new(config),
            line: Line::new(),
            pacing: None,
            called: BTreeMap::new(),
            keeper: None,
            turns: 0,
            wakes: Vec::new(),
        }
    }

    pub(super) fn state(&mut self, now: Instant) -> BreakerState {
        self.breaker.state(now)
    }

    pub(super) fn epoch(&self) -> Epoch {
        self.breaker.epoch()
    }

    /// Whether calls go through without asking: closed, and nobody waits.
    pub(super) fn is_open_wide(&self) -> bool {
        self.breaker.is_closed() && self.line.is_empty()
    }

    pub(super) fn has_failures(&self) -> bool {
        self.breaker.has_failures()
    }

    /// What has to be woken since this was last asked. To be done outside of any lock.
    pub(super) fn take_wakes(&mut self) -> Vec<W> {
        core::mem::take(&mut self.wakes)
    }

    /// Somebody wants to call.
    pub(super) fn enter(&mut self, ask: Ask, now: Instant) -> Entry {
        let Ask { mode, class, lease, rank, seat } = ask;
        self.advance(now);
        if self.is_open_wide() {
            return Entry::Called(Call::Go(Grant::Free { epoch: self.epoch() }));
        }
        let seat = Seat { rank, ..seat.unwrap_or_else(|| self.new_seat(self.epoch())) };
        if rank == Rank::Token && self.breaker.lets_token_pass() {
            return Entry::Called(Call::Go(Grant::Token { epoch: self.epoch(), seat }));
        }
        if mode == BreakerMode::FailFast && !self.breaker.is_closed() {
            // Those who wait came first: had the slot been free, one of them would have it now.
            if let Some(epoch) = self.breaker.grant(lease, now) {
                return Entry::Called(Call::Go(Grant::Candidate { epoch, seat }));
            }
            return Entry::Called(Call::Shut);
        }
        let key = seat.again();
        self.line.insert(seat, Waiter { mode, class, lease, waker: None }, now);
        self.advance(now);
        self.called.remove(&key).map_or(Entry::Wait(key), Entry::Called)
    }

    /// Somebody who waits runs, for whatever reason, and asks whether it may go. `waker` is kept
    /// for when it may.
    pub(super) fn poll(&mut self, seat: &Seat, waker: W, now: Instant) -> Turn {
        if let Some(waiter) = self.line.get_mut(seat) {
            // It runs, so there is no need to wake it if it is called now.
            waiter.waker = None;
        }
        self.advance(now);
        if let Some(call) = self.called.remove(seat) {
            return Turn::Called(call);
        }
        if let Some(waiter) = self.line.get_mut(seat) {
            waiter.waker = Some(waker);
        }
        let deadline = self.deadline();
        match &mut self.keeper {
            Some(keeper) if keeper.seat == *seat => {
                keeper.armed = deadline;
                Turn::Wait { sleep_until: deadline }
            }
            _ => Turn::Wait { sleep_until: None },
        }
    }

    /// Somebody stops waiting.
    pub(super) fn leave(&mut self, seat: &Seat, now: Instant) {
        if let Some(Call::Go(grant)) = self.called.remove(seat) {
            self.give_back(&grant, now);
        } else {
            self.line.remove(seat);
            self.advance(now);
        }
    }

    /// Somebody will not use its leave.
    pub(super) fn give_back(&mut self, grant: &Grant, now: Instant) {
        match grant {
            Grant::Free { .. } | Grant::Token { .. } => return,
            Grant::Candidate { epoch, .. } => self.breaker.abandon(*epoch),
            Grant::Released { epoch, .. } => {
                if let Some(pacing) = &mut self.pacing
                    && *epoch == self.breaker.epoch()
                {
                    pacing.refund(now);
                }
            }
        }
        self.advance(now);
    }

    /// Somebody has its slot and would send now.
    ///
    /// # Errors
    ///
    /// The seat with which to enter again, which keeps its place among those who wait.
    pub(super) fn admit(&mut self, grant: Grant, now: Instant) -> Result<Ticket, Seat> {
        let current = self.breaker.epoch();
        let plain = Ticket { epoch: current, role: Role::Plain };
        match grant {
            Grant::Candidate { epoch, .. } if self.breaker.admit_probe(epoch, now) => {
                Ok(Ticket { epoch, role: Role::Probe })
            }
            Grant::Released { epoch, .. } if epoch == current => {
                let role = self.pacing.as_ref().map(|pacing| Role::Paced(pacing.generation()));
                Ok(Ticket { epoch, role: role.unwrap_or(Role::Plain) })
            }
            Grant::Token { epoch, .. } if epoch == current && self.breaker.lets_token_pass() => {
                Ok(plain)
            }
            _ if self.is_open_wide() => Ok(plain),
            Grant::Free { epoch } => Err(self.new_seat(epoch)),
            Grant::Released { seat, .. }
            | Grant::Candidate { seat, .. }
            | Grant::Token { seat, .. } => Err(seat),
        }
    }

    /// An attempt was answered.
    pub(super) fn settle(
        &mut self,
        ticket: Ticket,
        health: Health,
        now: Instant,
    ) -> Option<Transition> {
        if let (Role::Paced(generation), Some(pacing)) = (ticket.role, &mut self.pacing)
            && ticket.epoch == self.breaker.epoch()
        {
            match health {
                Health::Up | Health::Reachable => pacing.on_good(),
                _ => pacing.on_bad(generation),
            }
        }
        let transition = self.breaker.settle(ticket.epoch, health, now);
        self.follow(transition, now)
    }

    /// An attempt ended without an answer.
    pub(super) fn abandon(&mut self, ticket: Ticket, now: Instant) {
        if ticket.role == Role::Probe {
            self.breaker.abandon(ticket.epoch);
            self.advance(now);
        }
    }

    /// See [`Breaker::isolate`].
    pub(super) fn isolate(&mut self, now: Instant) -> Option<Transition> {
        let transition = self.breaker.isolate();
        self.follow(transition, now)
    }

    /// See [`Breaker::reset`].
    pub(super) fn reset(&mut self, now: Instant) -> Option<Transition> {
        let transition = self.breaker.reset();
        self.follow(transition, now)
    }

    fn follow(&mut self, transition: Option<Transition>, now: Instant) -> Option<Transition> {
        match transition {
            Some(Transition::Opened { .. }) => {
                for (seat, waker) in self.line.take_impatient() {
                    self.called.insert(seat, Call::Shut);
                    self.wakes.extend(waker);
                }
            }
            Some(Transition::Closed) => match &mut self.pacing {
                Some(pacing) => pacing.resume(now),
                None => self.pacing = Some(Pacing::new(now)),
            },
            None => (),
        }
        self.advance(now);
        transition
    }

    /// Lets everybody go whose turn it is, and sees to it that somebody keeps the time.
    fn advance(&mut self, now: Instant) {
        if self.breaker.is_closed() {
            self.release(now);
        } else if let Some((_, waiter)) = self.line.head(now)
            && let Some(epoch) = self.breaker.grant(waiter.lease, now)
        {
            self.call_next(now, |seat| Grant::Candidate { epoch, seat });
        }
        self.appoint_keeper(now);
    }

    fn release(&mut self, now: Instant) {
        let epoch = self.breaker.epoch();
        while !self.line.is_empty() && self.pacing.as_mut().is_none_or(|pacing| pacing.release(now))
        {
            self.call_next(now, |seat| Grant::Released { epoch, seat });
        }
        if self.line.is_empty() {
            self.pacing = None;
        }
    }

    fn call_next(&mut self, now: Instant, grant: impl FnOnce(Seat) -> Grant) {
        if let Some((seat, waiter)) = self.line.pop(now) {
            self.called.insert(seat.again(), Call::Go(grant(seat)));
            self.wakes.extend(waiter.waker);
        }
    }

    /// When time alone may let somebody go.
    fn deadline(&self) -> Option<Instant> {
        if self.breaker.is_closed() {
            self.pacing.as_ref().map(Pacing::next_release)
        } else {
            self.breaker.poll_timeout()
        }
    }

    /// The keeper is who goes next. It is woken to learn that it is the keeper, and when it has
    /// to sleep less long than it knows.
    fn appoint_keeper(&mut self, now: Instant) {
        let head = self.line.head(now).map(|(seat, _)| seat.again());
        let (Some(deadline), Some(seat)) = (self.deadline(), head) else {
            self.keeper = None;
            return;
        };
        let is_set = self.keeper.as_ref().is_some_and(|keeper| {
            keeper.seat == seat && keeper.armed.is_none_or(|armed| armed <= deadline)
        });
        if !is_set {
            if let Some(waiter) = self.line.get_mut(&seat) {
                self.wakes.extend(waiter.waker.take());
            }
            self.keeper = Some(Keeper { seat, armed: None });
        }
    }

    fn new_seat(&mut self, era: Epoch) -> Seat {
        self.turns = self.turns.wrapping_add(1);
        Seat { rank: Rank::Caller, era, turn: self.turns }
    }
}

#[cfg(test)]
mod hostile_clock;
#[cfg(test)]
mod model;
#[cfg(test)]
mod recovery;
