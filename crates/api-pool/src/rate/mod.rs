//! How often: a token bucket for anyone to ask, and the limiter that lets callers wait in line.

#[cfg(feature = "rate-limit")]
mod arrival;
mod bucket;
mod elapsed;
#[cfg(feature = "rate-limit")]
mod limiter;
#[cfg(feature = "rate-limit")]
mod meter;
#[cfg(feature = "rate-limit")]
mod quick;
mod quota;

pub use bucket::TokenBucket;
#[cfg(feature = "rate-limit")]
pub(crate) use limiter::RateLimiter;
pub use quota::RateError;
