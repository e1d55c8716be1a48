//! What an attempt waits for before it may start.

use std::pin::Pin;
use std::time::Duration;

use super::Inner;
use super::flight::{Flight, Load};
use super::ground::Ground;
use super::timer::Elapsed;
use super::waiting::timed;
use crate::auth::{AuthFailure, Credentials};
use crate::breaker::{Ask, Circuit};
use crate::error::{ClientError, ErrorKind};
use crate::event::WaitStage;
use crate::queue::QueueError;
use crate::transport::Transport;

/// How much longer than its attempt may take a probe counts: the attempt's own timeout comes first.
const GRACE: Duration = Duration::from_secs(1);

/// Takes everything an attempt needs, if none of it takes a wait.
///
/// What [`clear`] does, for the good day: without a future to hold and without an allocation. What
/// was taken before something turned out to take a wait goes back.
#[inline(always)]
pub(super) fn clear_at_once<'a, T>(ground: &Ground<'a, T>, flight: &mut Flight<'a>) -> bool {
    let cleared = try_clear(ground, flight).is_some();
    if !cleared {
        flight.unload();
    }
    cleared
}

#[inline(always)]
fn try_clear<'a, T>(ground: &Ground<'a, T>, flight: &mut Flight<'a>) -> Option<()> {
    let inner: &'a Inner<T> = ground.inner;
    if ground.seat.is_some() || inner.circuit.as_ref().is_some_and(Circuit::is_gated) {
        return None;
    }
    if let Some(credentials) = &inner.credentials {
        flight.hold_credential(credentials.at_hand()?);
    }
    #[cfg(feature = "rate-limit")]
    let token = match &inner.limiter {
        Some(limiter) => Some(limiter.try_acquire()?),
        None => None,
    };
    flight.hold_permit(inner.slots.try_acquire().ok()??);
    if let Some(circuit) = &inner.circuit {
        flight.hold_admission(circuit.try_admit()?);
    }
    #[cfg(feature = "rate-limit")]
    if let Some(token) = token {
        token.spend();
    }
    Some(())
}

/// A wait for everything an attempt needs. It brings back what it was given.
pub(super) type Clearing<'a, T> =
    Pin<Box<dyn Future<Output = (Ground<'a, T>, Result<Load<'a>, ClientError>)> + Send + 'a>>;

/// Waits for everything an attempt needs.
pub(super) fn clear<'a, T: Transport>(mut ground: Ground<'a, T>) -> Clearing<'a, T> {
    Box::pin(async move {
        let cleared = cleared(&mut ground).await;
        (ground, cleared)
    })
}

/// In order: gate, credential, rate token, slot. The breaker is asked again at the end, since it
/// may have opened meanwhile.
async fn cleared<'a, T: Transport>(ground: &mut Ground<'a, T>) -> Result<Load<'a>, ClientError> {
    let inner: &'a Inner<T> = ground.inner;
    let (mode, class) = (ground.policy.breaker, ground.policy.class());
    let lease = ground.policy.attempt_timeout().unwrap_or(inner.patience).saturating_add(GRACE);
    loop {
        let pass = match &inner.circuit {
            None => None,
            Some(circuit) => {
                let ask = Ask::new(mode, class, lease).again(ground.seat.take());
                let for_token = inner.credentials.as_ref().is_some_and(Credentials::is_fetching);
                let ask = if for_token { ask.for_token() } else { ask };
                let entered = staged(ground, WaitStage::Gate, circuit.enter(ask)).await?;
                Some((circuit, entered.map_err(|_| refuse(ground, ErrorKind::BreakerOpen))?))
            }
        };
        let credential = match &inner.credentials {
            None => None,
            Some(credentials) => staged(ground, WaitStage::Credential, credentials.ready())
                .await?
                .map_err(|failure| unauthenticated(ground, failure))?,
        };
        #[cfg(feature = "rate-limit")]
        let token = match &inner.limiter {
            None => None,
            Some(limiter) => Some(staged(ground, WaitStage::RateToken, limiter.acquire()).await?),
        };
        let permit = staged(ground, WaitStage::Slot, inner.slots.acquire(class))
            .await?
            .map_err(|error| refuse(ground, queue_kind(&error)))?;
        let admission = match pass.map(|(circuit, pass)| circuit.admit(pass)) {
            None => None,
            Some(Ok(admission)) => Some(admission),
            // Slot and rate token go back. Where the breaker is shut again, a call that does not
            // wait is refused by the gate.
            Some(Err(refused)) => {
                ground.seat = Some(refused.into_seat());
                continue;
            }
        };
        // What it waited for may have come later than the deadline, if nobody looked meanwhile.
        if ground.deadline.has_passed() {
            return Err(refuse(ground, ErrorKind::Deadline));
        }
        #[cfg(feature = "rate-limit")]
        if let Some(token) = token {
            token.spend();
        }
        return Ok(Load { permit, admission, credential });
    }
}

/// Runs one stage, within the call's deadline, and reports how long it was waited for.
async fn staged<T, S>(
    ground: &mut Ground<'_, T>,
    stage: WaitStage,
    future: S,
) -> Result<S::Output, ClientError>
where
    S: Future,
{
    let watcher = ground.inner.watcher.as_ref();
    match ground.deadline.bound(timed(watcher, stage, future)).await {
        Ok(output) => Ok(output),
        Err(Elapsed) => Err(refuse(ground, ErrorKind::Deadline)),
    }
}

/// Reports an attempt that does not start, and ends the ground.
pub(super) fn refuse<T>(ground: &Ground<'_, T>, kind: ErrorKind) -> ClientError {
    grounded(ground, ground.refused(kind), Duration::ZERO)
}

/// No credential could be had: the attempt is reported without having taken a slot.
fn unauthenticated<T>(ground: &Ground<'_, T>, failure: AuthFailure) -> ClientError {
    let took = failure.took();
    let kind = failure.kind();
    grounded(ground, ground.failed(kind).with_source(failure.into_source()), took)
}

fn grounded<T>(ground: &Ground<'_, T>, error: ClientError, took: Duration) -> ClientError {
    Flight::grounded(ground.inner.watcher.as_ref()).fail(&error, Some(took));
    error
}

const fn queue_kind(error: &QueueError) -> ErrorKind {
    match error {
        QueueError::Full { .. } => ErrorKind::QueueFull,
        QueueError::Timeout { .. } => ErrorKind::QueueTimeout,
        QueueError::Closed => ErrorKind::Disposed,
    }
}
