//! The client and what belongs to it, under the path that users of the published
//! `vantage-api-pool` know.

#[cfg(feature = "anyhow")]
pub use crate::{AuthFuture, AuthRefresher};
pub use crate::{
    BreakerMode, BreakerState, CallPolicy, ClientError, ErrorKind, ResilientClient,
    ResilientClientBuilder, RetryMode, RetryPolicy, TransportEvent, TransportObserver,
};
