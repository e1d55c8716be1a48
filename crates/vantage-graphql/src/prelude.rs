//! The adapter's own types in one import.
//!
//! ```
//! use vantage_graphql::prelude::*;
//!
//! let api = GraphqlApi::new("https://api.example/graphql");
//! # drop(api);
//! ```

pub use crate::{
    AnyGraphqlType, CountMode, FieldCondition, FilterDialect, GraphqlApi, GraphqlApiBuilder,
    GraphqlApiVistaFactory, GraphqlApiVistaSpec, GraphqlBlock, GraphqlColumnBlock,
    GraphqlColumnExtras, GraphqlCondition, GraphqlOp, GraphqlOperation, GraphqlSelect,
    GraphqlTableExtras, GraphqlTableShell, GraphqlType, GraphqlTypeVariants, RenderedQuery,
    Supports,
};
