//! Somebody who makes calls for as long as the faults last.

use std::{sync::Arc, time::Duration};

use api_pool::{
    BreakerMode, CallPolicy, ClientError, ErrorKind, QueueClass, RetryMode, RetryPolicy,
    RetrySafety, StopReason, testing::CancelAt,
};
use tokio::time::{Instant, timeout};

use super::{clients::Clients, nature::Nature, now};
use crate::{dice::Dice, server::pause};

const URL: &str = "http://api.test/";

/// The longest that an attempt may take.
const ATTEMPT: Duration = Duration::from_secs(10);

/// What a caller has to tell.
#[derive(Debug, Default)]
pub(super) struct Ended {
    pub(super) calls: u64,
    pub(super) succeeded: u64,
    pub(super) broken: Vec<String>,
    /// Of a call that waited for as long as it took: its client, and when it ended.
    pub(super) patient: Option<(usize, Instant)>,
}

/// One call.
#[derive(Debug)]
pub(super) struct Wish {
    client: usize,
    policy: CallPolicy,
    whole: bool,
    points: usize,
    leaves_after: Option<Duration>,
}

fn patient() -> CallPolicy {
    let retry = RetryMode::until_cancelled(Duration::from_millis(50), Duration::from_secs(4));
    CallPolicy::new(retry, BreakerMode::WaitForProbe)
        .with_class(QueueClass::Essential)
        .with_attempt_timeout(ATTEMPT)
}

impl Wish {
    /// A call that waits for as long as it takes.
    pub(super) fn patient(client: usize) -> Self {
        Self { client, policy: patient(), whole: true, points: usize::MAX, leaves_after: None }
    }

    fn draw(dice: &mut Dice, client: usize) -> Self {
        let ms = Duration::from_millis;
        let retry = RetryPolicy::new(dice.size(0, 4), ms(100), ms(4_000));
        let policy = match dice.below(4) {
            0 => CallPolicy::background(),
            1 => CallPolicy::bounded(retry),
            2 => CallPolicy::bounded(retry).wait_for_probe(),
            _ => patient(),
        };
        let policy = policy
            .with_attempt_timeout(ms(dice.between(200, 10_000)))
            .with_deadline(ms(dice.between(100, 60_000)));
        let safety = if dice.permille(300) { RetrySafety::FateAware } else { RetrySafety::Default };
        Self {
            client,
            policy: policy.with_safety(safety),
            whole: dice.permille(700),
            points: if dice.permille(30) { dice.size(0, 4) } else { usize::MAX },
            leaves_after: dice.permille(50).then(|| ms(dice.between(1, 20_000))),
        }
    }

    /// Makes the call; `None` if it was dropped.
    async fn send(&self, clients: &Clients) -> Option<Result<(), ClientError>> {
        let http = &clients.get(self.client)?.http;
        let call = async {
            if self.whole {
                http.execute_read(&self.policy, |http| http.get(URL)).await.map(drop)
            } else {
                http.execute_with(&self.policy, |http| http.get(URL)).await.map(drop)
            }
        };
        let call = CancelAt::new(self.points, call);
        match self.leaves_after {
            Some(leaves_after) => timeout(leaves_after, call).await.ok().flatten(),
            None => call.await,
        }
    }

    /// Makes a call that waits for as long as it takes. Once nothing goes wrong it succeeds, or is
    /// turned away by a limit of the line.
    pub(super) async fn make(self, clients: Arc<Clients>, nature: Arc<Nature>) -> Ended {
        let was_calm = nature.is_calm();
        let outcome = self.send(&clients).await;
        let broken = match &outcome {
            Some(Ok(())) => None,
            Some(Err(error)) if is_of_the_line(error) || (!was_calm && may_end(error)) => None,
            other => Some(format!("a patient call failed: {other:?}")),
        };
        Ended {
            calls: 1,
            succeeded: u64::from(matches!(outcome, Some(Ok(())))),
            broken: broken.into_iter().collect(),
            patient: Some((self.client, now())),
        }
    }
}

const fn is_of_the_line(error: &ClientError) -> bool {
    matches!(error.kind, ErrorKind::QueueFull | ErrorKind::QueueTimeout)
}

/// What ends even a call that waits for as long as it takes: an answer for good, no token, or the
/// budget.
fn may_end(error: &ClientError) -> bool {
    error.is_final() || error.stop_reason() == Some(&StopReason::Budget)
}

/// Calls, and thinks, and calls again; now and then the last is one that waits for as long as it
/// takes.
pub(super) async fn live(mut dice: Dice, clients: Arc<Clients>, nature: Arc<Nature>) -> Ended {
    let mut ended = Ended::default();
    loop {
        pause(Duration::from_millis(dice.between(1, 5_000))).await;
        if nature.is_calm() {
            return ended;
        }
        let Some(client) = clients.pick(&mut dice) else { return ended };
        if dice.permille(30) {
            let wish = Wish::patient(client.number);
            let last = wish.make(Arc::clone(&clients), Arc::clone(&nature)).await;
            ended.broken.extend(last.broken);
            return Ended {
                calls: ended.calls + 1,
                succeeded: ended.succeeded + last.succeeded,
                ..Ended { patient: last.patient, ..ended }
            };
        }
        let wish = Wish::draw(&mut dice, client.number);
        let outcome = wish.send(&clients).await;
        ended.calls += 1;
        ended.succeeded += u64::from(matches!(outcome, Some(Ok(()))));
    }
}
