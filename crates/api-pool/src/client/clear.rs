//! What an attempt waits for before it may start.

use std::time::Duration;

use super::Inner;
use super::attempt::{Failed, PATIENCE};
use super::call::Call;
use super::flight::{Flight, Landing};
use super::receive::Receive;
use super::timer::Elapsed;
use super::waiting::timed;
use crate::auth::{AuthFailure, Credential};
use crate::breaker::Admission;
use crate::error::{ClientError, ErrorKind};
use crate::event::WaitStage;
use crate::queue::{Permit, QueueError};
use crate::transport::Transport;

/// How much longer than its attempt may take a probe counts: the attempt's own timeout comes first.
const GRACE: Duration = Duration::from_secs(1);

/// Everything an attempt holds while it runs.
pub(super) struct Clearance<'a> {
    pub(super) permit: Permit,
    pub(super) admission: Option<Admission<'a>>,
    pub(super) credential: Option<Credential>,
}

/// Takes everything an attempt needs, if none of it takes a wait.
///
/// What [`clear`] does, for the good day: without a future to hold and without an allocation. What
/// was taken before something turned out to take a wait goes back.
#[inline]
pub(super) fn clear_at_once<'a, T, F, R>(call: &Call<'a, T, F, R>) -> Option<Clearance<'a>>
where
    T: Transport,
{
    let inner: &'a Inner<T> = call.inner;
    if call.seat.is_some() {
        return None;
    }
    let pass = match &inner.circuit {
        Some(circuit) => Some((circuit, circuit.try_enter()?)),
        None => None,
    };
    let credential = match &inner.credentials {
        Some(credentials) => Some(credentials.at_hand()?),
        None => None,
    };
    #[cfg(feature = "rate-limit")]
    let token = match &inner.limiter {
        Some(limiter) => Some(limiter.try_acquire()?),
        None => None,
    };
    let permit = inner.slots.try_acquire().ok()??;
    let admission = match pass {
        Some((circuit, pass)) => Some(circuit.admit(pass).ok()?),
        None => None,
    };
    #[cfg(feature = "rate-limit")]
    if let Some(token) = token {
        token.spend();
    }
    Some(Clearance { permit, admission, credential })
}

/// Waits for everything an attempt needs, in order: gate, credential, rate token, slot. The
/// breaker is asked again at the end, since it may have opened meanwhile.
pub(super) async fn clear<'a, T, F, R>(
    call: &mut Call<'a, T, F, R>,
) -> Result<Clearance<'a>, Failed>
where
    T: Transport,
    F: Fn(&T) -> T::RequestBuilder,
    R: Receive<T>,
{
    let inner: &'a Inner<T> = call.inner;
    let (mode, class) = (call.policy.breaker, call.policy.class());
    let lease = call.policy.attempt_timeout().unwrap_or(PATIENCE).saturating_add(GRACE);
    loop {
        let pass = match &inner.circuit {
            None => None,
            Some(circuit) => {
                let seat = call.seat.take();
                let entering = circuit.enter(mode, class, lease, seat);
                let entered = staged(call, WaitStage::Gate, entering).await?;
                Some((circuit, entered.map_err(|_| refuse(call, ErrorKind::BreakerOpen))?))
            }
        };
        let credential = match &inner.credentials {
            None => None,
            Some(credentials) => staged(call, WaitStage::Credential, credentials.ready())
                .await?
                .map_err(|failure| unauthenticated(call, failure))?,
        };
        #[cfg(feature = "rate-limit")]
        let token = match &inner.limiter {
            None => None,
            Some(limiter) => Some(staged(call, WaitStage::RateToken, limiter.acquire()).await?),
        };
        let permit = staged(call, WaitStage::Slot, inner.slots.acquire(class))
            .await?
            .map_err(|error| refuse(call, queue_kind(&error)))?;
        let admission = match pass.map(|(circuit, pass)| circuit.admit(pass)) {
            None => None,
            Some(Ok(admission)) => Some(admission),
            // Slot and rate token go back. Where the breaker is shut again, a call that does not
            // wait is refused by the gate.
            Some(Err(refused)) => {
                call.seat = Some(refused.into_seat());
                continue;
            }
        };
        #[cfg(feature = "rate-limit")]
        if let Some(token) = token {
            token.spend();
        }
        return Ok(Clearance { permit, admission, credential });
    }
}

/// Runs one stage, within the call's deadline, and reports how long it was waited for.
async fn staged<T, F, R, S>(
    call: &mut Call<'_, T, F, R>,
    stage: WaitStage,
    future: S,
) -> Result<S::Output, Failed>
where
    T: Transport,
    F: Fn(&T) -> T::RequestBuilder,
    R: Receive<T>,
    S: Future,
{
    let watcher = call.inner.watcher.as_ref();
    match call.deadline.bound(timed(watcher, stage, future)).await {
        Ok(output) => Ok(output),
        Err(Elapsed) => Err(refuse(call, ErrorKind::Deadline)),
    }
}

/// Reports an attempt that does not start, and ends the call.
fn refuse<T, F, R>(call: &Call<'_, T, F, R>, kind: ErrorKind) -> Failed
where
    T: Transport,
    F: Fn(&T) -> T::RequestBuilder,
    R: Receive<T>,
{
    grounded(call, call.refused(kind), Duration::ZERO)
}

/// No credential could be had: the attempt is reported without having taken a slot.
fn unauthenticated<T, F, R>(call: &Call<'_, T, F, R>, failure: AuthFailure) -> Failed
where
    T: Transport,
    F: Fn(&T) -> T::RequestBuilder,
    R: Receive<T>,
{
    let took = failure.took();
    let kind = failure.kind();
    grounded(call, call.failed(kind).with_source(failure.into_source()), took)
}

fn grounded<T, F, R>(call: &Call<'_, T, F, R>, error: ClientError, took: Duration) -> Failed
where
    T: Transport,
    F: Fn(&T) -> T::RequestBuilder,
    R: Receive<T>,
{
    Flight::start(call.inner.watcher.as_ref()).land(Landing::Failed(&error), Some(took));
    Failed::stop(error)
}

const fn queue_kind(error: &QueueError) -> ErrorKind {
    match error {
        QueueError::Full { .. } => ErrorKind::QueueFull,
        QueueError::Timeout { .. } => ErrorKind::QueueTimeout,
        QueueError::Closed => ErrorKind::Disposed,
    }
}
