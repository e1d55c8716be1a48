//! What the queue answers.

use super::slab::Key;

/// A waiter's place. Used up by a claim that gets a slot, and by cancelling.
#[derive(Debug, PartialEq, Eq)]
#[cfg_attr(test, derive(Clone))]
pub(super) struct Place(pub(super) Key);

/// What [`Queue::take`](super::machine::Queue::take) found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// A slot, now the caller's.
    Slot,
    /// No free slot.
    Nothing,
    /// The queue is closed.
    Closed,
}

/// What [`Queue::enqueue`](super::machine::Queue::enqueue) did.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Entered {
    /// There was a free slot, now the caller's.
    Slot,
    /// The caller waits here.
    Waiting(Place),
}

/// Why [`Queue::enqueue`](super::machine::Queue::enqueue) let nobody in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// As many wait as may.
    Full { limit: usize },
    /// The queue is closed.
    Closed,
}

/// What [`Queue::claim`](super::machine::Queue::claim) found.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Claimed<W> {
    /// A slot, now the caller's; the place is gone.
    Slot,
    /// Still waiting; what had been parked before is handed back.
    Waiting(Place, Option<W>),
    /// The queue is closed; the place is gone.
    Closed,
}

/// What [`Queue::cancel`](super::machine::Queue::cancel) hands back.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Cancelled<W> {
    /// What the leaver had parked.
    pub(super) left: Option<W>,
    /// What the waiter had parked that got the leaver's slot.
    pub(super) granted: Option<W>,
}
