//! What a client tells its observer.

use std::time::Duration;

use crate::breaker::Transition;
use crate::error::ClientError;

/// One thing that happened to a call, in the order in which it happened.
///
/// Every [`Started`](Self::Started) is followed by exactly one of
/// [`Succeeded`](Self::Succeeded), [`Failed`](Self::Failed) and [`Cancelled`](Self::Cancelled).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum TransportEvent {
    /// The breaker closed again.
    BreakerClosed,
    /// The breaker opened, or stayed open because its probe failed.
    #[non_exhaustive]
    BreakerOpened {
        /// How long it stays open before the next probe.
        cooldown: Duration,
    },
    /// The call was dropped between the start of an attempt and its end.
    Cancelled,
    /// An attempt failed. The last one of a call equals the error that the call returns.
    #[non_exhaustive]
    Failed {
        /// Why.
        error: ClientError,
        /// Milliseconds from sending to the response head, or to the failure without one. For
        /// [`ErrorKind::Auth`](crate::ErrorKind::Auth), which nothing was sent for, what the token
        /// source itself took to fail.
        ms: u64,
    },
    /// The next attempt starts after a wait.
    #[non_exhaustive]
    RetryScheduled {
        /// The wait, jitter included.
        after: Duration,
        /// Which retry this is, counting from 1.
        attempt: usize,
    },
    /// An adapter decoded rows.
    #[non_exhaustive]
    RowsPulled {
        /// How many.
        n: usize,
    },
    /// An attempt starts. Reported too before an attempt that fails without being sent.
    Started,
    /// An attempt succeeded.
    #[non_exhaustive]
    Succeeded {
        /// The response's status code, 2xx.
        status: u16,
        /// Milliseconds from sending to the response head.
        ms: u64,
        /// The response's `Content-Length`, where it has one.
        bytes: Option<u64>,
    },
    /// An adapter changed something on the server.
    WritePushed,
}

impl TransportEvent {
    /// A [`BreakerOpened`](Self::BreakerOpened).
    #[must_use]
    pub const fn breaker_opened(cooldown: Duration) -> Self {
        Self::BreakerOpened { cooldown }
    }

    /// A [`Failed`](Self::Failed).
    #[must_use]
    pub const fn failed(error: ClientError, ms: u64) -> Self {
        Self::Failed { error, ms }
    }

    /// A [`RetryScheduled`](Self::RetryScheduled).
    #[must_use]
    pub const fn retry_scheduled(after: Duration, attempt: usize) -> Self {
        Self::RetryScheduled { after, attempt }
    }

    /// A [`RowsPulled`](Self::RowsPulled).
    #[must_use]
    pub const fn rows_pulled(n: usize) -> Self {
        Self::RowsPulled { n }
    }

    /// A [`Succeeded`](Self::Succeeded).
    #[must_use]
    pub const fn succeeded(status: u16, ms: u64, bytes: Option<u64>) -> Self {
        Self::Succeeded { status, ms, bytes }
    }
}

impl From<Transition> for TransportEvent {
    fn from(transition: Transition) -> Self {
        match transition {
            Transition::Opened { cooldown } => Self::BreakerOpened { cooldown },
            Transition::Closed => Self::BreakerClosed,
        }
    }
}

/// Where a call waited before an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WaitStage {
    /// At the breaker: shut, or releasing its line at a pace after a recovery.
    Gate,
    /// For a credential that is being fetched.
    Credential,
    /// For the rate limit.
    RateToken,
    /// For a free slot.
    Slot,
}
