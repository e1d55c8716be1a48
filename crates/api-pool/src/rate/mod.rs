//! How often: a token bucket for anyone to ask, and the limiter that lets callers wait in line.

mod bucket;
mod elapsed;
#[cfg(feature = "rate-limit")]
mod limiter;
#[cfg(feature = "rate-limit")]
mod meter;
mod quota;

pub use bucket::TokenBucket;
#[cfg(feature = "rate-limit")]
pub(crate) use limiter::RateLimiter;
pub use quota::RateError;
