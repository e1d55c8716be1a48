//! Executions that several callers share.

mod execution;
mod registry;
mod waits;
mod wakers;

use std::sync::Arc;

pub(super) use registry::Registry;

use super::{RequestRuntime, RunError, RunOptions};

impl RequestRuntime {
    /// Runs `operation` once for all who ask for `key` at the same time, in the default group and
    /// without retries.
    ///
    /// See [`shared_with`](Self::shared_with).
    ///
    /// # Errors
    ///
    /// As [`shared_with`](Self::shared_with).
    ///
    /// # Cancel safety
    ///
    /// As [`shared_with`](Self::shared_with).
    ///
    /// # Examples
    ///
    /// ```
    /// use api_pool::RequestRuntime;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let runtime = RequestRuntime::builder("shop").build()?;
    /// let rate = || runtime.shared("eur-usd", || async {
    ///     tokio::task::yield_now().await;
    ///     Ok::<_, std::io::Error>(108)
    /// });
    /// let (one, other) = tokio::join!(rate(), rate()); // one execution
    /// assert_eq!(one?, other?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn shared<K, T, E, F, Fut>(
        &self,
        key: K,
        operation: F,
    ) -> impl Future<Output = Result<T, RunError<Arc<E>>>> + Send + use<K, T, E, F, Fut>
    where
        K: Into<Arc<str>> + Send,
        T: Clone + Send + Sync + 'static,
        E: Send + Sync + 'static,
        F: FnMut() -> Fut + Send + 'static,
        Fut: Future<Output = Result<T, E>> + Send + 'static,
    {
        self.shared_with(key, RunOptions::new(), operation)
    }

    /// Runs `operation` once for all who ask for `key` at the same time.
    ///
    /// The first caller's operation and options are used; who comes while they run shares the
    /// result, and who comes after they have ended starts anew. Callers share only with callers
    /// of the same result and error types. The execution has a slot and retries of its own: it
    /// counts as one call however many share it, and belongs to the runtime, not to a scope.
    ///
    /// The key is compared and never shown: it may hold an address or a secret.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run), with the error shared as well. [`RunError::Cancelled`] if
    /// [`cancel_shared`](Self::cancel_shared) ended the execution, or if the operation panicked
    /// while another caller was driving it, which alone gets the panic. [`RunError::Recursive`]
    /// if an execution asks, in its own task, for itself or for one that waits for it.
    ///
    /// # Cancel safety
    ///
    /// A caller that drops its future leaves; the others do not notice. When the last one leaves,
    /// the execution is cancelled as [`run`](Self::run) is.
    pub fn shared_with<K, T, E, F, Fut>(
        &self,
        key: K,
        options: RunOptions<E>,
        operation: F,
    ) -> impl Future<Output = Result<T, RunError<Arc<E>>>> + Send + use<K, T, E, F, Fut>
    where
        K: Into<Arc<str>> + Send,
        T: Clone + Send + Sync + 'static,
        E: Send + Sync + 'static,
        F: FnMut() -> Fut + Send + 'static,
        Fut: Future<Output = Result<T, E>> + Send + 'static,
    {
        self.owner().share(key, options, operation)
    }

    /// Cancels the shared executions of `key`, for all their callers.
    ///
    /// Returns how many there were: one for each combination of result and error types.
    pub fn cancel_shared(&self, key: &str) -> usize {
        self.core.shared.cancel(key)
    }
}

#[cfg(test)]
mod tests;
