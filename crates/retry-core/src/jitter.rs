//! How far a wait may stray from its schedule.

use crate::nanos::UNLIMITED;
use crate::{Backoff, Entropy};

/// How a wait is drawn, given the delay `d` of the schedule.
///
/// Clients that failed together retry together unless something sets them apart. The
/// draw is uniform, ends included, in steps of a nanosecond. Whatever the range, the
/// policy's floor, cap and the server's hint are respected; see
/// [`Policy`](crate::Policy).
///
/// A server's hint is never shortened: [`Spread`](Self::Spread) lengthens it, the others
/// leave it as it is.
///
/// # Examples
///
/// ```
/// use core::time::Duration;
/// use retry_core::{Backoff, Failure, Jitter, Next, Policy};
///
/// let policy = Policy::new(Backoff::constant(Duration::from_secs(8))).with_jitter(Jitter::Equal);
/// let lowest = policy.run().on_failure(Failure::transient(), Duration::ZERO, &mut || 0);
/// assert!(matches!(lowest, Next::Retry { after, .. } if after == Duration::from_secs(4)));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Jitter {
    /// Exactly `d`. Draws no randomness.
    None,
    /// From 0 to `d`: the least work for a server that many clients wait for.
    #[default]
    Full,
    /// From `d` / 2 to `d`: keeps some of the delay in every case.
    Equal,
    /// From the base to three times the previous wait. The schedule's growth does not
    /// matter, only its first delay, which is the base.
    ///
    /// A draw above the cap does not become the cap: what it exceeds it by is divided by 8
    /// and taken off the cap, so that clients stay apart in the quarter below it.
    Decorrelated,
    /// From `d` to `d` plus this many percent of it: waits at least the schedule.
    ///
    /// Near the cap the range moves down instead of shrinking: with `p` the percentage as
    /// a fraction, it is [min(d, cap / (1 + p)), min(d · (1 + p), cap)].
    Spread(u8),
}

/// How a wait is drawn, in nanoseconds: uniformly from `low` to `high`, which is no less,
/// then folded under the cap, then raised to the floor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    low: u64,
    high: u64,
    cap: u64,
    floor: u64,
}

impl Range {
    const fn exactly(nanos: u64) -> Self {
        Self::between(nanos, nanos)
    }

    /// For ends that are at most the cap.
    const fn between(low: u64, high: u64) -> Self {
        Self { low, high, cap: UNLIMITED, floor: 0 }
    }

    /// Raises both ends to `floor`.
    #[inline(always)]
    pub(crate) fn raised_to(self, floor: u64) -> Self {
        Self { low: self.low.max(floor), high: self.high.max(floor), floor, ..self }
    }

    /// The shortest wait that can be drawn.
    #[inline]
    pub(crate) fn shortest(self) -> u64 {
        self.low.min(self.folded(self.high))
    }

    /// Draws once, or not at all if there is only one wait to choose.
    #[inline(always)]
    pub(crate) fn draw(self, entropy: &mut (impl Entropy + ?Sized)) -> u64 {
        if self.low == self.high { self.low } else { self.pick(entropy.next_u64()) }
    }

    /// Maps 64 uniform bits on the range, ends included: 0 is `low`, all ones is `high`.
    #[inline(always)]
    fn pick(self, bits: u64) -> u64 {
        let width = self.high.wrapping_sub(self.low);
        // (width + 1) · bits / 2^64 without ever needing width + 1 in 64 bits. The
        // product is below 2^128 and its upper half at most `width`, so the sum is at
        // most `high`.
        let product = u128::from(width) * u128::from(bits) + u128::from(bits);
        self.folded(self.low.wrapping_add((product >> 64) as u64))
    }

    #[inline(always)]
    fn folded(self, nanos: u64) -> u64 {
        match nanos.checked_sub(self.cap) {
            None | Some(0) => nanos,
            Some(above) => self.cap.saturating_sub(above / 8).max(self.floor),
        }
    }
}

impl Jitter {
    /// The range around the schedule's delay for this retry.
    #[inline(always)]
    pub(crate) fn around_delay(self, backoff: &Backoff, retry: u32, previous: u64) -> Range {
        match self {
            Self::None => Range::exactly(backoff.delay_nanos(retry)),
            Self::Full => Range::between(0, backoff.delay_nanos(retry)),
            Self::Equal => {
                let delay = backoff.delay_nanos(retry);
                Range::between(delay / 2, delay)
            }
            Self::Decorrelated => decorrelated(backoff, previous),
            Self::Spread(percent) => spread(backoff, retry, percent),
        }
    }

    /// The range around a server's hint, which is at most `cap`.
    #[inline]
    pub(crate) fn around_hint(self, hint: u64, cap: u64) -> Range {
        match self {
            Self::Spread(percent) => Range::between(hint, lengthened(hint, percent).min(cap)),
            Self::None | Self::Full | Self::Equal | Self::Decorrelated => Range::exactly(hint),
        }
    }
}

#[inline(never)]
fn decorrelated(backoff: &Backoff, previous: u64) -> Range {
    let (base, cap) = (backoff.delay_nanos(0), backoff.cap_nanos());
    Range { low: base, high: previous.max(base).min(cap).saturating_mul(3), cap, floor: 0 }
}

#[inline(never)]
fn spread(backoff: &Backoff, retry: u32, percent: u8) -> Range {
    let (delay, cap) = (backoff.delay_nanos(retry), backoff.cap_nanos());
    Range::between(delay.min(shortened(cap, percent)), lengthened(delay, percent).min(cap))
}

/// `nanos` · (100 + `percent`) / 100, rounded down, saturating.
const fn lengthened(nanos: u64, percent: u8) -> u64 {
    let percent = percent as u64;
    let whole = (nanos / 100).saturating_mul(percent);
    let rest = (nanos % 100) * percent / 100;
    nanos.saturating_add(whole).saturating_add(rest)
}

/// `nanos` · 100 / (100 + `percent`), rounded down; no limit stays no limit.
const fn shortened(nanos: u64, percent: u8) -> u64 {
    if nanos == UNLIMITED {
        return UNLIMITED;
    }
    let divisor = 100 + percent as u64;
    (nanos / divisor) * 100 + (nanos % divisor) * 100 / divisor
}
