//! Which redirects are followed, and whether one was.

use std::cell::Cell;

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

/// Runs `poll`, which polls a request on its way, and notes in `followed` whether it followed a
/// redirect.
#[inline]
pub(crate) fn watch<P>(followed: &mut bool, poll: impl FnOnce() -> P) -> P {
    FOLLOWED.set(false);
    let polled = poll();
    *followed |= FOLLOWED.get();
    polled
}
