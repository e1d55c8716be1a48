//! The shell round the gate: one lock, one atomic word, and guards.

use std::{fmt, task::Waker, time::Instant};

use retry_core::http::Health;

use super::{
    BreakerState,
    epoch::Epoch,
    gate::Gate,
    grant::{Ask, Grant, Role, Ticket},
    line::Seat,
    machine::{BreakerConfig, Transition},
    waiting::Waiting,
};
use crate::{
    clock,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
        lock,
    },
};

/// A circuit breaker that many callers share.
///
/// A call passes it twice: it [enters](Self::enter) before it waits for anything scarce, and is
/// [admitted](Self::admit) once it holds its slot and would send. While the breaker is closed and
/// healthy, both are one load each, and so is settling a success.
pub(crate) struct Circuit {
    /// The [`Word`]: what the gate says, for those who need not ask it.
    word: AtomicU64,
    gate: Mutex<Gate<Waker>>,
}

impl Circuit {
    pub(crate) fn new(config: BreakerConfig) -> Self {
        let gate = Gate::new(config);
        Self { word: AtomicU64::new(Word::of(&gate).0), gate: Mutex::new(gate) }
    }

    pub(crate) fn state(&self) -> BreakerState {
        if self.word().is_open_wide() {
            return BreakerState::Closed;
        }
        self.with(Gate::state)
    }

    /// Opens until [`reset`](Self::reset); `None` if this was done before.
    pub(crate) fn isolate(&self) -> Option<Transition> {
        self.with(Gate::isolate)
    }

    /// Closes and forgets all failures; `None` if it was closed. Those who wait are released at
    /// the pace of a recovery.
    pub(crate) fn reset(&self) -> Option<Transition> {
        self.with(Gate::reset)
    }

    /// Waits, without holding anything, until this call may go on.
    ///
    /// Whoever leaves as the candidate for the probe has its lease to be admitted, and from then on
    /// as long again to be answered. One who is not is replaced, and its late answer ignored, so
    /// the lease should be somewhat longer than the attempt's own timeout.
    ///
    /// A call [for a token](Ask::for_token) does not wait for those who wait for it: neither for
    /// the candidate, as long as that is not sent, nor for its turn in a recovery. Its answer is
    /// then that of a probe.
    ///
    /// # Errors
    ///
    /// [`Rejected`] under [`BreakerMode::FailFast`] while the breaker is shut.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future gives up the place in the line, and the leave to go if there is one.
    pub(crate) async fn enter(&self, ask: Ask) -> Result<Pass<'_>, Rejected> {
        match self.try_enter() {
            Some(pass) => Ok(pass),
            None => Waiting::new(self, ask).await,
        }
    }

    /// Enters if the breaker is closed and nobody waits.
    #[inline]
    pub(crate) fn try_enter(&self) -> Option<Pass<'_>> {
        let word = self.word();
        word.is_open_wide()
            .then(|| Pass { circuit: self, grant: Grant::Free { epoch: word.epoch() } })
    }

    /// Whether a call must ask before it goes on: the breaker is not closed, or somebody waits.
    #[inline]
    pub(crate) fn is_gated(&self) -> bool {
        !self.word().is_open_wide()
    }

    /// Admits a call that holds its slot, if the breaker is closed and nobody waits.
    #[inline]
    pub(crate) fn try_admit(&self) -> Option<Admission<'_>> {
        let word = self.word();
        word.is_open_wide().then(|| {
            let ticket = Ticket { epoch: word.epoch(), role: Role::Plain };
            Admission { circuit: self, ticket }
        })
    }

    /// Asks again, with the slot held, for leave to send.
    ///
    /// # Errors
    ///
    /// [`Refused`] when the breaker opened since, or this candidate was replaced: give the slot
    /// back and [enter](Self::enter) again, with the seat.
    #[inline]
    pub(crate) fn admit<'a>(&'a self, pass: Pass<'a>) -> Result<Admission<'a>, Refused> {
        match self.try_admit() {
            Some(admission) => {
                // Nobody probes and nobody waits, so there is nothing to give back.
                core::mem::forget(pass);
                Ok(admission)
            }
            None => self.admit_gated(pass),
        }
    }

    // The four below are out of line so that the healthy path needs neither stack nor spills.

    #[cold]
    #[inline(never)]
    fn admit_gated(&self, mut pass: Pass<'_>) -> Result<Admission<'_>, Refused> {
        let spent = Grant::Free { epoch: self.word().epoch() };
        let grant = core::mem::replace(&mut pass.grant, spent);
        match self.with(|gate, now| gate.admit(grant, now)) {
            Ok(ticket) => Ok(Admission { circuit: self, ticket }),
            Err(seat) => Err(Refused { seat }),
        }
    }

    #[cold]
    #[inline(never)]
    fn give_back(&self, grant: &Grant) {
        self.with(|gate, now| gate.give_back(grant, now));
    }

    #[cold]
    #[inline(never)]
    fn settle(&self, epoch: Epoch, role: Role, health: Health) -> Option<Transition> {
        self.with(|gate, now| gate.settle(Ticket { epoch, role }, health, now))
    }

    #[cold]
    #[inline(never)]
    fn abandon(&self, ticket: Ticket) {
        self.with(|gate, now| gate.abandon(ticket, now));
    }

    pub(super) fn pass(&self, grant: Grant) -> Pass<'_> {
        Pass { circuit: self, grant }
    }

    /// Lets the gate decide, and wakes whom it called once the lock is released.
    pub(super) fn with<R>(&self, decide: impl FnOnce(&mut Gate<Waker>, Instant) -> R) -> R {
        let mut gate = lock(&self.gate);
        // Read under the lock, so that the gate sees time in order.
        let decision = decide(&mut gate, clock::now());
        self.word.store(Word::of(&gate).0, Ordering::Release);
        let wakes = gate.take_wakes();
        drop(gate);
        wakes.into_iter().for_each(Waker::wake);
        decision
    }

    #[inline]
    fn word(&self) -> Word {
        Word(self.word.load(Ordering::Acquire))
    }
}

impl fmt::Debug for Circuit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Circuit").field("state", &self.state()).finish_non_exhaustive()
    }
}

/// The epoch, and whether there is anything to ask the gate for.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Word(u64);

impl Word {
    /// The breaker is not closed, or somebody waits: ask before going.
    const GATED: u64 = 1 << Epoch::BITS;
    /// A run of failures is under way, which a success ends.
    const FAILING: u64 = 2 << Epoch::BITS;

    fn of<W>(gate: &Gate<W>) -> Self {
        let gated = if gate.is_open_wide() { 0 } else { Self::GATED };
        let failing = if gate.has_failures() { Self::FAILING } else { 0 };
        Self(gate.epoch().bits() | gated | failing)
    }

    const fn is_open_wide(self) -> bool {
        self.0 & Self::GATED == 0
    }

    const fn epoch(self) -> Epoch {
        Epoch::from_bits(self.0)
    }

    /// Whether a success admitted in `epoch` changes nothing.
    const fn ignores_success_of(self, epoch: Epoch) -> bool {
        self.0 == epoch.bits()
    }
}

/// Leave to go on to the slot. Dropped unused, it passes to the next in line.
#[must_use = "dropping it gives up the place in the line"]
pub(crate) struct Pass<'a> {
    circuit: &'a Circuit,
    grant: Grant,
}

impl Pass<'_> {
    #[inline]
    const fn is_free(&self) -> bool {
        matches!(self.grant, Grant::Free { .. })
    }
}

impl Drop for Pass<'_> {
    #[inline]
    fn drop(&mut self) {
        if !self.is_free() {
            self.circuit.give_back(&self.grant);
        }
    }
}

impl fmt::Debug for Pass<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pass").field("grant", &self.grant).finish_non_exhaustive()
    }
}

/// An attempt on its way. Dropped without [settling](Self::settle), it proved nothing, and frees
/// the probe slot if it held it.
#[must_use = "an attempt that is not settled proves nothing"]
pub(crate) struct Admission<'a> {
    circuit: &'a Circuit,
    ticket: Ticket,
}

impl Admission<'_> {
    /// Reports what the answer says about the service, and learns what that changed.
    ///
    /// [`Health::Unknown`] is for an answer that asks to come later (408, 429): it proves nothing
    /// about health, but slows a recovery down. An attempt that was not answered, and did not fail
    /// to be, is dropped instead.
    #[inline]
    pub(crate) fn settle(self, health: Health) -> Option<Transition> {
        let (circuit, Ticket { epoch, role }) = (self.circuit, self.ticket);
        // What it holds is settled from here on, and not given up.
        core::mem::forget(self);
        if matches!(health, Health::Up) && circuit.word().ignores_success_of(epoch) {
            return None;
        }
        circuit.settle(epoch, role, health)
    }

    #[cfg(test)]
    pub(crate) fn is_probe(&self) -> bool {
        self.ticket.role == Role::Probe
    }
}

impl Drop for Admission<'_> {
    #[inline]
    fn drop(&mut self) {
        if self.ticket.role == Role::Probe {
            self.circuit.abandon(self.ticket);
        }
    }
}

impl fmt::Debug for Admission<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Admission").field("ticket", &self.ticket).finish_non_exhaustive()
    }
}

/// The breaker is shut, and the call does not wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rejected;

/// The gate changed its mind before the request was sent.
#[derive(Debug)]
pub(crate) struct Refused {
    seat: Seat,
}

impl Refused {
    /// The place in the line, for [`Circuit::enter`].
    pub(crate) fn into_seat(self) -> Seat {
        self.seat
    }
}

#[cfg(all(test, pool_loom))]
mod loom_tests;
#[cfg(all(test, not(pool_loom)))]
mod tests;
