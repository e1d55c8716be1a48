//! Those who wait for one piece of work that any of them may poll.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    task::Waker,
};

/// The members of a party that share a future, kept elsewhere.
///
/// When the future is woken, so are all that wait for it: any of them may sit in a task that does
/// not get round to polling it, and the work must go on without that one. The first to be polled
/// polls the future; the rest find nothing to do. The answer is handed to everybody at once.
///
/// **Invariant:** while the future wants to be polled and nobody polls it, every member has been
/// woken, or is new, since it was last polled.
///
/// The party neither polls nor wakes, nor drops a waker: it hands them out, for its keeper to use
/// when the lock is released.
#[derive(Debug)]
pub(super) struct Party<T> {
    members: BTreeMap<u64, Member<T>>,
    next_ticket: u64,
    future: Future,
}

/// What the party knows of its future.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Future {
    /// There is none, or it has been polled since it was last woken.
    Asleep,
    /// A member is polling it, and it has not been woken since that began.
    Polled,
    /// A member is polling it, and it has been woken already.
    PolledAndWoken,
    /// It is new, or was woken, and nobody polls it yet.
    Woken,
}

#[derive(Debug)]
enum Member<T> {
    Waiting(Option<Waker>),
    Answered(T),
}

/// What a member that is polled is to do.
#[derive(Debug)]
pub(super) enum Turn<T> {
    /// Return this. The member has left.
    Answered(T),
    /// Poll the future, and report how that went.
    Drive { replaced: Option<Waker> },
    /// Wait to be woken.
    Park { replaced: Option<Waker> },
}

/// What a member left behind.
#[derive(Debug)]
pub(super) struct Left {
    pub(super) waker: Option<Waker>,
    /// Nobody waits any longer: nobody wants the future.
    pub(super) deserted: bool,
}

impl<T: Clone> Party<T> {
    pub(super) const fn new() -> Self {
        Self { members: BTreeMap::new(), next_ticket: 0, future: Future::Asleep }
    }

    /// Adds a member.
    pub(super) fn join(&mut self) -> u64 {
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        self.members.insert(ticket, Member::Waiting(None));
        ticket
    }

    /// There is a new future.
    pub(super) const fn begin(&mut self) {
        self.future = Future::Woken;
    }

    /// A member is polled.
    pub(super) fn turn(&mut self, ticket: u64, waker: &Waker) -> Turn<T> {
        let parked = Turn::Park { replaced: None };
        let Entry::Occupied(mut entry) = self.members.entry(ticket) else { return parked };
        let replaced = match entry.get_mut() {
            Member::Waiting(Some(old)) if old.will_wake(waker) => None,
            Member::Waiting(slot) => slot.replace(waker.clone()),
            Member::Answered(_) => {
                let Member::Answered(answer) = entry.remove() else { return parked };
                return Turn::Answered(answer);
            }
        };
        match self.future {
            Future::Woken => {
                self.future = Future::Polled;
                Turn::Drive { replaced }
            }
            Future::Asleep | Future::Polled | Future::PolledAndWoken => Turn::Park { replaced },
        }
    }

    /// The future was woken. Returns whom to wake.
    #[must_use]
    pub(super) fn wake(&mut self) -> Vec<Waker> {
        self.future = match self.future {
            Future::Polled | Future::PolledAndWoken => Future::PolledAndWoken,
            Future::Asleep | Future::Woken => Future::Woken,
        };
        self.wakers()
    }

    /// A member polled the future, which is not done. Returns whom to wake.
    #[must_use]
    pub(super) fn pending(&mut self) -> Vec<Waker> {
        if self.future == Future::PolledAndWoken {
            self.future = Future::Woken;
            return self.wakers();
        }
        self.future = Future::Asleep;
        Vec::new()
    }

    /// The future is done, and everybody has the answer. Returns whom to wake.
    #[must_use]
    pub(super) fn answer(&mut self, answer: &T) -> Vec<Waker> {
        self.future = Future::Asleep;
        let wakers = self.wakers();
        for member in self.members.values_mut() {
            if let Member::Waiting(_) = member {
                *member = Member::Answered(answer.clone());
            }
        }
        wakers
    }

    /// A member leaves, with or without its answer.
    pub(super) fn leave(&mut self, ticket: u64) -> Left {
        let Some(Member::Waiting(waker)) = self.members.remove(&ticket) else {
            return Left { waker: None, deserted: false };
        };
        let is_waiting = |member: &Member<T>| matches!(member, Member::Waiting(_));
        let deserted = !self.members.values().any(is_waiting);
        Left { waker, deserted }
    }

    #[cfg(test)]
    pub(super) fn signature(&self) -> String {
        let member = |member: &Member<T>| match member {
            Member::Answered(_) => 'a',
            Member::Waiting(None) => 'w',
            Member::Waiting(Some(_)) => 'p',
        };
        let mut members: Vec<char> = self.members.values().map(member).collect();
        members.sort_unstable();
        format!("{:?} {members:?}", self.future)
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    fn wakers(&mut self) -> Vec<Waker> {
        let waker = |member: &mut Member<T>| match member {
            Member::Waiting(waker) => waker.take(),
            Member::Answered(_) => None,
        };
        self.members.values_mut().filter_map(waker).collect()
    }
}

#[cfg(test)]
mod tests;
