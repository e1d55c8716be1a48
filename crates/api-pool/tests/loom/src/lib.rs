//! The modules of `api-pool` that hold a lock, built with loom's primitives and with nothing
//! else of that crate, so that checking them costs a minute and not the whole dependency tree.
//!
//! The models are beside the code, in files called `loom_tests.rs`; `cargo xtask loom` runs them.

#![expect(dead_code, unused_imports, reason = "what uses these modules is not built here")]

#[path = "../../../src/auth/mod.rs"]
mod auth;
#[path = "../../../src/breaker/mod.rs"]
mod breaker;
#[cfg(test)]
#[path = "../../../src/cases.rs"]
mod cases;
#[path = "../../../src/clock.rs"]
mod clock;
#[path = "../../../src/error/mod.rs"]
mod error;
#[path = "../../../src/fate.rs"]
mod fate;
#[path = "../../../src/queue/mod.rs"]
mod queue;
#[path = "../../../src/rate/mod.rs"]
mod rate;
#[path = "../../../src/sync.rs"]
mod sync;

/// In the place of the HTTP clients, whose errors no model has.
mod transport {
    pub(crate) mod http_clients {
        use std::error::Error;

        type Boxed = Box<dyn Error + Send + Sync>;

        pub(crate) fn discreet(error: Boxed) -> Boxed {
            error
        }
    }
}
