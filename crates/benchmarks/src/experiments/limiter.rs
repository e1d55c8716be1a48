//! A rate limit that lets the request through.

use std::{hint::black_box, num::NonZeroU32};

use governor::{
    Quota,
    clock::{Clock, MonotonicClock, Reference},
    nanos::Nanos,
    state::{InMemoryState, NotKeyed},
};

use crate::{
    experiment::{Experiment, Subject},
    rate::{RateLimiter, TokenBucket},
};

pub(crate) const CHECK: Experiment = Experiment {
    id: "limiter",
    title: "a rate limit lets a request through",
    floor: "nothing",
    features: "",
    repeats: (10_000, 110_000),
    subjects: &[
        Subject::new("nothing", nothing),
        Subject::new("the clock, read", clock),
        Subject::new("api-pool: in line", api_pool),
        Subject::new("api-pool: TokenBucket", bucket),
        Subject::new("governor, same clock", governor_with_tokio_time),
        Subject::new("governor, std's clock", governor_with_std_time),
    ],
};

/// More than any run asks for.
const PLENTY: u32 = 4_000_000_000;

fn nothing(times: u64) {
    for turn in 0..times {
        black_box(turn);
    }
}

fn clock(times: u64) {
    for turn in 0..times {
        black_box(turn);
        black_box(crate::clock::now());
    }
}

fn api_pool(times: u64) {
    let limiter = RateLimiter::new(f64::from(1_000_000), PLENTY as usize);
    for turn in 0..times {
        black_box(turn);
        let token = black_box(&limiter).try_acquire().expect("there are plenty");
        token.spend();
    }
}

fn bucket(times: u64) {
    let bucket = TokenBucket::new(f64::from(1_000_000), PLENTY as usize);
    for turn in 0..times {
        black_box(turn);
        assert!(black_box(&bucket).try_take().is_none());
    }
}

/// Tokio's clock for `governor`, which a paused runtime moves.
#[derive(Clone)]
struct TokioTime;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Moment(std::time::Instant);

impl std::ops::Add<Nanos> for Moment {
    type Output = Self;

    fn add(self, wait: Nanos) -> Self {
        Self(self.0 + std::time::Duration::from(wait))
    }
}

impl Reference for Moment {
    fn duration_since(&self, earlier: Self) -> Nanos {
        self.0.saturating_duration_since(earlier.0).into()
    }

    fn saturating_sub(&self, duration: Nanos) -> Self {
        Self(self.0.checked_sub(duration.into()).unwrap_or(self.0))
    }
}

impl Clock for TokioTime {
    type Instant = Moment;

    fn now(&self) -> Moment {
        Moment(crate::clock::now())
    }
}

fn quota() -> Quota {
    let burst = NonZeroU32::new(PLENTY).expect("plenty is not zero");
    Quota::per_second(NonZeroU32::new(1_000_000).expect("a million is not zero")).allow_burst(burst)
}

fn governor_with_tokio_time(times: u64) {
    governor::<TokioTime>(times, TokioTime);
}

fn governor_with_std_time(times: u64) {
    governor(times, MonotonicClock);
}

fn governor<C: Clock>(times: u64, clock: C) {
    let limiter: governor::RateLimiter<NotKeyed, InMemoryState, C, _> =
        governor::RateLimiter::direct_with_clock(quota(), clock);
    for turn in 0..times {
        black_box(turn);
        assert!(black_box(&limiter).check().is_ok());
    }
}
