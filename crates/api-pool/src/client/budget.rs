//! The retry budget that all calls of a client share.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use retry_core::{RetryBudget, Withdrawal};

use crate::clock;
use crate::sync::{Mutex, lock};

/// A budget behind its lock.
pub(super) struct Budget {
    machine: Mutex<RetryBudget>,
    /// Where the machine's time starts: the first call.
    origin: OnceLock<Instant>,
}

impl Budget {
    pub(super) fn new(machine: RetryBudget) -> Self {
        Self { machine: Mutex::new(machine), origin: OnceLock::new() }
    }

    /// A call begins: it pays its share.
    pub(super) fn deposit(&self) {
        let now = self.now();
        lock(&self.machine).deposit(now);
    }

    /// Pays for a retry; `None` where the budget is spent.
    pub(super) fn withdraw(&self) -> Option<Paid<'_>> {
        let now = self.now();
        let withdrawal = lock(&self.machine).withdraw(now).ok()?;
        Some(Paid { budget: self, withdrawal: Some(withdrawal) })
    }

    fn now(&self) -> Duration {
        let now = clock::now();
        now.saturating_duration_since(*self.origin.get_or_init(|| now))
    }
}

/// A retry that is paid for and waits. Dropped before the retry starts, it is paid back.
pub(super) struct Paid<'a> {
    budget: &'a Budget,
    withdrawal: Option<Withdrawal>,
}

impl Paid<'_> {
    /// The retry starts now.
    pub(super) fn spend(mut self) {
        self.withdrawal = None;
    }
}

impl Drop for Paid<'_> {
    fn drop(&mut self) {
        if let Some(withdrawal) = self.withdrawal.take() {
            let now = self.budget.now();
            lock(&self.budget.machine).refund(withdrawal, now);
        }
    }
}
