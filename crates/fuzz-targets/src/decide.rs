//! Any header and any policy: the limits of a wait hold.

use std::{num::NonZeroU32, time::Duration};

use retry_core::{Backoff, Failure, Jitter, Next, Policy, RetryAfterRule, StopReason, retry_after};

use crate::bytes::Bytes;

fn policy(bytes: &mut Bytes<'_>) -> Policy {
    let base = bytes.duration();
    let factor = NonZeroU32::new(u32::from(bytes.byte())).unwrap_or(NonZeroU32::MAX);
    let backoff = match bytes.byte() % 5 {
        0 => Backoff::constant(base),
        1 => Backoff::linear(base),
        2 => Backoff::exponential(base),
        3 => Backoff::exponential_with(base, factor),
        _ => Backoff::fibonacci(base),
    };
    let jitter = match bytes.byte() % 5 {
        0 => Jitter::None,
        1 => Jitter::Full,
        2 => Jitter::Equal,
        3 => Jitter::Decorrelated,
        _ => Jitter::Spread(bytes.byte()),
    };
    let rule = match bytes.byte() % 4 {
        0 => RetryAfterRule::Ignore,
        1 => RetryAfterRule::Clamp,
        2 => RetryAfterRule::Exact,
        _ => RetryAfterRule::GiveUpAbove(bytes.duration()),
    };
    let policy = Policy::new(backoff.with_cap(bytes.duration()))
        .with_jitter(jitter)
        .with_retry_after(rule)
        .with_floor(bytes.duration());
    let policy = match NonZeroU32::new(u32::from(bytes.byte())) {
        Some(attempts) => policy.with_max_attempts(attempts),
        None => policy.unbounded(),
    };
    if bytes.byte().is_multiple_of(2) { policy } else { policy.with_max_elapsed(bytes.duration()) }
}

/// Fails a few times under a policy made of the first bytes; the rest is the header.
///
/// # Panics
///
/// If a wait is outside its limits.
pub fn decide(data: &[u8]) {
    let mut bytes = Bytes(data);
    let policy = policy(&mut bytes);
    let made = u32::try_from(bytes.number() >> (bytes.byte() % 64)).unwrap_or(u32::MAX);
    let previous = bytes.duration();
    let elapsed = bytes.duration();
    let mut entropy = bytes.number();
    let hint = retry_after::parse(bytes.0);

    let mut run = policy.resume(made, previous);
    for _ in 0..3 {
        entropy = entropy.rotate_left(7).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let failure = Failure::rate_limited(hint);
        match run.on_failure(failure, elapsed, &mut || entropy) {
            Next::Retry { after, .. } => check(&policy, hint, after, elapsed),
            Next::Stop(reason) => return stopped(&policy, hint, &reason),
        }
    }
}

fn check(policy: &Policy, hint: Option<Duration>, after: Duration, elapsed: Duration) {
    let (floor, cap) = (policy.floor(), policy.backoff().cap());
    let exact = policy.retry_after() == RetryAfterRule::Exact && hint.is_some();
    assert!(floor <= after, "{after:?} is below the floor: {policy:?} {hint:?}");
    assert!(exact || after <= cap.max(floor), "{after:?} is above the cap: {policy:?} {hint:?}");
    if let (Some(hint), false) = (hint, policy.retry_after() == RetryAfterRule::Ignore) {
        assert!(hint.min(cap) <= after, "{after:?} is below the hint {hint:?}: {policy:?}");
    }
    let limit = policy.max_elapsed();
    assert!(
        limit == Duration::MAX || elapsed.saturating_add(after) <= limit,
        "an attempt would start after {limit:?}: {policy:?}"
    );
}

fn stopped(policy: &Policy, hint: Option<Duration>, reason: &StopReason) {
    match reason {
        StopReason::Attempts { .. } => assert!(policy.max_attempts().is_some(), "{policy:?}"),
        StopReason::Elapsed { .. } => assert_ne!(policy.max_elapsed(), Duration::MAX, "{policy:?}"),
        StopReason::HintTooLong { .. } => match policy.retry_after() {
            RetryAfterRule::GiveUpAbove(limit) => {
                assert!(Some(limit) < hint, "{policy:?} {hint:?}");
            }
            rule => panic!("{rule:?} gives up on nothing"),
        },
        other => panic!("{other:?} does not follow from being rate-limited"),
    }
}
