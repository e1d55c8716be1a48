//! What every history of a client's events must be, whatever the test is about.

use std::sync::{Mutex, PoisonError};

use api_pool::TransportEvent;

/// Checks events as they come, and fails the test that drops it after a history that cannot be.
///
/// Each `Started` has one terminal event, no attempt ends that has not started, a retry follows a
/// failure, and a breaker closes only after it has opened.
#[derive(Debug, Default)]
pub(crate) struct Grammar(Mutex<History>);

#[derive(Debug, Default)]
struct History {
    running: usize,
    failures: usize,
    open: bool,
    /// What an observer cannot fail the test for: its panics are caught.
    broken: Option<String>,
}

impl Grammar {
    pub(crate) fn take(&self, event: &TransportEvent) {
        let mut history = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let allowed = history.allows(event);
        history.follow(event);
        if !allowed {
            let broken = format!("{event:?} in {history:?}");
            history.broken.get_or_insert(broken);
        }
    }
}

impl History {
    const fn allows(&self, event: &TransportEvent) -> bool {
        match event {
            TransportEvent::Succeeded { .. }
            | TransportEvent::Failed { .. }
            | TransportEvent::Cancelled => self.running > 0,
            TransportEvent::RetryScheduled { .. } => self.failures > 0,
            TransportEvent::BreakerClosed => self.open,
            _ => true,
        }
    }

    const fn follow(&mut self, event: &TransportEvent) {
        match event {
            TransportEvent::Started => self.running += 1,
            TransportEvent::Succeeded { .. } | TransportEvent::Cancelled => {
                self.running = self.running.saturating_sub(1);
            }
            TransportEvent::Failed { .. } => {
                self.running = self.running.saturating_sub(1);
                self.failures += 1;
            }
            TransportEvent::RetryScheduled { .. } => {
                self.failures = self.failures.saturating_sub(1);
            }
            TransportEvent::BreakerOpened { .. } => self.open = true,
            TransportEvent::BreakerClosed => self.open = false,
            _ => (),
        }
    }
}

impl Drop for Grammar {
    fn drop(&mut self) {
        let history = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        if !std::thread::panicking() {
            assert_eq!(history.broken, None);
            assert_eq!(history.running, 0, "attempts that started and did not end");
        }
    }
}
