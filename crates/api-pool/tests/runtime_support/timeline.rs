//! What happened when, on the paused clock.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::time::Instant;

/// Records entries with the milliseconds since it was made. Clones write to the same record.
#[derive(Clone, Debug)]
pub struct Timeline {
    began: Instant,
    entries: Arc<Mutex<Vec<(u64, String)>>>,
}

impl Timeline {
    #[expect(clippy::disallowed_methods, reason = "a test reads the paused clock")]
    pub fn start() -> Self {
        Self { began: Instant::now(), entries: Arc::default() }
    }

    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    pub fn ms(&self) -> u64 {
        u64::try_from(self.elapsed().as_millis()).expect("tests are short")
    }

    pub fn record(&self, entry: impl Into<String>) {
        let entry = (self.ms(), entry.into());
        self.entries.lock().expect("no test panics here").push(entry);
    }

    /// The entries so far, in order.
    pub fn entries(&self) -> Vec<(u64, String)> {
        self.entries.lock().expect("no test panics here").clone()
    }

    /// Asserts that exactly these things happened, in this order.
    #[track_caller]
    pub fn assert(&self, expected: &[(u64, &str)]) {
        let expected: Vec<_> = expected.iter().map(|&(ms, entry)| (ms, entry.to_owned())).collect();
        assert_eq!(self.entries(), expected);
    }
}

#[expect(clippy::disallowed_methods, reason = "a test waits on the paused clock")]
pub async fn sleep_ms(ms: u64) {
    tokio::time::sleep(Duration::from_millis(ms)).await;
}
