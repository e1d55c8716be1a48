//! One call, as the retry loop sees it.

use std::sync::Arc;

use super::{
    diagnostics::Call,
    error::{Disposed, RunError},
    owner::{Draw, Owner},
    repeats::Repeats,
};
use crate::{
    executor::{Roundtrip, Step},
    queue::{Permit, QueueClass, QueueError, Slots},
};

/// What an attempt does once it has a slot.
pub(super) trait Work {
    type Output;
    type Error;

    /// Does the work. `permit` is given back when it has really ended.
    fn perform(
        &mut self,
        permit: Permit,
    ) -> impl Future<Output = Result<Self::Output, RunError<Self::Error>>>;
}

/// The attempts of one call.
pub(super) struct Attempts<W: Work> {
    pub(super) owner: Owner,
    /// Counts the call, from its first attempt to its end.
    pub(super) call: Option<Call>,
    pub(super) slots: Arc<Slots>,
    pub(super) class: QueueClass,
    pub(super) repeats: Repeats<W::Error>,
    pub(super) draw: Draw,
    pub(super) work: W,
}

impl<W: Work> Attempts<W> {
    /// Runs one attempt.
    pub(super) async fn attempt(mut self) -> (Self, Result<W::Output, RunError<W::Error>>) {
        let result = self.perform().await;
        (self, result)
    }

    async fn perform(&mut self) -> Result<W::Output, RunError<W::Error>> {
        self.call.get_or_insert_with(|| self.owner.begin_call());
        let permit = self.slots.acquire_owned(self.class).await?;
        // The scope may have gone while this task was running, after it last looked.
        if self.owner.is_disposed() {
            return Err(RunError::Disposed(Disposed));
        }
        self.work.perform(permit).await
    }
}

impl<W: Work> Roundtrip for Attempts<W> {
    type Output = W::Output;
    type Error = RunError<W::Error>;

    fn decide(&mut self, error: RunError<W::Error>) -> Step<RunError<W::Error>> {
        let wait = match &error {
            RunError::Failed(error) => self.repeats.after(error, &mut self.draw),
            _ => None,
        };
        wait.map_or(Step::Stop(error), Step::After)
    }
}

impl<E> From<QueueError> for RunError<E> {
    fn from(error: QueueError) -> Self {
        match error {
            QueueError::Closed => Self::Disposed(Disposed),
            QueueError::Full { limit } => Self::QueueFull { limit },
            QueueError::Timeout { limit } => Self::QueueTimeout { limit },
        }
    }
}

/// Work that a future does.
pub(super) struct Asynchronous<F>(pub(super) F);

impl<T, E, F, Fut> Work for Asynchronous<F>
where
    F: FnMut() -> Fut,
    Fut: Future<Output = Result<T, E>>,
{
    type Output = T;
    type Error = E;

    async fn perform(&mut self, permit: Permit) -> Result<T, RunError<E>> {
        let result = (self.0)().await;
        drop(permit);
        result.map_err(RunError::Failed)
    }
}
