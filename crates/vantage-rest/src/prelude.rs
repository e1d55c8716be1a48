//! What nearly every user of this crate writes.
//!
//! ```
//! use vantage_rest::prelude::*;
//!
//! let api = RestApi::builder("https://api.example.com")
//!     .response_shape(ResponseShape::BareArray)
//!     .build();
//! ```

pub use crate::{
    ApiTableBlock, ApiTableExtras, FilterStrategy, OrderingParams, PaginationMode,
    PaginationParams, ResponseShape, RestApi, RestApiBuilder, RestApiTableShell,
    RestApiVistaFactory, RestApiVistaSpec, eq_condition,
};
