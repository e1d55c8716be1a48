//! The state that `governor` keeps of a bucket, where more than one of them may use it.

use std::{sync::Arc, time::Instant};

use governor::{
    clock::Clock,
    middleware::NoOpMiddleware,
    nanos::Nanos,
    state::{NotKeyed, StateStore},
};

use super::quota::Quota;
use crate::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The latest time `governor` is told, about 146 years after the start: with the longest fill of a
/// quota added to it, its sums stay in 64 bits.
const LATEST: u64 = 1 << 62;

/// `governor` over a bucket that is shared.
pub(super) type Governor<C> = governor::RateLimiter<NotKeyed, Arrival, C, NoOpMiddleware<Nanos>>;

/// When a bucket will be full, in nanoseconds since its start.
///
/// It is all there is to know about one. `governor`'s own store does not let it be moved, which a
/// token that comes back asks for.
#[derive(Clone, Debug, Default)]
pub(super) struct Arrival(Arc<AtomicU64>);

impl Arrival {
    /// Takes tokens from this bucket at a quota's pace.
    pub(super) fn governor<C: Clock<Instant = Nanos>>(
        &self,
        quota: Quota,
        clock: C,
    ) -> Governor<C> {
        let pace = governor::Quota::with_period(quota.refill())
            .unwrap_or_else(|| governor::Quota::per_second(quota.burst()))
            .allow_burst(quota.burst());
        governor::RateLimiter::new(pace, self.clone(), clock)
    }

    /// Full `nanos` sooner.
    pub(super) fn sooner_by(&self, nanos: u64) {
        let sooner = |arrival: u64| Some(arrival.saturating_sub(nanos));
        // Never refused.
        let _ = self.0.fetch_update(Relaxed, Relaxed, sooner);
    }

    /// Full at `latest`, or sooner.
    pub(super) fn at_most(&self, latest: u64) {
        self.0.fetch_min(latest, Relaxed);
    }
}

impl StateStore for Arrival {
    type Key = NotKeyed;

    #[inline]
    fn measure_and_replace<T, F, E>(&self, _: &NotKeyed, decide: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        let mut arrival = self.0.load(Relaxed);
        loop {
            let (answer, next) = decide(Some(arrival.into()))?;
            match self.0.compare_exchange_weak(arrival, next.as_u64(), Relaxed, Relaxed) {
                Ok(_) => return Ok(answer),
                Err(newer) => arrival = newer,
            }
        }
    }
}

/// The nanoseconds from `start` to `now`, as `governor` can be told them; none if it is earlier.
#[inline]
pub(super) fn nanos_between(start: Instant, now: Instant) -> u64 {
    let passed = now.saturating_duration_since(start).as_nanos();
    u64::try_from(passed).unwrap_or(LATEST).min(LATEST)
}
