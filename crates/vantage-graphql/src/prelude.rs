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
    GraphqlApiTableShell, GraphqlApiVistaFactory, GraphqlApiVistaSpec, GraphqlBlock,
    GraphqlColumnBlock, GraphqlColumnExtras, GraphqlCondition, GraphqlOp, GraphqlOperation,
    GraphqlSelect, GraphqlTableExtras, GraphqlType, GraphqlTypeVariants, RenderedQuery, Supports,
};
