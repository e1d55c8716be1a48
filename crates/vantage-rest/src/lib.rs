#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod api;
mod clock;
mod conditions;
mod config;
mod decode;
mod fingerprint;
#[cfg(any(test, fuzzing))]
#[doc(hidden)]
pub mod fuzzing;
mod json;
mod lower;
mod paging;
pub mod prelude;
mod read;
mod relations;
mod row_keys;
mod source;
mod types;
pub mod vista;

pub use api_pool::{
    AuthFuture, AuthRefresher, BearerSource, BreakerMode, BreakerState, CallPolicy, ClientError,
    ErrorKind, Fate, ResilientClient, ResilientClientBuilder, RetryMode, RetryPolicy,
    TransportEvent, TransportObserver, WaitStage,
};
pub use vantage_core::Priority;
pub use vantage_transport::{FailureKind, RedactedUrl, Redaction, RequestFailure};

pub use crate::{
    api::{RestApi, RestApiBuilder, RestRequest},
    conditions::eq_condition,
    config::{FilterStrategy, OrderingParams, PaginationMode, PaginationParams, ResponseShape},
    vista::{
        ApiColumnExtras, ApiReferenceExtras, ApiTableBlock, ApiTableExtras, RestApiTableShell,
        RestApiVistaFactory, RestApiVistaSpec,
    },
};
