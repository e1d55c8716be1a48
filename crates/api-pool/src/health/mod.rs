//! The health of the APIs that a program calls: rates, errors, latencies and waits over the last
//! while, and a verdict for the program's own health endpoint.
//!
//! # Examples
//!
//! ```
//! use std::sync::Arc;
//! use api_pool::testing::{Reply, Script};
//! use api_pool::ResilientClient;
//! use api_pool::health::{BreakerHealth, HealthRegistry};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap()
//! # .block_on(async {
//! let health = Arc::new(HealthRegistry::new());
//! let script = Script::new([Reply::status(503), Reply::ok("hello")]);
//! let client = ResilientClient::builder()
//!     .transport(script)
//!     .observer("greetings", health.clone())
//!     .build();
//! client.execute(|http| http.get("http://api.test/greeting")).await.unwrap();
//!
//! let snapshot = health.snapshot();
//! let greetings = snapshot.key("greetings").unwrap();
//! assert_eq!((greetings.succeeded, greetings.failed, greetings.retries), (1, 1, 1));
//! assert_eq!(greetings.error_share, 0.5);
//! assert_eq!(greetings.breaker, BreakerHealth::Closed);
//! # });
//! ```

mod histogram;
mod readiness;
mod registry;
mod snapshot;
mod track;
mod window;

pub use self::{
    readiness::{Readiness, ReadinessRules, Unready, UnreadyReason},
    registry::HealthRegistry,
    snapshot::{
        BreakerHealth, HealthSnapshot, KeyHealth, LastError, Latency, StageWaits, WaitTotals,
    },
};
