//! What happened, in order.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use api_pool::{TransportEvent, TransportObserver, WaitStage};
use tokio::time::Instant;

use super::now;
use crate::ledger::{Counts, Ledger};

/// A ledger that remembers the order as well, as a hash.
#[derive(Debug)]
pub(super) struct Trace {
    start: Instant,
    ledger: Ledger,
    hash: Mutex<DefaultHasher>,
}

impl Trace {
    pub(super) fn new(start: Instant) -> Self {
        Self { start, ledger: Ledger::default(), hash: Mutex::default() }
    }

    pub(super) fn counts(&self) -> Counts {
        self.ledger.counts()
    }

    pub(super) fn leaks(&self) -> Vec<String> {
        self.ledger.leaks()
    }

    pub(super) fn hash(&self) -> u64 {
        self.hash.lock().unwrap_or_else(PoisonError::into_inner).finish()
    }
}

impl TransportObserver for Trace {
    fn on_event(&self, key: &str, event: TransportEvent) {
        let at = now().duration_since(self.start);
        let mut hash = self.hash.lock().unwrap_or_else(PoisonError::into_inner);
        (at, key, format!("{event:?}")).hash(&mut *hash);
        drop(hash);
        self.ledger.on_event(key, event);
    }

    fn on_wait(&self, key: &str, stage: WaitStage, waited: Duration) {
        self.ledger.on_wait(key, stage, waited);
    }
}
