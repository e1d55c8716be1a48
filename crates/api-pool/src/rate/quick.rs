//! A token at once, for those who come while nobody waits.

use std::time::Instant;

use governor::{clock::Clock, nanos::Nanos};

use super::{
    arrival::{Arrival, Governor, nanos_between},
    quota::Quota,
};
use crate::{
    clock,
    sync::atomic::{
        AtomicBool,
        Ordering::{Acquire, Release},
    },
};

/// Takes tokens without a lock while nobody waits for one.
///
/// It is never ahead of those in line: its time starts no earlier than theirs. Where the clock
/// went back before the start, it stands still, and hands out no more than was left.
#[derive(Debug)]
pub(super) struct Quick {
    governor: Governor<Running>,
    closed: AtomicBool,
}

impl Quick {
    pub(super) fn new(quota: Quota, arrival: &Arrival, start: Instant) -> Self {
        Self {
            governor: arrival.governor(quota, Running { start }),
            closed: AtomicBool::new(false),
        }
    }

    /// Takes a token; `false` where the line must be asked.
    #[inline]
    pub(super) fn take(&self) -> bool {
        self.is_open() && self.governor.check().is_ok()
    }

    /// Whether nobody waits.
    #[inline]
    pub(super) fn is_open(&self) -> bool {
        !self.closed.load(Acquire)
    }

    /// Somebody waits, so that nobody may pass by the line.
    pub(super) fn close(&self) {
        self.closed.store(true, Release);
    }

    /// Nobody waits.
    pub(super) fn open(&self) {
        self.closed.store(false, Release);
    }
}

/// `governor`'s clock: the nanoseconds since the start, read from ours.
#[derive(Debug)]
struct Running {
    start: Instant,
}

impl Clock for Running {
    type Instant = Nanos;

    #[inline]
    fn now(&self) -> Nanos {
        nanos_between(self.start, clock::now()).into()
    }
}

#[cfg(all(test, not(pool_loom)))]
mod tests {
    use std::time::Duration;

    use super::*;

    fn quick(burst: usize, start: Instant) -> Quick {
        Quick::new(Quota::repaired(0.001, burst), &Arrival::default(), start)
    }

    fn take_all(quick: &Quick) -> usize {
        std::iter::repeat_with(|| quick.take()).take_while(|&took| took).count()
    }

    #[test]
    fn the_burst_is_there_unless_somebody_waits() {
        let quick = quick(3, clock::now());
        quick.close();
        assert_eq!(take_all(&quick), 0);
        quick.open();
        assert_eq!(take_all(&quick), 3);
    }

    #[test]
    fn a_clock_from_before_the_start_gives_the_burst_and_no_more() {
        assert_eq!(take_all(&quick(3, clock::now() + Duration::from_secs(86_400))), 3);
    }
}
