//! What the server saw: every request, by path and by outcome.

use core::fmt;
use std::{
    collections::{BTreeMap, HashSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::http::StatusCode;
use serde::{Serialize, Serializer};

/// Distinct idempotency keys that are remembered.
const KEYS: usize = 1 << 20;

/// Requests whose method and target are remembered.
const RECENT: usize = 1_000;

/// What became of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Outcome {
    /// The client left before an answer or a fault was decided on.
    Abandoned,
    /// The connection was closed without an answer.
    Closed,
    /// An error with an endless body.
    Endless,
    /// No answer.
    Hung,
    /// The connection was reset before the request was processed.
    Reset,
    /// The connection was reset after the request had been processed.
    ResetAfter,
    /// A proper answer, slowly.
    Slow,
    /// Half of a proper answer, and then nothing more.
    Stalled,
    /// An answer with this status, injected or not.
    Status(StatusCode),
    /// A proper answer, cut off half-way.
    Truncated,
}

impl Outcome {
    /// The outcome of a request that was answered with `status`.
    ///
    /// `None` where no such status exists.
    #[must_use]
    pub fn status(status: u16) -> Option<Self> {
        StatusCode::from_u16(status).ok().map(Self::Status)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Abandoned => "abandoned",
            Self::Closed => "closed",
            Self::Endless => "endless",
            Self::Hung => "hung",
            Self::Reset => "reset",
            Self::ResetAfter => "reset-after",
            Self::Slow => "slow",
            Self::Stalled => "stalled",
            Self::Status(status) => status.as_str(),
            Self::Truncated => "truncated",
        };
        f.write_str(name)
    }
}

impl Serialize for Outcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The server's counts at one moment; `/stats` answers the same as JSON.
///
/// `/stats` itself is not counted. Requests are counted when their head has been read, so those
/// that are then reset, left hanging or abandoned count like all others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Stats {
    requests: u64,
    connections: u64,
    in_progress: u64,
    peak_in_progress: u64,
    tokens_issued: u64,
    writes: u64,
    repeated_writes: u64,
    by_path: BTreeMap<String, u64>,
    by_outcome: BTreeMap<Outcome, u64>,
}

impl Stats {
    /// All requests.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.requests
    }

    /// Accepted TCP connections.
    #[must_use]
    pub fn connections(&self) -> u64 {
        self.connections
    }

    /// Requests without an outcome yet.
    #[must_use]
    pub fn in_progress(&self) -> u64 {
        self.in_progress
    }

    /// The most requests that were in progress at one moment.
    #[must_use]
    pub fn peak_in_progress(&self) -> u64 {
        self.peak_in_progress
    }

    /// Tokens that `/token` gave out.
    #[must_use]
    pub fn tokens_issued(&self) -> u64 {
        self.tokens_issued
    }

    /// Requests other than GET, HEAD and OPTIONS that `/echo` processed.
    #[must_use]
    pub fn writes(&self) -> u64 {
        self.writes
    }

    /// Those of the writes whose `Idempotency-Key` had been processed before.
    #[must_use]
    pub fn repeated_writes(&self) -> u64 {
        self.repeated_writes
    }

    /// Requests for this route, as in `/airports` or `/airports/{iata}`.
    ///
    /// Paths without a route are counted together under `(none)`.
    #[must_use]
    pub fn path(&self, route: &str) -> u64 {
        self.by_path.get(route).copied().unwrap_or_default()
    }

    /// Requests with this outcome.
    #[must_use]
    pub fn outcome(&self, outcome: Outcome) -> u64 {
        self.by_outcome.get(&outcome).copied().unwrap_or_default()
    }

    /// Requests that were answered with this status, injected or not.
    #[must_use]
    pub fn status(&self, status: u16) -> u64 {
        Outcome::status(status).map_or(0, |outcome| self.outcome(outcome))
    }

    /// The counts by route, sorted by route.
    pub fn paths(&self) -> impl Iterator<Item = (&str, u64)> {
        self.by_path.iter().map(|(path, count)| (path.as_str(), *count))
    }

    /// The counts by outcome.
    pub fn outcomes(&self) -> impl Iterator<Item = (Outcome, u64)> {
        self.by_outcome.iter().map(|(outcome, count)| (*outcome, *count))
    }
}

/// The live counts.
#[derive(Debug, Default)]
pub(crate) struct Counters(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    stats: Stats,
    keys: HashSet<Vec<u8>>,
    recent: VecDeque<String>,
}

impl Counters {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn snapshot(&self) -> Stats {
        self.lock().stats.clone()
    }

    pub(crate) fn recent(&self) -> Vec<String> {
        self.lock().recent.iter().cloned().collect()
    }

    pub(crate) fn connected(&self) {
        self.lock().stats.connections += 1;
    }

    pub(crate) fn token_issued(&self) {
        self.lock().stats.tokens_issued += 1;
    }

    /// Counts a processed write and, by its key, whether it was processed before.
    pub(crate) fn wrote(&self, key: Option<&[u8]>) {
        let state = &mut *self.lock();
        state.stats.writes += 1;
        let Some(key) = key else { return };
        if state.keys.contains(key) {
            state.stats.repeated_writes += 1;
        } else if state.keys.len() < KEYS {
            state.keys.insert(key.to_vec());
        }
    }

    /// Counts a request; the guard counts its outcome.
    pub(crate) fn arrive(self: &Arc<Self>, route: &str, line: String) -> Arrival {
        let State { stats, recent, .. } = &mut *self.lock();
        if recent.len() == RECENT {
            recent.pop_front();
        }
        recent.push_back(line);
        stats.requests += 1;
        stats.in_progress += 1;
        stats.peak_in_progress = stats.peak_in_progress.max(stats.in_progress);
        match stats.by_path.get_mut(route) {
            Some(count) => *count += 1,
            None => {
                stats.by_path.insert(route.to_owned(), 1);
            }
        }
        Arrival { counters: Arc::clone(self), outcome: Outcome::Abandoned }
    }
}

/// A request that has no outcome yet; abandoned if dropped.
#[derive(Debug)]
pub(crate) struct Arrival {
    counters: Arc<Counters>,
    outcome: Outcome,
}

impl Arrival {
    pub(crate) fn settle(mut self, outcome: Outcome) {
        self.outcome = outcome;
    }
}

impl Drop for Arrival {
    fn drop(&mut self) {
        let stats = &mut self.counters.lock().stats;
        stats.in_progress -= 1;
        *stats.by_outcome.entry(self.outcome).or_default() += 1;
    }
}
