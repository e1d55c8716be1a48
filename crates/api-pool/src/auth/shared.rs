//! The token slot and the refresh in flight, shared by all calls of a client.

use std::{
    collections::VecDeque,
    future::{Future, poll_fn},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
    time::{Duration, Instant},
};

use http::HeaderValue;

use super::{
    failure::AuthFailure,
    party::{Party, Ticket, Turn},
    slot::{Current, Generation, TokenSlot},
};
use crate::{
    clock,
    sync::{Mutex, lock},
};

/// A header value made of a token, and which token that was.
pub(super) type Ready = (Arc<HeaderValue>, Generation);

/// What those who wait for a refresh are told.
type Answer = Result<Ready, AuthFailure>;

/// What a refresh comes to: a header value, and how long it is good for.
pub(super) type Fetched = Result<(HeaderValue, Option<Duration>), AuthFailure>;

/// The refresh in flight. It belongs to nobody: whoever waits for it polls it.
pub(super) type Refresh = Pin<Box<dyn Future<Output = Fetched> + Send>>;

/// How many tokens are remembered after they were replaced.
const REMEMBERED: usize = 4;

/// The one lock of a client's credentials. It is held for a few lines, and never while foreign
/// code runs: not while a refresh is polled or dropped, not while a waker is woken or dropped.
pub(super) struct Shared {
    state: Mutex<State>,
}

struct State {
    slot: TokenSlot<Arc<HeaderValue>>,
    party: Party<Answer>,
    /// `None` while nobody refreshes, and while somebody polls it.
    refresh: Option<Refresh>,
    /// The header values made last, newest last: a late answer may show an old one.
    made: VecDeque<Arc<HeaderValue>>,
}

impl Shared {
    pub(super) fn new() -> Self {
        let state = State {
            slot: TokenSlot::new(),
            party: Party::new(),
            refresh: None,
            made: VecDeque::new(),
        };
        Self { state: Mutex::new(state) }
    }

    /// The token at hand, if it is the one to use.
    pub(super) fn at_hand(&self) -> Option<Ready> {
        let state = lock(&self.state);
        let (value, generation) = state.slot.at_hand(clock::now())?;
        Some((Arc::clone(value), generation))
    }

    /// The token in use, or a wait for the next; `start` makes the refresh if this caller is the
    /// one to begin it.
    pub(super) fn current<'a>(
        self: &'a Arc<Self>,
        start: impl FnOnce() -> Refresh,
    ) -> Result<Ready, Waiting<'a>> {
        let mut guard = lock(&self.state);
        let state = &mut *guard;
        let not_before = match state.slot.current(clock::now()) {
            Current::Use(value, generation) => return Ok((Arc::clone(value), generation)),
            Current::Refresh { not_before } => {
                state.refresh = Some(start());
                state.party.begin();
                not_before
            }
            Current::Wait { not_before } => not_before,
        };
        let ticket = state.party.join();
        Err(Waiting { shared: self, ticket, not_before })
    }

    /// The header values made last.
    pub(super) fn made(&self) -> Vec<Arc<HeaderValue>> {
        lock(&self.state).made.iter().cloned().collect()
    }

    pub(super) fn refused(&self, generation: Generation) {
        lock(&self.state).slot.refused(generation);
    }

    /// Whether nobody refreshes or waits.
    #[cfg(test)]
    pub(super) fn is_at_rest(&self) -> bool {
        let state = lock(&self.state);
        state.refresh.is_none() && state.party.is_empty() && !state.slot.is_refreshing()
    }

    /// What decides how this goes on, apart from how many there have been of anything.
    #[cfg(test)]
    pub(super) fn signature(&self) -> String {
        let state = lock(&self.state);
        let refresh = state.refresh.is_some();
        format!("{refresh} {} {}", state.slot.signature(), state.party.signature())
    }

    /// The refresh was polled, and is not done.
    fn put_back(&self, refresh: Option<Refresh>) {
        let mut guard = lock(&self.state);
        guard.refresh = refresh;
        let woken = guard.party.pending();
        drop(guard);
        woken.into_iter().for_each(Waker::wake);
    }

    /// Ends the refresh: settles the slot, and gives everybody the answer.
    fn settle(&self, fetched: Fetched) {
        let mut guard = lock(&self.state);
        let state = &mut *guard;
        let now = clock::now();
        let answer = match fetched {
            Ok((value, lifetime)) => {
                let value = Arc::new(value);
                if state.made.len() == REMEMBERED {
                    state.made.pop_front();
                }
                state.made.push_back(Arc::clone(&value));
                let generation = state.slot.refreshed(Arc::clone(&value), lifetime, now);
                Ok((value, generation))
            }
            Err(failure) => match state.slot.failed(now) {
                Some((value, generation)) => Ok((Arc::clone(value), generation)),
                None => Err(failure),
            },
        };
        let woken = state.party.answer(&answer);
        drop(guard);
        woken.into_iter().for_each(Waker::wake);
    }
}

/// The waker that a refresh is polled with: it wakes whoever waits for the refresh at the time.
impl Wake for Shared {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let woken = lock(&self.state).party.wake();
        woken.into_iter().for_each(Waker::wake);
    }
}

/// A wait for the refresh in flight. The last one dropped cancels the refresh.
pub(super) struct Waiting<'a> {
    shared: &'a Arc<Shared>,
    ticket: Ticket,
    /// When the refresh may be polled.
    not_before: Option<Instant>,
}

impl Waiting<'_> {
    /// Waits for the answer.
    ///
    /// # Cancel safety
    ///
    /// Another waiter goes on with the refresh; if there is none, it is dropped.
    pub(super) async fn answer(self) -> Answer {
        // On a timer of each waiter's own: one in the refresh would be its first poller's runtime's,
        // and panic in the others when that one shuts down. Boxed, because few ever wait so.
        if let Some(not_before) = self.not_before {
            Box::pin(clock::sleep_until(not_before)).await;
        }
        poll_fn(|cx| self.poll(cx)).await
    }

    fn poll(&self, cx: &Context<'_>) -> Poll<Answer> {
        loop {
            let mut guard = lock(&self.shared.state);
            let state = &mut *guard;
            let (replaced, refresh) = match state.party.turn(self.ticket, cx.waker()) {
                Turn::Answered(answer) => return Poll::Ready(answer),
                Turn::Drive { replaced } => (replaced, state.refresh.take()),
                Turn::Park { replaced } => (replaced, None),
            };
            drop(guard);
            drop(replaced);
            let Some(refresh) = refresh else { return Poll::Pending };
            if Driving::new(self.shared, refresh).poll().is_pending() {
                return Poll::Pending;
            }
        }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut guard = lock(&self.shared.state);
        let state = &mut *guard;
        let left = state.party.leave(self.ticket);
        let cancelled = if left.deserted {
            state.slot.abandoned();
            state.refresh.take()
        } else {
            None
        };
        drop(guard);
        drop((left.waker, cancelled));
    }
}

/// A refresh while it is polled, outside the lock. If it panics, that is a failure of the refresh
/// for those who wait, and a panic of the call that polled it.
struct Driving<'a> {
    shared: &'a Arc<Shared>,
    refresh: Option<Refresh>,
}

impl<'a> Driving<'a> {
    const fn new(shared: &'a Arc<Shared>, refresh: Refresh) -> Self {
        Self { shared, refresh: Some(refresh) }
    }

    fn poll(mut self) -> Poll<()> {
        let waker = Waker::from(Arc::clone(self.shared));
        let Some(refresh) = &mut self.refresh else { return Poll::Ready(()) };
        let poll = refresh.as_mut().poll(&mut Context::from_waker(&waker));
        let polled = self.refresh.take();
        match poll {
            Poll::Pending => {
                self.shared.put_back(polled);
                Poll::Pending
            }
            Poll::Ready(fetched) => {
                self.shared.settle(fetched);
                drop(polled);
                Poll::Ready(())
            }
        }
    }
}

impl Drop for Driving<'_> {
    fn drop(&mut self) {
        if let Some(panicked) = self.refresh.take() {
            self.shared.settle(Err(AuthFailure::panicked()));
            drop(panicked);
        }
    }
}

#[cfg(all(test, pool_loom))]
mod loom_tests;
