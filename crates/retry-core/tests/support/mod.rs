//! What several tests share.

#![expect(dead_code, reason = "each test binary uses a part of it")]

use std::time::Duration;

use retry_core::{Entropy, Failure, Next, Policy, Run, StopReason};
use serde_json::Value;

/// Reads a vector file that was included as text.
pub(crate) fn cases(text: &str) -> Vec<Value> {
    let Value::Object(mut file) = serde_json::from_str(text).expect("the vectors are JSON") else {
        panic!("a vector file is a record");
    };
    match file.remove("cases") {
        Some(Value::Array(cases)) => cases,
        other => panic!("a vector file has cases, not {other:?}"),
    }
}

pub(crate) const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

pub(crate) const fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// The wait before retry number `retry`, counting from zero.
pub(crate) fn wait(policy: &Policy, retry: u32, failure: Failure, bits: u64) -> Duration {
    wait_in(&mut policy.resume(retry, Duration::ZERO), failure, bits)
}

/// The wait after a failure in a run that goes on.
pub(crate) fn wait_in(run: &mut Run<'_>, failure: Failure, bits: u64) -> Duration {
    match run.on_failure(failure, Duration::ZERO, &mut || bits) {
        Next::Retry { after, .. } => after,
        Next::Stop(reason) => panic!("stopped: {reason}"),
    }
}

/// Fails until the run stops, at most `limit` times.
pub(crate) fn waits(
    policy: &Policy,
    limit: usize,
    bits: u64,
) -> (Vec<Duration>, Option<StopReason>) {
    let mut run = policy.run();
    let mut waits = Vec::new();
    while waits.len() < limit {
        match run.on_failure(Failure::transient(), Duration::ZERO, &mut || bits) {
            Next::Retry { after, .. } => waits.push(after),
            Next::Stop(reason) => return (waits, Some(reason)),
        }
    }
    (waits, None)
}

/// Counts its draws.
pub(crate) struct Counting {
    pub(crate) draws: usize,
}

impl Entropy for Counting {
    fn next_u64(&mut self) -> u64 {
        self.draws += 1;
        u64::MAX / 3
    }
}
