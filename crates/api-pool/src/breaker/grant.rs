//! What the gate is asked, and what it answers.

use std::time::{Duration, Instant};

use super::{
    BreakerMode,
    epoch::Epoch,
    line::{Rank, Seat},
    pacing::Generation,
};
use crate::queue::QueueClass;

/// Who asks to enter.
#[derive(Debug)]
pub(crate) struct Ask {
    pub(super) mode: BreakerMode,
    pub(super) class: QueueClass,
    pub(super) lease: Duration,
    pub(super) rank: Rank,
    pub(super) seat: Option<Seat>,
}

impl Ask {
    /// Somebody who is to have `lease` as the probe.
    pub(crate) const fn new(mode: BreakerMode, class: QueueClass, lease: Duration) -> Self {
        Self { mode, class, lease, rank: Rank::Caller, seat: None }
    }

    /// The same, for the token that others wait for.
    pub(crate) const fn for_token(self) -> Self {
        Self { rank: Rank::Token, class: QueueClass::Essential, ..self }
    }

    /// The same, with the seat that an earlier refusal gave.
    pub(crate) fn again(self, seat: Option<Seat>) -> Self {
        Self { seat, ..self }
    }
}

/// The answer to somebody who asks.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Entry {
    Called(Call),
    Wait(Seat),
}

/// The answer to somebody who waits.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Turn {
    Called(Call),
    /// Keep waiting. The keeper of the time sleeps until the instant given, others until woken.
    Wait {
        sleep_until: Option<Instant>,
    },
}

/// What ends the waiting.
#[derive(Debug, PartialEq, Eq)]
#[cfg_attr(test, derive(Clone))]
pub(super) enum Call {
    Go(Grant),
    /// The breaker is shut, and this caller does not wait for a probe.
    Shut,
}

/// The leave to go on to the slot, where it is looked at again.
#[derive(Debug, PartialEq, Eq)]
#[cfg_attr(test, derive(Clone))]
pub(super) enum Grant {
    /// Found the gate open.
    Free { epoch: Epoch },
    /// Was released after the service came back.
    Released { epoch: Epoch, seat: Seat },
    /// Fetches the token that the candidate, or somebody who was released, waits for.
    Token { epoch: Epoch, seat: Seat },
    /// Is to probe.
    Candidate { epoch: Epoch, seat: Seat },
}

/// What an attempt on its way to the server needs to settle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ticket {
    pub(super) epoch: Epoch,
    pub(super) role: Role,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Plain,
    Paced(Generation),
    Probe,
}
