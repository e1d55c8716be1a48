//! A wait that a hostile clock can neither prolong without bound nor overflow.

use std::time::{Duration, Instant};

use crate::clock;

/// A wait with a known start.
///
/// When the clock steps back before the start, the wait begins again at the earlier time: what is
/// left is never more than the wait itself. A wait whose end the clock cannot hold never ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Countdown {
    start: Instant,
    wait: Duration,
}

impl Countdown {
    pub(super) const fn new(start: Instant, wait: Duration) -> Self {
        Self { start, wait }
    }

    pub(super) fn restart(&mut self, now: Instant) {
        self.start = now;
    }

    pub(super) fn is_over(&mut self, now: Instant) -> bool {
        self.start = self.start.min(now);
        self.end().is_some_and(|end| end <= now)
    }

    /// When the wait ends; `None` for never.
    pub(super) fn end(&self) -> Option<Instant> {
        self.start.checked_add(self.wait)
    }

    /// When the wait ends, with an instant decades ahead for never.
    pub(super) fn end_or_far(&self) -> Instant {
        clock::after(self.start, self.wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WAIT: Duration = Duration::from_secs(5);

    #[test]
    fn ends_exactly_at_its_end() {
        let start = clock::now();
        let mut countdown = Countdown::new(start, WAIT);
        assert!(!countdown.is_over(start + WAIT - Duration::from_nanos(1)));
        assert!(countdown.is_over(start + WAIT));
    }

    #[test]
    fn a_clock_that_steps_back_starts_the_wait_again_and_no_more() {
        let start = clock::now() + Duration::from_secs(60 * 60 * 24);
        let back = start - Duration::from_secs(60 * 60 * 8);
        let mut countdown = Countdown::new(start, WAIT);
        assert!(!countdown.is_over(back));
        assert_eq!(countdown.end(), Some(back + WAIT));
        assert!(countdown.is_over(back + WAIT));
    }

    #[test]
    fn a_wait_the_clock_cannot_hold_never_ends() {
        let start = clock::now();
        let mut countdown = Countdown::new(start, Duration::MAX);
        let decades = start + Duration::from_secs(60 * 60 * 24 * 365 * 40);
        assert!(!countdown.is_over(decades));
        assert_eq!(countdown.end(), None);
        assert!(countdown.end_or_far() > start + Duration::from_secs(60 * 60 * 24 * 365 * 20));
    }
}
