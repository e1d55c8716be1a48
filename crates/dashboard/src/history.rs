//! The last while in equal steps: a ring that is given the time.

use std::{collections::VecDeque, time::Duration};

use crate::model::Step;

/// How much time a step holds.
pub(crate) const STEP: Duration = Duration::from_millis(500);

/// How many steps are kept: a minute.
const STEPS: usize = 120;

/// What happened lately. Its size does not depend on how much.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    /// The latest last. Never more than [`STEPS`].
    steps: VecDeque<Step>,
    /// The number of the latest one, counting from the start.
    latest: u64,
}

impl History {
    /// An attempt was answered after so many milliseconds.
    pub(crate) fn answered(&mut self, now: Duration, ms: u64) {
        let step = self.step(now);
        step.answered = step.answered.saturating_add(1);
        step.slowest = step.slowest.max(ms);
    }

    /// An attempt failed, or was not sent.
    pub(crate) fn failed(&mut self, now: Duration) {
        let step = self.step(now);
        step.failed = step.failed.saturating_add(1);
    }

    /// The steps up to now, the latest last.
    pub(crate) fn steps(&mut self, now: Duration) -> Vec<Step> {
        self.step(now);
        self.steps.iter().copied().collect()
    }

    /// The step that `now` falls into. A time before the latest one falls into that.
    fn step(&mut self, now: Duration) -> &mut Step {
        let number = u64::try_from(now.as_nanos() / STEP.as_nanos()).unwrap_or(u64::MAX);
        let passed = number.saturating_sub(self.latest);
        self.latest = self.latest.max(number);
        for _ in 0..passed.min(STEPS as u64) {
            self.steps.push_back(Step::default());
        }
        if self.steps.is_empty() {
            self.steps.push_back(Step::default());
        }
        self.steps.drain(..self.steps.len().saturating_sub(STEPS));
        let last = self.steps.len() - 1;
        &mut self.steps[last]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(answered: u32, failed: u32, slowest: u64) -> Step {
        Step { answered, failed, slowest }
    }

    #[test]
    fn a_step_keeps_the_counts_and_the_slowest_answer() {
        let mut history = History::default();
        history.answered(Duration::ZERO, 20);
        history.answered(STEP / 2, 10);
        history.failed(STEP);
        assert_eq!(
            history.steps(STEP * 3),
            [step(2, 0, 20), step(0, 1, 0), step(0, 0, 0), step(0, 0, 0)]
        );
    }

    #[test]
    fn only_the_last_minute_is_kept() {
        let mut history = History::default();
        history.failed(Duration::ZERO);
        history.failed(STEP);
        let steps = history.steps(STEP * 120);
        assert_eq!((steps.len(), steps[0]), (120, step(0, 1, 0)));
        assert_eq!(history.steps(Duration::MAX), [step(0, 0, 0); 120]);
    }

    #[test]
    fn a_clock_that_steps_back_writes_to_the_latest_step() {
        let mut history = History::default();
        history.failed(STEP);
        history.failed(Duration::ZERO);
        assert_eq!(history.steps(STEP), [step(0, 2, 0)]);
    }
}
