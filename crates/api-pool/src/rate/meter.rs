//! The pace of a rate limiter: `governor`, given the time.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use governor::{
    clock::Clock,
    middleware::NoOpMiddleware,
    nanos::Nanos,
    state::{NotKeyed, StateStore},
};

use super::{elapsed::Elapsed, quota::Quota};
use crate::clock;

/// How late Tokio's timer may be: it counts in milliseconds.
const TIMER_GRAIN: u64 = 1_000_000;

/// The latest time `governor` is told, about 146 years after the start: with the longest fill of a
/// quota added to it, its sums stay in 64 bits.
const LATEST: u64 = 1 << 62;

/// Hands out tokens at a quota's pace.
///
/// A pure machine, despite the atomics: `governor` owns its clock and its state, and they are how
/// the meter sets and reads the two. Whoever asks the meter holds the lock around it.
#[derive(Debug)]
pub(super) struct Meter {
    governor: governor::RateLimiter<NotKeyed, Arrival, Stopwatch, NoOpMiddleware<Nanos>>,
    arrival: Arrival,
    elapsed: Elapsed,
    /// Nanoseconds since the start.
    time: u64,
    /// When the head of the line was told to ask again; 0 while nobody was told.
    due: u64,
    interval: u64,
    /// How much of a late wake-up is made good: less than an interval, so that a second holds at
    /// most the rate and the burst.
    grace: u64,
}

impl Meter {
    pub(super) fn new(quota: Quota, now: Instant) -> Self {
        let arrival = Arrival::default();
        let pace = governor::Quota::with_period(quota.refill())
            .unwrap_or_else(|| governor::Quota::per_second(quota.burst()))
            .allow_burst(quota.burst());
        let governor = governor::RateLimiter::new(pace, arrival.clone(), Stopwatch::default());
        Self {
            governor,
            arrival,
            elapsed: Elapsed::new(now, quota.refill()),
            time: 0,
            due: 0,
            interval: quota.interval(),
            grace: (quota.interval() - 1).min(TIMER_GRAIN),
        }
    }

    /// Takes a token, or tells when the next one is due.
    ///
    /// Whoever asks again at that time is served as of that time, even if a timer as coarse as
    /// Tokio's makes it late: lateness of up to a millisecond, or of nearly an interval where that
    /// is shorter, does not lower the rate.
    pub(super) fn ask(&mut self, now: Instant) -> Result<(), Instant> {
        self.time = self.time.saturating_add(self.elapsed.lap(now)).min(LATEST);
        let asked = match std::mem::take(&mut self.due) {
            0 => self.time,
            due => due.max(self.time.saturating_sub(self.grace)).min(self.time),
        };
        self.governor.clock().0.store(asked, Ordering::Relaxed);
        self.governor.check().map_err(|refusal| {
            self.due = refusal.earliest_possible().as_u64();
            clock::after(now, Duration::from_nanos(self.due.saturating_sub(self.time)))
        })
    }

    /// Takes a token back. No more than the burst is kept.
    pub(super) fn refund(&mut self) {
        // One token more: full one interval sooner. Where that lies in the past the bucket is full,
        // and `governor` counts from the present.
        self.arrival.set(self.arrival.get().saturating_sub(self.interval));
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

/// `governor`'s state: when the bucket will be full, in nanoseconds since the meter's start.
///
/// It is shared so that [`Meter::refund`] can move it, which `governor`'s own store does not allow.
#[derive(Clone, Debug, Default)]
struct Arrival(Arc<AtomicU64>);

impl Arrival {
    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn set(&self, arrival: u64) {
        self.0.store(arrival, Ordering::Relaxed);
    }
}

impl StateStore for Arrival {
    type Key = NotKeyed;

    fn measure_and_replace<T, F, E>(&self, _: &NotKeyed, decide: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        let (answer, next) = decide(Some(self.get().into()))?;
        self.set(next.as_u64());
        Ok(answer)
    }
}

#[cfg(test)]
mod tests;
