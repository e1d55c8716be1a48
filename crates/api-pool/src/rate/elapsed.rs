//! Time that only goes forward, read from a clock that may not.

use std::time::{Duration, Instant};

/// How much time passed between two looks at a clock that may jump.
///
/// A step back of up to `tolerance` is waited out: time stands still until the clock is where it
/// was. A longer one is taken for a new start: nothing has passed, and time goes on from there.
/// Either way nobody gains time by it, and nobody is locked out for longer than `tolerance`.
#[derive(Debug)]
pub(super) struct Elapsed {
    latest: Instant,
    tolerance: Duration,
}

impl Elapsed {
    pub(super) const fn new(now: Instant, tolerance: Duration) -> Self {
        Self { latest: now, tolerance }
    }

    /// The nanoseconds since the last call, saturating.
    pub(super) fn lap(&mut self, now: Instant) -> u64 {
        match now.checked_duration_since(self.latest) {
            Some(passed) => {
                self.latest = now;
                u64::try_from(passed.as_nanos()).unwrap_or(u64::MAX)
            }
            None => {
                if self.latest.saturating_duration_since(now) > self.tolerance {
                    self.latest = now;
                }
                0
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock;

    const HOUR: Duration = Duration::from_secs(3600);
    const TOLERANCE: Duration = Duration::from_millis(10);

    #[test]
    fn a_small_step_back_is_waited_out() {
        let start = clock::now() + HOUR;
        let mut elapsed = Elapsed::new(start, TOLERANCE);
        assert_eq!(elapsed.lap(start - TOLERANCE), 0);
        assert_eq!(elapsed.lap(start), 0);
        assert_eq!(elapsed.lap(start + Duration::from_nanos(7)), 7);
    }

    #[test]
    fn a_long_step_back_is_a_new_start() {
        let start = clock::now() + HOUR;
        let mut elapsed = Elapsed::new(start, TOLERANCE);
        let back = start - TOLERANCE - Duration::from_nanos(1);
        assert_eq!(elapsed.lap(back), 0);
        assert_eq!(elapsed.lap(back + Duration::from_nanos(7)), 7);
    }
}
