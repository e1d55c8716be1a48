//! Counts over the last while: a ring of slots, each holding a stretch of time.

use std::time::{Duration, Instant};

use super::histogram::Histogram;
use crate::event::WaitStage;

/// How many slots the window is cut into.
const SLOTS: usize = 12;

/// The shortest stretch of time that a slot holds.
const SHORTEST: Duration = Duration::from_millis(1);

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// The caller dropped it.
    Cancelled,
    /// It failed, and another one might not have. Without a time where nothing was sent.
    Failed { ms: Option<u64> },
    /// The client did not send it.
    Refused,
    /// The server answered, and would answer the same again.
    Rejected { ms: u64 },
    /// A 2xx.
    Succeeded { ms: u64 },
}

/// How often something was waited for, and for how long altogether.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Waits {
    pub(super) count: u64,
    pub(super) total: Duration,
}

impl Waits {
    fn add(&mut self, other: Self) {
        self.count = self.count.saturating_add(other.count);
        self.total = self.total.saturating_add(other.total);
    }
}

/// What happened in a stretch of time.
#[derive(Clone, Debug)]
pub(super) struct Counts {
    pub(super) cancelled: u64,
    pub(super) failed: u64,
    pub(super) refused: u64,
    pub(super) rejected: u64,
    pub(super) retries: u64,
    pub(super) succeeded: u64,
    /// In the order of [`stage_index`].
    waits: [Waits; 4],
    /// Of all attempts that got an answer or failed to.
    pub(super) latency: Histogram,
}

impl Counts {
    const fn new() -> Self {
        Self {
            cancelled: 0,
            failed: 0,
            refused: 0,
            rejected: 0,
            retries: 0,
            succeeded: 0,
            waits: [Waits { count: 0, total: Duration::ZERO }; 4],
            latency: Histogram::new(),
        }
    }

    pub(super) fn waits(&self, stage: WaitStage) -> Waits {
        self.waits.get(stage_index(stage)).copied().unwrap_or_default()
    }

    fn end(&mut self, ending: Ending) {
        let (count, ms) = match ending {
            Ending::Cancelled => (&mut self.cancelled, None),
            Ending::Failed { ms } => (&mut self.failed, ms),
            Ending::Refused => (&mut self.refused, None),
            Ending::Rejected { ms } => (&mut self.rejected, Some(ms)),
            Ending::Succeeded { ms } => (&mut self.succeeded, Some(ms)),
        };
        *count = count.saturating_add(1);
        if let Some(ms) = ms {
            self.latency.record(ms);
        }
    }

    fn merge(&mut self, other: &Self) {
        self.cancelled = self.cancelled.saturating_add(other.cancelled);
        self.failed = self.failed.saturating_add(other.failed);
        self.refused = self.refused.saturating_add(other.refused);
        self.rejected = self.rejected.saturating_add(other.rejected);
        self.retries = self.retries.saturating_add(other.retries);
        self.succeeded = self.succeeded.saturating_add(other.succeeded);
        for (mine, theirs) in self.waits.iter_mut().zip(other.waits) {
            mine.add(theirs);
        }
        self.latency.merge(&other.latency);
    }
}

const fn stage_index(stage: WaitStage) -> usize {
    match stage {
        WaitStage::Gate => 0,
        WaitStage::Credential => 1,
        WaitStage::RateToken => 2,
        WaitStage::Slot => 3,
    }
}

/// The last while, in slots. The oldest slot is given up as a whole, so what is told reaches
/// back between eleven twelfths of the window and all of it.
#[derive(Clone, Debug)]
pub(super) struct Window {
    origin: Instant,
    slot: Duration,
    /// The number of the latest slot that something was written to.
    latest: u64,
    ring: [Slot; SLOTS],
}

#[derive(Clone, Debug)]
struct Slot {
    /// Which stretch of time this holds, counting from the origin.
    number: u64,
    counts: Counts,
}

impl Window {
    pub(super) fn new(length: Duration, origin: Instant) -> Self {
        let slot = (length / SLOTS as u32).max(SHORTEST);
        let ring = [const { Slot { number: 0, counts: Counts::new() } }; SLOTS];
        Self { origin, slot, latest: 0, ring }
    }

    pub(super) fn end(&mut self, ending: Ending, now: Instant) {
        if let Some(counts) = self.at(now) {
            counts.end(ending);
        }
    }

    pub(super) fn retry(&mut self, now: Instant) {
        if let Some(counts) = self.at(now) {
            counts.retries = counts.retries.saturating_add(1);
        }
    }

    pub(super) fn wait(&mut self, stage: WaitStage, waited: Duration, now: Instant) {
        if let Some(waits) =
            self.at(now).and_then(|counts| counts.waits.get_mut(stage_index(stage)))
        {
            waits.add(Waits { count: 1, total: waited });
        }
    }

    /// What happened, and in how long a time: since the oldest slot that still counts began, or
    /// since the window was made.
    pub(super) fn sum(&self, now: Instant) -> (Counts, Duration) {
        let current = self.number(now);
        let mut sum = Counts::new();
        // The slots that nothing was written to are those of the ring's first round: empty.
        for slot in self.ring.iter().filter(|slot| self.counts_at(slot.number, current)) {
            sum.merge(&slot.counts);
        }
        let oldest = current.saturating_sub(SLOTS as u64 - 1);
        let began = self.slot.saturating_mul(u32::try_from(oldest).unwrap_or(u32::MAX));
        let covered = now.saturating_duration_since(self.origin).saturating_sub(began);
        (sum, covered)
    }

    fn counts_at(&self, number: u64, current: u64) -> bool {
        number.saturating_add(SLOTS as u64) > current
    }

    /// The counts that `now` falls into. A clock that stepped back writes to the latest ones.
    fn at(&mut self, now: Instant) -> Option<&mut Counts> {
        let number = self.number(now);
        self.latest = number;
        let slot = self.ring.get_mut((number % SLOTS as u64) as usize)?;
        if slot.number != number {
            *slot = Slot { number, counts: Counts::new() };
        }
        Some(&mut slot.counts)
    }

    fn number(&self, now: Instant) -> u64 {
        let since = now.saturating_duration_since(self.origin).as_nanos();
        let number = since / self.slot.as_nanos().max(1);
        u64::try_from(number).unwrap_or(u64::MAX).max(self.latest)
    }
}

#[cfg(test)]
mod tests;
