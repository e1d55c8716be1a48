//! How big the values are that every operation carries.

use std::mem::size_of;

use retry_core::{Backoff, Failure, Jitter, Next, Policy, Run, SeededEntropy};

#[test]
fn a_policy_fits_into_a_cache_line_and_a_run_into_half_of_one() {
    assert!(size_of::<Backoff>() <= 24);
    assert!(size_of::<Policy>() <= 56);
    assert!(size_of::<Run<'_>>() <= 32);
}

#[test]
fn what_is_passed_by_value_is_small() {
    assert!(size_of::<Jitter>() <= 2);
    assert!(size_of::<Failure>() <= 24);
    assert!(size_of::<SeededEntropy>() <= 8);
    assert!(size_of::<Next>() <= 64);
}

#[test]
fn values_cross_threads() {
    fn crosses<T: Send + Sync + Unpin>() {}
    crosses::<Backoff>();
    crosses::<Failure>();
    crosses::<Jitter>();
    crosses::<Next>();
    crosses::<Policy>();
    crosses::<Run<'_>>();
    crosses::<SeededEntropy>();
    crosses::<retry_core::BudgetExhausted>();
    crosses::<retry_core::CallError<u8>>();
    crosses::<retry_core::CodeTable>();
    crosses::<retry_core::Delays<'_, SeededEntropy>>();
    crosses::<retry_core::InvalidConfig>();
    crosses::<retry_core::Ratio>();
    crosses::<retry_core::RetryAfterRule>();
    crosses::<retry_core::RetryBudget>();
    crosses::<retry_core::RetryConfig>();
    crosses::<retry_core::StopReason>();
    crosses::<retry_core::Verdict>();
    crosses::<retry_core::Withdrawal>();
    #[cfg(feature = "std")]
    crosses::<retry_core::DefaultEntropy>();
    #[cfg(feature = "backoff")]
    crosses::<retry_core::BackoffBridge>();
}
