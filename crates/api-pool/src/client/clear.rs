//! What an attempt waits for before it may start.

use super::Inner;
use super::attempt::{Failed, LEASE};
use super::call::Call;
use super::flight::{Flight, Landing};
use super::receive::Receive;
use super::timer::Elapsed;
use super::waiting::timed;
use crate::auth::{AuthFailure, Credential};
use crate::breaker::{Admission, BreakerMode};
use crate::error::{ClientError, ErrorKind};
use crate::event::WaitStage;
use crate::queue::{Permit, QueueError};
use crate::transport::Transport;

/// Everything an attempt holds while it runs.
pub(super) struct Clearance<'a> {
    pub(super) permit: Permit,
    pub(super) admission: Option<Admission<'a>>,
    pub(super) credential: Option<Credential>,
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
    let lease = call.policy.attempt_timeout().unwrap_or(LEASE);
    loop {
        let pass = match &inner.circuit {
            None => None,
            Some(circuit) => {
                let seat = call.seat.take();
                if let Some(pass) = circuit.try_enter() {
                    Some(pass)
                } else {
                    let waiting = Box::pin(circuit.enter(mode, class, lease, seat));
                    let entered = staged(call, WaitStage::Gate, waiting).await?;
                    Some(entered.map_err(|_| refuse(call, ErrorKind::BreakerOpen))?)
                }
            }
        };
        let credential = match &inner.credentials {
            None => None,
            Some(credentials) => {
                match staged(call, WaitStage::Credential, credentials.ready()).await? {
                    Ok(credential) => credential,
                    Err(failure) => return Err(unauthenticated(call, failure)),
                }
            }
        };
        #[cfg(feature = "rate-limit")]
        let token = match &inner.limiter {
            None => None,
            Some(limiter) => match limiter.try_acquire() {
                Some(token) => Some(token),
                None => {
                    let waiting = Box::pin(limiter.acquire());
                    Some(staged(call, WaitStage::RateToken, waiting).await?)
                }
            },
        };
        let permit = match inner.slots.try_acquire() {
            Ok(Some(permit)) => permit,
            Ok(None) => {
                let waiting = Box::pin(inner.slots.acquire(class));
                staged(call, WaitStage::Slot, waiting)
                    .await?
                    .map_err(|error| refuse(call, queue_kind(&error)))?
            }
            Err(error) => return Err(refuse(call, queue_kind(&error))),
        };
        let admission = match (pass, &inner.circuit) {
            (Some(pass), Some(circuit)) => match circuit.admit(pass) {
                Ok(admission) => Some(admission),
                Err(_) if mode == BreakerMode::FailFast => {
                    drop(permit);
                    return Err(refuse(call, ErrorKind::BreakerOpen));
                }
                Err(refused) => {
                    call.seat = Some(refused.into_seat());
                    continue;
                }
            },
            _ => None,
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
    grounded(call, call.refused(kind), std::time::Duration::ZERO)
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

fn grounded<T, F, R>(
    call: &Call<'_, T, F, R>,
    error: ClientError,
    took: std::time::Duration,
) -> Failed
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
