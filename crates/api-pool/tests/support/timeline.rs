//! What happened when, on the paused clock.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

/// Records entries with the milliseconds since it was made. Clones write to the same record.
#[derive(Clone, Debug)]
pub(crate) struct Timeline {
    began: Instant,
    entries: Arc<Mutex<Vec<(u64, String)>>>,
}

impl Timeline {
    /// Begins now.
    #[expect(clippy::disallowed_methods, reason = "tests read the paused clock")]
    pub(crate) fn start() -> Self {
        Self { began: Instant::now(), entries: Arc::default() }
    }

    /// The milliseconds since the beginning.
    pub(crate) fn ms(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Records that something happens now.
    pub(crate) fn record(&self, entry: impl Into<String>) {
        let entry = (self.ms(), entry.into());
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).push(entry);
    }

    /// The entries so far, in order.
    pub(crate) fn entries(&self) -> Vec<(u64, String)> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Asserts that exactly these things happened, in this order.
    #[track_caller]
    pub(crate) fn assert(&self, expected: &[(u64, &str)]) {
        let entries = self.entries();
        let entries: Vec<_> = entries.iter().map(|(ms, entry)| (*ms, entry.as_str())).collect();
        assert_eq!(entries, expected);
    }
}

/// Waits on Tokio's clock.
#[expect(clippy::disallowed_methods, reason = "tests wait on the paused clock")]
pub(crate) async fn sleep_ms(ms: u64) {
    tokio::time::sleep(Duration::from_millis(ms)).await;
}
