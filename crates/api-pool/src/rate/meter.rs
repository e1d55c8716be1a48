//! The pace of a rate limiter for those who wait in line: `governor`, given the time.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use governor::{clock::Clock, nanos::Nanos};

use super::{
    arrival::{Arrival, Governor, nanos_between},
    quota::Quota,
};
use crate::clock;

/// How late Tokio's timer may be: it counts in milliseconds.
const TIMER_GRAIN: u64 = 1_000_000;

/// Hands out tokens at a quota's pace.
///
/// A pure machine, despite the atomics: `governor` owns its clock and its state, and they are how
/// the meter sets and reads the two. Whoever asks the meter holds the lock around it, or is alone;
/// those who come while nobody waits share the [`Arrival`] with it.
#[derive(Debug)]
pub(super) struct Meter {
    governor: Governor<Stopwatch>,
    arrival: Arrival,
    /// When time began, or the earliest the clock has been since.
    start: Instant,
    /// When the head of the line was told to ask again; 0 while nobody was told.
    due: u64,
    interval: u64,
    /// How far ahead of the time the bucket may be full.
    furthest: u64,
    /// How much of a late wake-up is made good: less than an interval, so that a second holds at
    /// most the rate and the burst.
    grace: u64,
}

impl Meter {
    pub(super) fn new(quota: Quota, now: Instant) -> Self {
        let arrival = Arrival::default();
        Self {
            governor: arrival.governor(quota, Stopwatch::default()),
            arrival,
            start: now,
            due: 0,
            interval: quota.interval(),
            // An empty bucket, and a step of the clock that is waited out.
            furthest: quota.fill().saturating_add(quota.interval()),
            grace: (quota.interval() - 1).min(TIMER_GRAIN),
        }
    }

    /// What tells those who come while nobody waits how far the tokens are taken.
    pub(super) fn arrival(&self) -> &Arrival {
        &self.arrival
    }

    /// Takes a token, or tells when the next one is due.
    ///
    /// Whoever asks again at that time is served as of that time, even if a timer as coarse as
    /// Tokio's makes it late: lateness of up to a millisecond, or of nearly an interval where that
    /// is shorter, does not lower the rate.
    pub(super) fn ask(&mut self, now: Instant) -> Result<(), Instant> {
        let time = self.time(now);
        let asked = match std::mem::take(&mut self.due) {
            0 => time,
            due => due.max(time.saturating_sub(self.grace)).min(time),
        };
        self.governor.clock().0.store(asked, Ordering::Relaxed);
        self.governor.check().map_err(|refusal| {
            self.due = refusal.earliest_possible().as_u64();
            clock::after(now, Duration::from_nanos(self.due.saturating_sub(time)))
        })
    }

    /// The nanoseconds since the start, of a clock that may jump.
    ///
    /// What a bucket owes bounds how far back the clock can have been: a step back of up to an
    /// interval is waited out, and after a longer one the bucket is no emptier than empty. Nobody
    /// gains a token by it, and nobody is locked out for longer than an interval.
    fn time(&mut self, now: Instant) -> u64 {
        self.start = self.start.min(now);
        let time = nanos_between(self.start, now);
        self.arrival.at_most(time.saturating_add(self.furthest));
        time
    }

    /// Takes a token back. No more than the burst is kept.
    pub(super) fn refund(&mut self) {
        // One token more: full one interval sooner. Where that lies in the past the bucket is full,
        // and `governor` counts from the present.
        self.arrival.sooner_by(self.interval);
    }

    /// Nobody waits any longer: the next one to ask was told nothing.
    pub(super) const fn clear(&mut self) {
        self.due = 0;
    }
}

/// `governor`'s clock: the nanoseconds since the meter's start, as the meter wrote them down.
#[derive(Debug, Default)]
struct Stopwatch(AtomicU64);

impl Clock for Stopwatch {
    type Instant = Nanos;

    fn now(&self) -> Nanos {
        self.0.load(Ordering::Relaxed).into()
    }
}

#[cfg(all(test, not(pool_loom)))]
mod tests;
