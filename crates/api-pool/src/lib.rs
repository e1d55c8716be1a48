#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod auth;
mod breaker;
#[cfg(test)]
mod cases;
mod client;
mod clock;
#[cfg(feature = "serde")]
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
pub mod config;
mod error;
mod event;
mod executor;
mod fate;
#[cfg(feature = "health")]
#[cfg_attr(docsrs, doc(cfg(feature = "health")))]
pub mod health;
#[cfg(any(feature = "reqwest-middleware", feature = "reqwest013-middleware"))]
mod middleware;
mod observer;
mod policy;
mod queue;
mod rate;
pub mod resilient;
mod retry;
mod runtime;
mod seldom;
mod sync;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(feature = "tower")]
#[cfg_attr(docsrs, doc(cfg(feature = "tower")))]
pub mod tower;
mod transport;

#[cfg(feature = "anyhow")]
pub use crate::auth::{AuthFuture, AuthRefresher};
#[cfg(any(
    feature = "reqwest-middleware",
    feature = "reqwest013-middleware",
    feature = "tower"
))]
#[cfg_attr(
    docsrs,
    doc(cfg(any(
        feature = "reqwest-middleware",
        feature = "reqwest013-middleware",
        feature = "tower"
    )))
)]
pub use crate::error::replay::BodyNotRepeatable;
#[cfg(any(feature = "reqwest-middleware", feature = "reqwest013-middleware"))]
#[cfg_attr(
    docsrs,
    doc(cfg(any(feature = "reqwest-middleware", feature = "reqwest013-middleware")))
)]
pub use crate::middleware::{MiddlewareStack, PoolMiddleware};
#[cfg(feature = "metrics")]
#[cfg_attr(docsrs, doc(cfg(feature = "metrics")))]
pub use crate::observer::MetricsObserver;
#[cfg(feature = "spans")]
#[cfg_attr(docsrs, doc(cfg(feature = "spans")))]
pub use crate::observer::Spans;
pub use crate::{
    auth::{BearerSource, Token, TokenError, TokenSource},
    breaker::{BreakerMode, BreakerState},
    client::{ReadResponse, ResilientClient, ResilientClientBuilder},
    error::{AttemptRecord, ClientError, ErrorKind, History},
    event::{TransportEvent, WaitStage},
    fate::Fate,
    observer::{AttemptInfo, AttemptObserver, TransportObserver},
    policy::{CallPolicy, RetryMode, RetryPolicy, RetrySafety},
    queue::QueueClass,
    rate::{RateError, TokenBucket},
    retry::{with_retry, with_retry_using},
    runtime::{
        Disposed, GroupDiagnostics, QueueGroup, RequestRuntime, RequestRuntimeBuilder,
        RequestScope, RunError, RunOptions, RuntimeBuildError, RuntimeDiagnostics,
    },
    transport::{Address, Fault, Transport, TransportError, TransportOptions},
};
pub use retry_core::{
    Backoff, Jitter, Policy, Ratio, RetryAfterRule, RetryBudget, Retryable, StopReason,
};
