//! The clients that are watched, and what is to be shown of them.

use core::fmt;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use api_pool::{
    BreakerState, QueueClass, QueueGroup, ResilientClient, TransportObserver,
    health::{HealthRegistry, KeyHealth},
};

use crate::{
    clock,
    log::Log,
    model::{Api, Breaker, Counts, Model, Queue},
};

/// A breaker that stays open for longer than this was opened by hand.
const BY_HAND: Duration = Duration::from_secs(1_000_000_000);

/// Watches clients, and makes a [`Model`] of what they do.
#[derive(Debug)]
pub struct Board {
    health: Arc<HealthRegistry>,
    log: Arc<Log>,
    watched: Vec<Watched>,
}

impl Board {
    /// A board without clients. Its time starts now.
    #[must_use]
    pub fn start() -> Self {
        let health = Arc::new(HealthRegistry::new());
        Self { health, log: Arc::new(Log::start()), watched: Vec::new() }
    }

    /// The observer for every client that is to be [watched](Self::watch).
    #[must_use]
    pub fn observer(&self) -> Arc<dyn TransportObserver> {
        Arc::new((Arc::clone(&self.health), Arc::clone(&self.log)))
    }

    /// Shows a client. Its key is its name; one without a key has no counts.
    pub fn watch<T>(&mut self, client: &ResilientClient<T>, slots: Slots)
    where
        ResilientClient<T>: Clone + Send + Sync + 'static,
    {
        let (breaker, queue) = (client.clone(), client.clone());
        self.watched.push(Watched {
            name: client.key().unwrap_or_default().to_owned(),
            breaker: Box::new(move || breaker.breaker_state()),
            queue: Box::new(move || slots.queue(&queue)),
        });
    }

    /// What is to be shown now.
    #[must_use]
    pub fn model(&self, server: &str, served: u64) -> Model {
        let (snapshot, now) = (self.health.snapshot(), clock::now());
        let apis = self.watched.iter().map(|watched| {
            let mut api = snapshot.key(&watched.name).map(measured).unwrap_or_default();
            api.name.clone_from(&watched.name);
            api.breaker = breaker((watched.breaker)(), now);
            api.queue = (watched.queue)();
            api.history = self.log.history(&watched.name);
            api.last_failure = self.log.last_failure(&watched.name);
            api
        });
        Model {
            server: server.to_owned(),
            served,
            elapsed: self.log.elapsed(),
            apis: apis.collect(),
            events: self.log.entries(),
        }
    }
}

/// Where a client takes its slots from.
#[derive(Clone, Debug)]
pub enum Slots {
    /// From a group that it may share with others, and how many that has.
    Group(QueueGroup, usize),
    /// They are its own, and so many.
    Own(usize),
}

impl Slots {
    fn queue<T>(&self, client: &ResilientClient<T>) -> Queue {
        let (group, limit) = match self {
            Self::Group(group, limit) => (Some(group.name().to_owned()), *limit),
            Self::Own(limit) => (None, *limit),
        };
        Queue {
            group,
            limit: Some(limit),
            active: client.in_flight(),
            essential: client.waiting_in(QueueClass::Essential),
            background: client.waiting_in(QueueClass::Background),
        }
    }
}

/// A client whose transport does not matter any more.
struct Watched {
    name: String,
    breaker: Box<dyn Fn() -> Option<BreakerState> + Send + Sync>,
    queue: Box<dyn Fn() -> Queue + Send + Sync>,
}

impl fmt::Debug for Watched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watched").field("name", &self.name).finish_non_exhaustive()
    }
}

fn measured(health: &KeyHealth) -> Api {
    Api {
        rate: health.requests_per_second,
        error_share: health.error_share,
        counts: Counts {
            succeeded: health.succeeded,
            rejected: health.rejected,
            failed: health.failed,
            refused: health.refused,
            retries: health.retries,
        },
        latency: health.latency.map(|latency| [latency.p50, latency.p95, latency.p99]),
        ..Api::default()
    }
}

fn breaker(state: Option<BreakerState>, now: Instant) -> Breaker {
    match state {
        None => Breaker::None,
        Some(BreakerState::Open { until }) => {
            let remaining = until.saturating_duration_since(now);
            Breaker::Open((remaining < BY_HAND).then_some(remaining))
        }
        Some(BreakerState::HalfOpen) => Breaker::HalfOpen,
        Some(_) => Breaker::Closed,
    }
}
