//! The events of all clients, added up.

use std::{
    error::Error,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use api_pool::{ClientError, ErrorKind, Fate, TransportEvent, TransportObserver, WaitStage};

/// What every token of a soak contains, and no output may.
pub(crate) const CANARY: &str = "CANARY";

/// The stages of a wait, and what their sums are called.
const STAGES: [(WaitStage, &str); 4] = [
    (WaitStage::Gate, "ms waited at the gate"),
    (WaitStage::Credential, "ms waited for credentials"),
    (WaitStage::RateToken, "ms waited for rate tokens"),
    (WaitStage::Slot, "ms waited for slots"),
];

/// Counts events, and looks into each failure for a token.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    started: AtomicU64,
    succeeded: AtomicU64,
    failed: AtomicU64,
    /// Of the failed: what ended before anything was sent.
    unsent: AtomicU64,
    /// Of the failed: what a limit in time ended, which is a cancellation by the clock.
    late: AtomicU64,
    cancelled: AtomicU64,
    retries: AtomicU64,
    opened: AtomicU64,
    closed: AtomicU64,
    searched: AtomicU64,
    /// Milliseconds waited at the gate, for credentials, for rate tokens and for slots.
    waited: [AtomicU64; 4],
    leaks: Mutex<Vec<String>>,
}

/// The counts at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) started: u64,
    pub(crate) succeeded: u64,
    pub(crate) failed: u64,
    pub(crate) unsent: u64,
    pub(crate) late: u64,
    pub(crate) cancelled: u64,
    pub(crate) retries: u64,
    pub(crate) opened: u64,
    pub(crate) closed: u64,
    /// Bytes of output that were searched for tokens.
    pub(crate) searched: u64,
}

impl Ledger {
    pub(crate) fn counts(&self) -> Counts {
        let read = |count: &AtomicU64| count.load(Ordering::SeqCst);
        Counts {
            started: read(&self.started),
            succeeded: read(&self.succeeded),
            failed: read(&self.failed),
            unsent: read(&self.unsent),
            late: read(&self.late),
            cancelled: read(&self.cancelled),
            retries: read(&self.retries),
            opened: read(&self.opened),
            closed: read(&self.closed),
            searched: read(&self.searched),
        }
    }

    /// How long all calls waited at each stage, in milliseconds.
    pub(crate) fn waits(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let names = STAGES.iter().map(|(_, name)| *name);
        names.zip(self.waited.iter().map(|waited| waited.load(Ordering::Relaxed)))
    }

    /// The first outputs that held a token.
    pub(crate) fn leaks(&self) -> Vec<String> {
        self.leaks.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn search(&self, error: &ClientError) {
        let mut text = format!("{error} {error:?}");
        let mut cause = error.source();
        while let Some(error) = cause {
            text.push_str(&format!(" {error} {error:?}"));
            cause = error.source();
        }
        self.searched.fetch_add(u64::try_from(text.len()).unwrap_or_default(), Ordering::Relaxed);
        if text.contains(CANARY) {
            let mut leaks = self.leaks.lock().unwrap_or_else(PoisonError::into_inner);
            if leaks.len() < 10 {
                leaks.push(format!("a token is in an error: {text}"));
            }
        }
    }
}

/// Whether the rule for counting requests leaves this attempt out.
fn is_unsent(error: &ClientError) -> bool {
    matches!(error.kind_name(), "breaker_open" | "auth" | "request")
        || error.fate() == Fate::NotSent
}

/// Whether the attempt was dropped by its own limit in time or the call's.
fn is_late(error: &ClientError) -> bool {
    match &error.kind {
        ErrorKind::Deadline => true,
        ErrorKind::Transport(text) => text.starts_with("attempt timed out"),
        _ => false,
    }
}

impl TransportObserver for Ledger {
    fn on_event(&self, _key: &str, event: TransportEvent) {
        let count = match &event {
            TransportEvent::Started => &self.started,
            TransportEvent::Succeeded { .. } => &self.succeeded,
            TransportEvent::Cancelled => &self.cancelled,
            TransportEvent::RetryScheduled { .. } => &self.retries,
            TransportEvent::BreakerOpened { .. } => &self.opened,
            TransportEvent::BreakerClosed => &self.closed,
            TransportEvent::Failed { error, .. } => {
                self.search(error);
                if is_unsent(error) {
                    self.unsent.fetch_add(1, Ordering::SeqCst);
                } else if is_late(error) {
                    self.late.fetch_add(1, Ordering::SeqCst);
                }
                &self.failed
            }
            _ => return,
        };
        count.fetch_add(1, Ordering::SeqCst);
    }

    fn on_wait(&self, _key: &str, stage: WaitStage, waited: Duration) {
        let stage = STAGES.iter().position(|(own, _)| *own == stage);
        if let Some(sum) = stage.and_then(|stage| self.waited.get(stage)) {
            let waited = u64::try_from(waited.as_millis()).unwrap_or(u64::MAX);
            sum.fetch_add(waited, Ordering::Relaxed);
        }
    }
}

impl Counts {
    /// The requests that the server must have counted, and how many more it may have: attempts
    /// that were dropped, by the caller or by a limit in time, may count either way.
    pub(crate) const fn requests(&self) -> (u64, u64) {
        (self.succeeded + self.failed - self.unsent - self.late, self.cancelled + self.late)
    }
}
