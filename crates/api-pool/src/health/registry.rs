//! The observer that keeps the score.

use core::fmt;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::readiness::{Readiness, ReadinessRules};
use super::snapshot::HealthSnapshot;
use super::track::Track;
use crate::clock;
use crate::event::{TransportEvent, WaitStage};
use crate::observer::TransportObserver;
use crate::sync::{Mutex, lock};

const WINDOW: Duration = Duration::from_secs(60);
const MAX_KEYS: usize = 64;

/// Keeps, for each key that clients report under, what happened in the last minute.
///
/// Give one registry to all clients of a program. Its memory is bounded: about 17 KiB for each
/// key, whatever happens, for at most 64 keys unless [`with_max_keys`](Self::with_max_keys) says
/// otherwise.
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
/// use api_pool::ResilientClient;
/// use api_pool::health::{HealthRegistry, ReadinessRules};
///
/// let health = Arc::new(HealthRegistry::new());
/// let airports = ResilientClient::builder().observer("airports", health.clone()).build();
/// let weather = ResilientClient::builder().observer("weather", health.clone()).build();
///
/// // In the service's health endpoint:
/// let verdict = health.readiness(&ReadinessRules::default());
/// assert!(verdict.is_ready());
/// # drop((airports, weather));
/// ```
pub struct HealthRegistry {
    window: Duration,
    max_keys: usize,
    tracks: Mutex<Tracks>,
}

/// The map is locked to find a key, and the key to write: a snapshot of one delays no other.
#[derive(Default)]
struct Tracks {
    by_key: BTreeMap<Arc<str>, Arc<Mutex<Track>>>,
    untracked: u64,
}

impl HealthRegistry {
    /// A registry with a window of 60 s, for at most 64 keys.
    #[must_use]
    pub fn new() -> Self {
        Self { window: WINDOW, max_keys: MAX_KEYS, tracks: Mutex::new(Tracks::default()) }
    }

    /// Sets how far back the counts reach. Default: 60 s. Less than 12 ms becomes that.
    ///
    /// For two windows, combine two registries in a tuple.
    #[must_use]
    pub fn with_window(mut self, window: Duration) -> Self {
        self.window = window.max(Duration::from_millis(12));
        self
    }

    /// Limits the number of keys. What is reported under further ones is only counted, in
    /// [`HealthSnapshot::untracked`]. Default: 64.
    #[must_use]
    pub fn with_max_keys(mut self, keys: usize) -> Self {
        self.max_keys = keys;
        self
    }

    /// The health of all keys now.
    #[must_use]
    pub fn snapshot(&self) -> HealthSnapshot {
        let now = clock::now();
        let (tracks, untracked) = {
            let tracks = lock(&self.tracks);
            (tracks.by_key.clone(), tracks.untracked)
        };
        let keys = tracks.iter().map(|(key, track)| lock(track).snapshot(key, now)).collect();
        HealthSnapshot { window: self.window, keys, untracked }
    }

    /// Judges the health of all keys now.
    #[must_use]
    pub fn readiness(&self, rules: &ReadinessRules) -> Readiness {
        rules.judge(&self.snapshot())
    }

    /// Forgets a key, for one whose client is gone.
    pub fn forget(&self, key: &str) {
        lock(&self.tracks).by_key.remove(key);
    }

    fn note(&self, key: &str, write: impl FnOnce(&mut Track, Instant)) {
        let now = clock::now();
        if let Some(track) = self.track(key, now) {
            write(&mut lock(&track), now);
        }
    }

    fn track(&self, key: &str, now: Instant) -> Option<Arc<Mutex<Track>>> {
        let mut tracks = lock(&self.tracks);
        if let Some(track) = tracks.by_key.get(key) {
            return Some(Arc::clone(track));
        }
        if tracks.by_key.len() >= self.max_keys {
            tracks.untracked = tracks.untracked.saturating_add(1);
            return None;
        }
        let track = Arc::new(Mutex::new(Track::new(self.window, now)));
        tracks.by_key.insert(key.into(), Arc::clone(&track));
        Some(track)
    }
}

impl Default for HealthRegistry {
    fn default() -> Self {
        Self::new()
    }
}

impl TransportObserver for HealthRegistry {
    fn on_event(&self, key: &str, event: TransportEvent) {
        self.note(key, |track, now| track.on_event(&event, now));
    }

    fn on_wait(&self, key: &str, stage: WaitStage, waited: Duration) {
        self.note(key, |track, now| track.on_wait(stage, waited, now));
    }
}

impl fmt::Debug for HealthRegistry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HealthRegistry")
            .field("window", &self.window)
            .field("max_keys", &self.max_keys)
            .field("keys", &lock(&self.tracks).by_key.keys())
            .finish_non_exhaustive()
    }
}
