//! One call: drawn from the seed, made, and told how it ended.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use api_pool::{
    CallPolicy, ClientError, QueueClass, ResilientClient, RetryMode, RetryPolicy, RetrySafety,
    testing::CancelAt,
};
use tokio::time::timeout;

use crate::{dice::Dice, fault::Fault};

/// No call may take longer: it has a deadline far below.
const WATCHDOG: Duration = Duration::from_secs(60);

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Cancelled,
    Failed,
    Hung,
    Succeeded,
}

impl End {
    pub(super) const ALL: [Self; 4] = [Self::Cancelled, Self::Failed, Self::Hung, Self::Succeeded];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Cancelled => "calls cancelled",
            Self::Failed => "calls failed",
            Self::Hung => "calls hung",
            Self::Succeeded => "calls succeeded",
        }
    }
}

/// Retries and waits for the breaker, up to `deadline`.
pub(super) fn patient(deadline: Duration) -> CallPolicy {
    CallPolicy::new(
        RetryMode::until_cancelled(Duration::from_millis(1), Duration::from_millis(20)),
        api_pool::BreakerMode::WaitForProbe,
    )
    .with_class(QueueClass::Essential)
    .with_deadline(deadline)
}

fn policy(dice: &mut Dice) -> CallPolicy {
    let ms = Duration::from_millis;
    let policy = match dice.below(4) {
        0 => CallPolicy::background(),
        1 => CallPolicy::bounded(RetryPolicy::new(dice.size(0, 4), ms(1), ms(6))),
        2 => CallPolicy::bounded(RetryPolicy::new(2, ms(1), ms(6))).wait_for_probe(),
        _ => patient(ms(dice.between(100, 800))),
    };
    let policy = policy.with_attempt_timeout(ms(dice.between(100, 250)));
    let policy = if policy.deadline().is_none() { policy.with_deadline(ms(400)) } else { policy };
    let safety = if dice.permille(300) { RetrySafety::FateAware } else { RetrySafety::Default };
    policy.with_safety(safety)
}

/// Makes call `number`.
pub(super) async fn make(seed: u64, number: u64, url: &str, fleet: &[ResilientClient]) -> End {
    let mut dice = Dice::new(seed, "call", number);
    let Some(client) = dice.pick(fleet) else { return End::Failed };
    let policy = policy(&mut dice);
    let whole = dice.permille(700);
    let attempts = AtomicU64::new(0);
    let build = |http: &reqwest::Client| {
        let attempt = attempts.fetch_add(1, Ordering::Relaxed);
        let fault = Fault::draw(&mut Dice::new(seed, "fault", number << 8 | attempt));
        http.get(format!("{url}/{number}/{}", fault.segment()))
    };
    let call = async {
        if whole {
            client.execute_read(&policy, build).await.map(drop)
        } else {
            // The body is left unread, as callers do that only look at the head.
            client.execute_with(&policy, build).await.map(drop)
        }
    };
    // One of a hundred is dropped at one of its first points.
    let points = if dice.permille(10) { dice.size(0, 3) } else { usize::MAX };
    match timeout(WATCHDOG, CancelAt::new(points, call)).await {
        Ok(Some(outcome)) => end(&outcome),
        Ok(None) => End::Cancelled,
        Err(_) => End::Hung,
    }
}

const fn end(outcome: &Result<(), ClientError>) -> End {
    match outcome {
        Ok(()) => End::Succeeded,
        Err(_) => End::Failed,
    }
}
