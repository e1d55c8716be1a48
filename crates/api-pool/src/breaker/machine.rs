//! The circuit breaker: a state machine without a clock, a lock or I/O.
//!
//! ```text
//!            threshold failures in a row              cooldown over
//!   Closed ─────────────────────────────► Open ─────────────────────────► HalfOpen
//!     ▲                                    ▲                                 │
//!     │                                    └──── the probe failed: twice ────┤
//!     └──────────────── the probe was answered ──────────────────────────────┘
//! ```

use std::{
    num::NonZeroU32,
    time::{Duration, Instant},
};

use retry_core::http::Health;

use super::{BreakerState, countdown::Countdown, epoch::Epoch};
use crate::clock;

/// When a breaker opens, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BreakerConfig {
    threshold: NonZeroU32,
    base: Duration,
    max: Duration,
}

impl BreakerConfig {
    /// Opens after `threshold` failures in a row; the cooldown is `base` and doubles with each
    /// failed probe up to `max`, which is raised to `base` if it is below. With `max` equal to
    /// `base` it does not grow.
    pub(crate) fn growing(threshold: NonZeroU32, base: Duration, max: Duration) -> Self {
        Self { threshold, base, max: max.max(base) }
    }
}

/// How often a lease doubles.
const DOUBLINGS: u32 = 3;

/// What an observer is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transition {
    /// Opened, or opened again because a probe failed; `Duration::MAX` when opened by hand.
    Opened { cooldown: Duration },
    /// Closed after having been open.
    Closed,
}

#[derive(Debug)]
#[cfg_attr(test, derive(Clone))]
enum State {
    Closed,
    Open {
        rest: Countdown,
    },
    HalfOpen {
        slot: Slot,
        /// Probes in a row that were answered and proved nothing.
        blanks: u32,
        /// Probes in a row that were sent and not answered within their lease.
        overdue: u32,
    },
    /// Opened by hand: no time ends it.
    Isolated,
}

/// The place of the one probe there may be.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone))]
enum Slot {
    Free,
    Taken {
        lease: Countdown,
        /// Whether the request is on its way.
        sent: bool,
    },
    /// Nobody may probe for a while.
    Resting {
        pause: Countdown,
    },
}

#[derive(Debug)]
#[cfg_attr(test, derive(Clone))]
pub(super) struct Breaker {
    config: BreakerConfig,
    state: State,
    epoch: Epoch,
    /// Failures in a row. Only a healthy answer ends a run; one that merely shows the service to
    /// be reachable does not.
    failures: u32,
    /// How long the next opening lasts.
    cooldown: Duration,
}

impl Breaker {
    pub(super) fn new(config: BreakerConfig) -> Self {
        Self {
            config,
            state: State::Closed,
            epoch: Epoch::FIRST,
            failures: 0,
            cooldown: config.base,
        }
    }

    pub(super) fn state(&mut self, now: Instant) -> BreakerState {
        self.elapse(now);
        match &self.state {
            State::Closed => BreakerState::Closed,
            State::Open { rest } => BreakerState::Open { until: rest.end_or_far() },
            State::HalfOpen { .. } => BreakerState::HalfOpen,
            State::Isolated => BreakerState::Open { until: clock::after(now, Duration::MAX) },
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        matches!(self.state, State::Closed)
    }

    pub(super) fn epoch(&self) -> Epoch {
        self.epoch
    }

    pub(super) fn has_failures(&self) -> bool {
        self.failures > 0
    }

    /// Takes the probe slot for at most `lease`. A probe that outlived its lease is replaced. If it
    /// had been sent, the next has twice as long, up to eight times: the service may be well and
    /// slower than `lease`.
    pub(super) fn grant(&mut self, lease: Duration, now: Instant) -> Option<Epoch> {
        self.elapse(now);
        let State::HalfOpen { slot, overdue, .. } = &mut self.state else {
            return None;
        };
        let is_free = match slot {
            Slot::Free => true,
            Slot::Taken { lease: wait, .. } | Slot::Resting { pause: wait } => wait.is_over(now),
        };
        if !is_free {
            return None;
        }
        if matches!(slot, Slot::Taken { sent: true, .. }) {
            *overdue = overdue.saturating_add(1);
        }
        let lease = lease.saturating_mul(1 << (*overdue).min(DOUBLINGS));
        *slot = Slot::Taken { lease: Countdown::new(now, lease), sent: false };
        self.epoch = self.epoch.next();
        Some(self.epoch)
    }

    /// Lets the probe of `epoch` be sent, if it still holds the slot. Its lease begins anew, so
    /// that waiting for a slot does not take from the time it has to be answered.
    pub(super) fn admit_probe(&mut self, epoch: Epoch, now: Instant) -> bool {
        let is_current = epoch == self.epoch;
        match &mut self.state {
            State::HalfOpen { slot: Slot::Taken { lease, sent }, .. } if is_current => {
                lease.restart(now);
                *sent = true;
                true
            }
            _ => false,
        }
    }

    /// Whether a call may go that fetches a token which others wait for: they hold leave to go, and
    /// cannot use it before.
    pub(super) fn lets_token_pass(&self) -> bool {
        matches!(
            self.state,
            State::Closed | State::HalfOpen { slot: Slot::Taken { sent: false, .. }, .. }
        )
    }

    /// Whether `epoch` is that of the probe which holds the slot.
    #[cfg(test)]
    pub(super) fn is_probing(&self, epoch: Epoch) -> bool {
        epoch == self.epoch
            && matches!(self.state, State::HalfOpen { slot: Slot::Taken { .. }, .. })
    }

    /// Frees the slot of a probe that ended without an answer; the next may go at once.
    pub(super) fn abandon(&mut self, epoch: Epoch) {
        if epoch != self.epoch {
            return;
        }
        if let State::HalfOpen { slot, .. } = &mut self.state {
            *slot = Slot::Free;
        }
    }

    /// Learns how a request admitted in `epoch` was answered.
    ///
    /// An answer from an earlier epoch neither closes, nor frees the probe slot, nor counts.
    pub(super) fn settle(
        &mut self,
        epoch: Epoch,
        health: Health,
        now: Instant,
    ) -> Option<Transition> {
        if epoch != self.epoch {
            return None;
        }
        match &mut self.state {
            State::Closed => match health {
                Health::Up => self.failures = 0,
                Health::Down => {
                    self.failures = self.failures.saturating_add(1);
                    if self.failures >= self.config.threshold.get() {
                        return Some(self.open(now));
                    }
                }
                _ => (),
            },
            State::HalfOpen { slot: slot @ Slot::Taken { .. }, blanks, .. } => match health {
                Health::Up => {
                    self.failures = 0;
                    return Some(self.close());
                }
                Health::Reachable => return Some(self.close()),
                Health::Down => {
                    self.failures = self.failures.saturating_add(1);
                    self.cooldown = self.cooldown.saturating_mul(2).min(self.config.max);
                    return Some(self.open(now));
                }
                // The first such answer is let off: a single 429 is often meant for one caller.
                // From the second in a row on, the service is left alone for the base cooldown,
                // so that callers do not probe back to back.
                _ => {
                    *blanks = blanks.saturating_add(1);
                    *slot = match *blanks {
                        1 => Slot::Free,
                        _ => Slot::Resting { pause: Countdown::new(now, self.config.base) },
                    };
                }
            },
            State::HalfOpen { .. } | State::Open { .. } | State::Isolated => (),
        }
        None
    }

    /// Opens until [`reset`](Self::reset). `None` if it was opened by hand before.
    pub(super) fn isolate(&mut self) -> Option<Transition> {
        if matches!(self.state, State::Isolated) {
            return None;
        }
        self.enter(State::Isolated);
        Some(Transition::Opened { cooldown: Duration::MAX })
    }

    /// Closes and forgets all failures. `None` if it was closed before.
    pub(super) fn reset(&mut self) -> Option<Transition> {
        self.failures = 0;
        let was_closed = self.is_closed();
        let closed = self.close();
        (!was_closed).then_some(closed)
    }

    /// When [`grant`](Self::grant), now refusing, may answer differently for no other reason than
    /// time. `None`: not before something else happens.
    pub(super) fn poll_timeout(&self) -> Option<Instant> {
        match &self.state {
            State::Closed | State::Isolated | State::HalfOpen { slot: Slot::Free, .. } => None,
            State::Open { rest: wait }
            | State::HalfOpen {
                slot: Slot::Taken { lease: wait, .. } | Slot::Resting { pause: wait },
                ..
            } => wait.end(),
        }
    }

    fn open(&mut self, now: Instant) -> Transition {
        let cooldown = self.cooldown;
        self.enter(State::Open { rest: Countdown::new(now, cooldown) });
        Transition::Opened { cooldown }
    }

    fn close(&mut self) -> Transition {
        self.cooldown = self.config.base;
        self.enter(State::Closed);
        Transition::Closed
    }

    fn enter(&mut self, state: State) {
        self.state = state;
        self.epoch = self.epoch.next();
    }

    fn elapse(&mut self, now: Instant) {
        if let State::Open { rest } = &mut self.state
            && rest.is_over(now)
        {
            self.state = State::HalfOpen { slot: Slot::Free, blanks: 0, overdue: 0 };
        }
    }
}

#[cfg(test)]
mod history;
#[cfg(test)]
mod tests;
