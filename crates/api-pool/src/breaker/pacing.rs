//! How fast those who waited for a service are let go once it is back.
//!
//! Nobody tells a client what the service can take, so the rate is learnt from the answers. It
//! starts low and *explores*, growing with every good answer, until the first refusal. That
//! rate is remembered as the ceiling, and from then on the rate *cruises*: a fifth down at a
//! refusal, then slowly up again. A rate well above the ceiling without a refusal shows that the
//! service can take more than it could, and exploring begins again.
//!
//! Above the rate that a recovery starts with, one refusal after a run of good answers is taken as
//! chance: a service that fails one request in a hundred does so at any rate.

use std::time::{Duration, Instant};

use super::countdown::Countdown;

/// Releases per 1,000 seconds: fine enough for a slow service, without fractions.
type Rate = u64;

/// 8 per second: what a service that just came back can be asked to bear.
const START: Rate = 8_000;

/// One in 10 s: low enough for the strictest of services, high enough to notice a change.
const FLOOR: Rate = 100;

/// A million per second: above it, pacing has no effect that could be measured.
const TOP: Rate = 1_000_000_000;

/// What a good answer adds while exploring: 5 % of the rate, but at least 0.25 per second, so
/// that a rate cut to nearly nothing recovers within a few answers, and at most 1 per second, so
/// that the rate never doubles in much less than a second.
const EXPLORE_PERCENT: u64 = 5;
const EXPLORE_LEAST: Rate = 250;
const EXPLORE_MOST: Rate = 1_000;

/// What a good answer adds while cruising: 0.02 per second, so that a second's worth of answers
/// adds 2 % whatever the rate.
const CRUISE: Rate = 20;

/// So many good answers in a row add as much again to what each of them adds while cruising.
const PATIENCE: u32 = 256;

/// How many good answers in a row make the refusal after them one by chance, which is not the
/// rate's fault and does not cut it: a service may fail one request in a hundred at any rate.
/// Not below the rate that a recovery starts with, where every refusal counts.
const CHANCE: u32 = 16;

/// How late a release may be and still be made up for. A timer is late by up to a millisecond,
/// and a busy runtime by more; without this, the rate would be missed by as much.
const SLACK: Duration = Duration::from_millis(10);

/// A number that changes with every cut of the rate.
///
/// The refusals of one rate cut it once: the later ones say nothing new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Generation(u32);

#[derive(Debug)]
#[cfg_attr(test, derive(Clone))]
pub(super) struct Pacing {
    rate: Rate,
    /// The rate that was refused last; `None` while exploring.
    ceiling: Option<Rate>,
    generation: Generation,
    /// Good answers since the last refusal.
    run: u32,
    next: Countdown,
}

impl Pacing {
    /// Starts low; the first release is due at once.
    pub(super) fn new(now: Instant) -> Self {
        Self {
            rate: START,
            ceiling: None,
            generation: Generation(0),
            run: 0,
            next: Countdown::new(now, Duration::ZERO),
        }
    }

    /// Starts again after the service was lost once more: no faster than before it was lost.
    pub(super) fn resume(&mut self, now: Instant) {
        *self = Self { rate: self.rate.min(START), generation: self.generation, ..Self::new(now) };
        self.generation = self.generation.next();
    }

    pub(super) fn generation(&self) -> Generation {
        self.generation
    }

    /// When the next release is due.
    pub(super) fn next_release(&self) -> Instant {
        self.next.end_or_far()
    }

    /// Takes the release that is due; `false` if none is.
    #[must_use]
    pub(super) fn release(&mut self, now: Instant) -> bool {
        if !self.next.is_over(now) {
            return false;
        }
        let earliest = now.checked_sub(SLACK).unwrap_or(now);
        self.next = Countdown::new(self.next_release().max(earliest), self.interval());
        true
    }

    /// Gives a release back that was not used: the next is due at once.
    pub(super) fn refund(&mut self, now: Instant) {
        self.next = Countdown::new(now, Duration::ZERO);
    }

    /// Learns that an answer was good.
    pub(super) fn on_good(&mut self) {
        if self.ceiling.is_some_and(|ceiling| self.rate > ceiling.saturating_mul(5) / 4) {
            self.ceiling = None;
        }
        let step = match self.ceiling {
            None => {
                let share = self.rate.saturating_mul(EXPLORE_PERCENT) / 100;
                share.clamp(EXPLORE_LEAST, EXPLORE_MOST)
            }
            Some(_) => CRUISE.saturating_mul(1 + u64::from(self.run / PATIENCE)),
        };
        self.rate = self.rate.saturating_add(step).min(TOP);
        self.run = self.run.saturating_add(1);
    }

    /// Learns that a request sent in `generation` was refused.
    pub(super) fn on_bad(&mut self, generation: Generation) {
        if generation != self.generation {
            return;
        }
        let run = std::mem::take(&mut self.run);
        if START < self.rate && CHANCE <= run {
            return;
        }
        self.generation = self.generation.next();
        self.ceiling = Some(self.rate);
        self.rate = (self.rate.saturating_mul(4) / 5).max(FLOOR);
    }

    fn interval(&self) -> Duration {
        const NANOS_IN_1000_S: u64 = 1_000_000_000_000;
        Duration::from_nanos(NANOS_IN_1000_S / self.rate.max(FLOOR))
    }
}

impl Generation {
    const fn next(self) -> Self {
        Self(self.0.wrapping_add(1))
    }
}

#[cfg(test)]
mod tests;
