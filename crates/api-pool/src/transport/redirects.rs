//! Which redirects are followed, and whether one was.

use std::cell::Cell;
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use super::TransportError;

/// Redirects followed before a request is given up, as RFC 9110 §15.4 asks clients to detect loops.
const LIMIT: usize = 10;

/// What to do with a redirect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Follow,
    /// There were too many: a loop.
    GiveUp,
    /// The redirect is the response.
    Stop,
}

thread_local! {
    /// Whether a redirect was followed in the poll that is running.
    static FOLLOWED: Cell<bool> = const { Cell::new(false) };
}

/// Follows a redirect only to where the first request went: the HTTP clients take header fields
/// that they do not know to be sensitive along to other hosts, ports and schemes. `requests` is
/// how many were sent so far.
pub(super) fn judge(same_origin: bool, requests: usize) -> Verdict {
    if !same_origin {
        return Verdict::Stop;
    }
    FOLLOWED.set(true);
    if requests > LIMIT { Verdict::GiveUp } else { Verdict::Follow }
}

pin_project! {
    /// A request on its way, as the HTTP client's own future. An error after a redirect that was
    /// followed does not hide that the server had seen the request.
    ///
    /// Not `async`: the future of a call would hold the one it wraps twice.
    pub(super) struct Traced<F, M> {
        #[pin]
        sending: F,
        followed: bool,
        into_error: M,
    }
}

/// Watches `sending` for redirects, and turns its errors into ours.
pub(super) fn traced<F, M>(sending: F, into_error: M) -> Traced<F, M> {
    Traced { sending, followed: false, into_error }
}

impl<F, M, O, E> Future for Traced<F, M>
where
    F: Future<Output = Result<O, E>>,
    M: Fn(E) -> TransportError,
{
    type Output = Result<O, TransportError>;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        FOLLOWED.set(false);
        let poll = this.sending.poll(context);
        *this.followed |= FOLLOWED.get();
        poll.map_err(|error| {
            let error = (this.into_error)(error);
            if *this.followed { error.redirected() } else { error }
        })
    }
}
