//! What the client did, counted from its events.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::sync::Notify;
use vantage_rest::{ClientError, TransportEvent, TransportObserver, WaitStage};

/// Counts events, and tells when the breaker opens.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    counts: Mutex<Counts>,
    opened: Notify,
}

/// The counts so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) started: u64,
    pub(crate) succeeded: u64,
    pub(crate) not_sent: u64,
    pub(crate) cancelled: u64,
    pub(crate) rows: usize,
    /// Failures by what they were.
    pub(crate) failures: BTreeMap<String, u64>,
    /// Retries and their waits, by the failure they followed.
    pub(crate) waits: BTreeMap<String, (u64, Duration)>,
    /// Waits before an attempt, by what was waited for.
    pub(crate) stages: BTreeMap<&'static str, Duration>,
    /// The breaker's transitions, in order.
    pub(crate) breaker: Vec<String>,
    last_failure: String,
}

impl Counts {
    /// Requests that reached the server.
    pub(crate) fn sent(&self) -> u64 {
        self.started - self.not_sent
    }

    pub(crate) fn retries(&self) -> u64 {
        self.waits.values().map(|(count, _)| count).sum()
    }

    fn fail(&mut self, error: &ClientError) {
        let name = match error.status() {
            Some(status) => format!("HTTP {status}"),
            None => error.kind_name().to_owned(),
        };
        let reached = error.fate() != vantage_rest::Fate::NotSent
            && !matches!(error.kind_name(), "breaker_open" | "auth" | "request");
        if reached {
            self.last_failure.clone_from(&name);
        } else {
            self.not_sent += 1;
        }
        *self.failures.entry(name).or_default() += 1;
    }
}

impl Tally {
    pub(crate) fn counts(&self) -> Counts {
        self.lock().clone()
    }

    /// Waits until the breaker opens.
    pub(crate) async fn opened(&self) {
        self.opened.notified().await;
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TransportObserver for Tally {
    fn on_event(&self, _key: &str, event: TransportEvent) {
        let mut counts = self.lock();
        match event {
            TransportEvent::Started => counts.started += 1,
            TransportEvent::Succeeded { .. } => counts.succeeded += 1,
            TransportEvent::Cancelled => counts.cancelled += 1,
            TransportEvent::Failed { error, .. } => counts.fail(&error),
            TransportEvent::RetryScheduled { after, .. } => {
                let reason = counts.last_failure.clone();
                let wait = counts.waits.entry(reason).or_default();
                wait.0 += 1;
                wait.1 += after;
            }
            TransportEvent::BreakerOpened { cooldown, .. } => {
                counts.breaker.push(format!("open for {} s", cooldown.as_secs()));
                self.opened.notify_one();
            }
            TransportEvent::BreakerClosed => counts.breaker.push("closed".to_owned()),
            TransportEvent::RowsPulled { n, .. } => counts.rows += n,
            _ => (),
        }
    }
    fn on_wait(&self, _key: &str, stage: WaitStage, waited: Duration) {
        let name = match stage {
            WaitStage::Gate => "at the breaker",
            WaitStage::Credential => "for a token",
            WaitStage::RateToken => "for the rate limit",
            _ => "for a slot",
        };
        *self.lock().stages.entry(name).or_default() += waited;
    }
}
