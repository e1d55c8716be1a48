#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod api;
mod bytes;
mod condition;
mod decode;
mod dialect;
mod distinct;
#[cfg(any(test, fuzzing))]
#[doc(hidden)]
pub mod fuzzing;
mod literal;
mod local_filter;
mod lower;
mod name;
mod operation;
pub mod prelude;
mod select;
mod source;
pub mod types;
pub mod vista;

pub use api_pool::{
    AuthFuture, AuthRefresher, BearerSource, BreakerMode, BreakerState, CallPolicy, ClientError,
    ErrorKind, Fate, ResilientClient, ResilientClientBuilder, RetryMode, RetryPolicy,
    TransportEvent, TransportObserver, WaitStage,
};
pub use vantage_core::Priority;
pub use vantage_transport::{FailureKind, Redaction, RequestFailure};

pub use crate::{
    api::{
        CountMode, ErrorCodes, GraphqlApi, GraphqlApiBuilder, GraphqlErrors, ResponseError,
        Supports,
    },
    condition::{FieldCondition, GraphqlCondition, GraphqlOp},
    decode::RowMode,
    dialect::FilterDialect,
    local_filter::LocalComparison,
    operation::GraphqlOperation,
    select::{ConnectionArgs, GraphqlSelect, OrderStyle, RenderedQuery},
    types::{AnyGraphqlType, GraphqlType, GraphqlTypeVariants},
    vista::{
        GraphqlApiTableShell, GraphqlApiVistaFactory, GraphqlApiVistaSpec, GraphqlBlock,
        GraphqlColumnBlock, GraphqlColumnExtras, GraphqlTableExtras,
    },
};
