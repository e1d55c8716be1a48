//! Retries for `tower` services.
//!
//! [`Retries`] is a policy for `tower`'s own retry layer. [`RetryLayer`] runs the client's loop
//! instead and says in its errors how it went. Both retry services over the requests of `http` and
//! of reqwest; queue, breaker and credentials are the [`ResilientClient`](crate::ResilientClient)'s.
//!
//! # Examples
//!
//! ```
//! use std::sync::Arc;
//! use std::sync::atomic::{AtomicUsize, Ordering};
//! use api_pool::Policy;
//! use api_pool::tower::RetryLayer;
//! use http::{Request, Response};
//! use tower::{Layer, ServiceExt, service_fn};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap()
//! # .block_on(async {
//! let calls = Arc::new(AtomicUsize::new(0));
//! let flaky = service_fn(move |_: Request<String>| {
//!     let status = if calls.fetch_add(1, Ordering::Relaxed) == 0 { 503 } else { 200 };
//!     async move { Response::builder().status(status).body(()) }
//! });
//! let service = RetryLayer::new(Policy::default()).layer(flaky);
//!
//! let response = service.oneshot(Request::new("body".to_owned())).await.unwrap();
//! assert_eq!(response.status(), 200);
//! # });
//! ```

mod decisions;
mod error;
mod layer;
mod policy;
mod request;

pub use self::{
    error::RetryError,
    layer::{RetryLayer, RetryService},
    policy::Retries,
    request::{ByClone, HttpRequest, HttpResponse, Replay},
};
