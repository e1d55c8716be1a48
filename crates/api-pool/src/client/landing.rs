//! The end of an attempt: settled with queue and breaker, then reported.

use retry_core::http::Health;

use super::answer::Miss;
use super::call::{After, Call};
use super::receive::cut;
use super::{Inner, Redirects};
use crate::breaker::Transition;
use crate::error::{ClientError, ErrorKind};
use crate::transport::Transport;

impl<T: Transport, R, P, G> Call<'_, T, R, P, G> {
    /// Settles a success with queue and breaker, and reports it.
    #[inline(always)]
    pub(super) fn succeed(&mut self, status: u16, bytes: Option<u64>) {
        let (inner, flight) = (self.ground.inner, &mut self.held.flight);
        if let (Some(credentials), Some(generation)) = (&inner.credentials, flight.generation()) {
            credentials.accepted(generation);
        }
        let transition = flight.settle(Some(Health::Up));
        flight.succeed(status, bytes);
        announce(inner, transition);
    }

    /// Settles a failure with queue and breaker, reports it, and says what may follow.
    #[cold]
    #[inline(never)]
    pub(super) fn fail(&mut self, miss: Miss) -> ClientError {
        let (inner, flight) = (self.ground.inner, &mut self.held.flight);
        let replay = match (&inner.credentials, flight.generation(), miss.status()) {
            (Some(credentials), Some(generation), Some(status)) => {
                self.auth.answered(credentials, generation, status)
            }
            _ => false,
        };
        let transition = flight.settle(miss.health());
        let number = self.ground.number;
        let (error, after) = if replay {
            (ClientError::new(ErrorKind::Status(401), number), After::Replay)
        } else {
            miss.judge(number, |body| {
                let cut = cut(&body);
                inner.secrets(&flight.sensitive).hide(body, cut)
            })
        };
        // On the way that a redirect showed, the request may have failed to arrive a second time.
        let error = if inner.redirects == Redirects::Unseen && !self.outlook.repeatable {
            error.at_least_maybe_processed()
        } else {
            error
        };
        flight.fail(&error, None);
        announce(inner, transition);
        self.outlook.after = after;
        error
    }
}

#[inline]
fn announce<T: Transport>(inner: &Inner<T>, transition: Option<Transition>) {
    if let (Some(transition), Some(watcher)) = (transition, &inner.watcher) {
        watcher.report(|| transition.into());
    }
}
