//! The modules of `api-pool` that decide and their shells, with their tests and with nothing else
//! of that crate: `cargo xtask mutants` builds them anew for each mistake it plants.

#![expect(dead_code, unused_imports, reason = "what uses these modules is not built here")]

#[cfg(feature = "auth")]
#[path = "../../api-pool/src/auth/mod.rs"]
mod auth;
#[cfg(feature = "breaker")]
#[path = "../../api-pool/src/breaker/mod.rs"]
mod breaker;
#[cfg(test)]
#[path = "../../api-pool/src/cases.rs"]
mod cases;
#[path = "../../api-pool/src/clock.rs"]
mod clock;
#[cfg(feature = "auth")]
#[path = "../../api-pool/src/error/mod.rs"]
mod error;
#[cfg(feature = "auth")]
#[path = "../../api-pool/src/fate.rs"]
mod fate;
#[cfg(feature = "queue")]
#[path = "../../api-pool/src/queue/mod.rs"]
mod queue;
/// What the breaker needs of it.
#[cfg(not(feature = "queue"))]
#[path = "../../api-pool/src/queue"]
mod queue {
    mod class;
    pub use class::QueueClass;
}
#[cfg(feature = "rate-limit")]
#[path = "../../api-pool/src/rate/mod.rs"]
mod rate;
#[path = "../../api-pool/src/sync.rs"]
mod sync;
#[cfg(test)]
#[path = "../../api-pool/src/testing"]
mod testing {
    mod cancel;
    pub(crate) use cancel::{CancelAt, pending_count};
}

/// In the place of the HTTP clients, whose errors no source here ends with.
#[cfg(feature = "auth")]
mod transport {
    pub(crate) mod http_clients {
        use std::error::Error;

        type Boxed = Box<dyn Error + Send + Sync>;

        pub(crate) fn discreet(error: Boxed) -> Boxed {
            error
        }

        #[cfg(feature = "anyhow")]
        pub(crate) fn is_reqwest(_: &(dyn Error + Send + Sync + 'static)) -> bool {
            false
        }
    }
}
