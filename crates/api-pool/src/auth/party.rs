//! Those who wait for one piece of work that any of them may poll.

use std::task::Waker;

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
    places: Vec<Place<T>>,
    /// The places that nobody has.
    vacant: Vec<usize>,
    waiting: usize,
    joined: u64,
    future: Future,
}

/// Names one member, also once it has left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ticket {
    place: usize,
    /// A place is another's later.
    number: u64,
}

#[derive(Debug)]
struct Place<T> {
    number: u64,
    member: Option<Member<T>>,
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
        Self {
            places: Vec::new(),
            vacant: Vec::new(),
            waiting: 0,
            joined: 0,
            future: Future::Asleep,
        }
    }

    /// Adds a member.
    pub(super) fn join(&mut self) -> Ticket {
        let number = self.joined;
        self.joined += 1;
        self.waiting += 1;
        let taken = Place { number, member: Some(Member::Waiting(None)) };
        if let Some(place) = self.vacant.pop()
            && let Some(vacant) = self.places.get_mut(place)
        {
            *vacant = taken;
            return Ticket { place, number };
        }
        self.places.push(taken);
        Ticket { place: self.places.len() - 1, number }
    }

    /// There is a new future.
    pub(super) const fn begin(&mut self) {
        self.future = Future::Woken;
    }

    /// A member is polled.
    pub(super) fn turn(&mut self, ticket: Ticket, waker: &Waker) -> Turn<T> {
        let replaced = match self.place(ticket).and_then(|place| place.member.as_mut()) {
            Some(Member::Waiting(Some(old))) if old.will_wake(waker) => None,
            Some(Member::Waiting(slot)) => slot.replace(waker.clone()),
            Some(Member::Answered(_)) | None => {
                return match self.take(ticket) {
                    Some(Member::Answered(answer)) => Turn::Answered(answer),
                    Some(Member::Waiting(_)) | None => Turn::Park { replaced: None },
                };
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
        for member in self.members() {
            if let Member::Waiting(_) = member {
                *member = Member::Answered(answer.clone());
            }
        }
        self.waiting = 0;
        wakers
    }

    /// A member leaves, with or without its answer.
    pub(super) fn leave(&mut self, ticket: Ticket) -> Left {
        let Some(Member::Waiting(waker)) = self.take(ticket) else {
            return Left { waker: None, deserted: false };
        };
        self.waiting -= 1;
        Left { waker, deserted: self.waiting == 0 }
    }

    #[cfg(test)]
    pub(super) fn signature(&self) -> String {
        let member = |member: &Member<T>| match member {
            Member::Answered(_) => 'a',
            Member::Waiting(None) => 'w',
            Member::Waiting(Some(_)) => 'p',
        };
        let members = self.places.iter().filter_map(|place| place.member.as_ref());
        let mut members: Vec<char> = members.map(member).collect();
        members.sort_unstable();
        format!("{:?} {members:?}", self.future)
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    fn place(&mut self, ticket: Ticket) -> Option<&mut Place<T>> {
        self.places.get_mut(ticket.place).filter(|place| place.number == ticket.number)
    }

    /// Frees the place of a member, and when all are free, their memory.
    fn take(&mut self, ticket: Ticket) -> Option<Member<T>> {
        let member = self.place(ticket)?.member.take()?;
        self.vacant.push(ticket.place);
        if self.vacant.len() == self.places.len() {
            (self.places, self.vacant) = (Vec::new(), Vec::new());
        }
        Some(member)
    }

    fn members(&mut self) -> impl Iterator<Item = &mut Member<T>> {
        self.places.iter_mut().filter_map(|place| place.member.as_mut())
    }

    fn wakers(&mut self) -> Vec<Waker> {
        let waker = |member: &mut Member<T>| match member {
            Member::Waiting(waker) => waker.take(),
            Member::Answered(_) => None,
        };
        self.members().filter_map(waker).collect()
    }
}

#[cfg(test)]
mod tests;
