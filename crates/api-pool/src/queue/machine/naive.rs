//! A model of the queue that is slow and plain.

use std::time::Instant;

use super::{PATIENCE, QueueClass};
use QueueClass::{Background, Essential};

/// The queue as anyone would write it first: lists, searched from the front.
#[derive(Clone, Default)]
pub(super) struct Naive {
    pub(super) limit: usize,
    pub(super) running: usize,
    pub(super) waiting: Vec<NaiveWaiter>,
    pub(super) granted: Vec<u32>,
    /// Whether the last grant went past an essential waiter.
    pub(super) overtook: bool,
}

#[derive(Clone)]
pub(super) struct NaiveWaiter {
    pub(super) id: u32,
    pub(super) class: QueueClass,
    pub(super) since: Instant,
    pub(super) passed: usize,
}

impl Naive {
    pub(super) fn waiting_in(&self, class: QueueClass) -> usize {
        self.waiting.iter().filter(|waiter| waiter.class == class).count()
    }

    /// Grants what is free; says to whom.
    pub(super) fn grant(&mut self, now: Instant) -> Vec<u32> {
        let mut granted = Vec::new();
        while self.running + self.granted.len() < self.limit {
            let first_essential = self.waiting.iter().find(|waiter| waiter.class == Essential);
            let first_essential = first_essential.map(|waiter| waiter.id);
            let first = |class| self.waiting.iter().position(|waiter| waiter.class == class);
            let turn = match (first(Essential), first(Background)) {
                (None, None) => break,
                (Some(at), None) | (None, Some(at)) => at,
                (Some(essential), Some(background)) => {
                    let waiter = &self.waiting[background];
                    let aged = waiter.passed >= 16
                        || now.saturating_duration_since(waiter.since) >= PATIENCE;
                    if aged && !self.overtook { background } else { essential }
                }
            };
            let taken = self.waiting.remove(turn);
            self.overtook = taken.class == Background && first_essential.is_some();
            if taken.class == Essential {
                for waiter in &mut self.waiting[..turn] {
                    waiter.passed += 1;
                }
            }
            self.granted.push(taken.id);
            granted.push(taken.id);
        }
        granted
    }
}
