//! Work that blocks its thread.

use tokio::task::{JoinHandle, spawn_blocking};

use super::{attempts::Work, error::RunError};
use crate::queue::Permit;

/// Work that a thread of Tokio's blocking pool does.
pub(super) struct Blocking<F> {
    /// `None` while an attempt has it.
    operation: Option<F>,
}

impl<F> Blocking<F> {
    pub(super) const fn new(operation: F) -> Self {
        Self { operation: Some(operation) }
    }
}

impl<T, E, F> Work for Blocking<F>
where
    F: FnMut() -> Result<T, E> + Send + 'static,
    T: Send + 'static,
    E: Send + 'static,
{
    type Output = T;
    type Error = E;

    async fn perform(&mut self, permit: Permit) -> Result<T, RunError<E>> {
        let Some(mut operation) = self.operation.take() else { return Err(RunError::Cancelled) };
        let mut running = Running(spawn_blocking(move || {
            let result = operation();
            // Here, where the work has ended, whether or not anyone waits for it.
            drop(permit);
            (operation, result)
        }));
        match (&mut running.0).await {
            Ok((operation, result)) => {
                self.operation = Some(operation);
                result.map_err(RunError::Failed)
            }
            Err(error) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(_shutdown) => Err(RunError::Cancelled),
            },
        }
    }
}

/// Work on another thread, called off when dropped unless it has started.
struct Running<T>(JoinHandle<T>);

impl<T> Drop for Running<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
