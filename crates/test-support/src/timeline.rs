//! What happened when, on the paused clock.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

/// Records entries with the milliseconds since it was made. Clones write to the same record.
///
/// # Examples
///
/// ```
/// use test_support::{Timeline, sleep_ms};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap()
/// # .block_on(async {
/// let timeline = Timeline::start();
/// timeline.record("begun");
/// sleep_ms(70).await;
/// timeline.record("done");
/// timeline.assert(&[(0, "begun"), (70, "done")]);
/// # });
/// ```
#[derive(Clone, Debug)]
pub struct Timeline {
    began: Instant,
    entries: Arc<Mutex<Vec<(u64, String)>>>,
}

impl Timeline {
    /// Begins now.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "tests read the paused clock")]
    pub fn start() -> Self {
        Self { began: Instant::now(), entries: Arc::default() }
    }

    /// The milliseconds since the beginning.
    #[must_use]
    pub fn ms(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Records that something happens now.
    pub fn record(&self, entry: impl Into<String>) {
        let entry = (self.ms(), entry.into());
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).push(entry);
    }

    /// The entries so far, in order.
    #[must_use]
    pub fn entries(&self) -> Vec<(u64, String)> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Asserts that exactly these things happened, in this order.
    ///
    /// # Panics
    ///
    /// If something else did.
    #[track_caller]
    pub fn assert(&self, expected: &[(u64, &str)]) {
        let entries = self.entries();
        let entries: Vec<_> = entries.iter().map(|(ms, entry)| (*ms, entry.as_str())).collect();
        assert_eq!(entries, expected);
    }
}

/// Waits on Tokio's clock.
///
/// # Cancel safety
///
/// Dropping it ends the wait.
#[expect(clippy::disallowed_methods, reason = "tests wait on the paused clock")]
pub async fn sleep_ms(ms: u64) {
    tokio::time::sleep(Duration::from_millis(ms)).await;
}
