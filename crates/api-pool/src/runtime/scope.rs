//! Scopes: calls that end together.

use core::fmt;
use std::sync::Arc;

use super::{
    RequestRuntime, RunError, RunOptions, attempts::Asynchronous, blocking::Blocking,
    disposal::Disposal, owner::Owner,
};

/// Owns the calls that run through it, and ends them when it is disposed of or dropped.
///
/// A view that is closed, a request that is answered, a job that is abandoned: whatever starts
/// calls it will not wait for keeps them in a scope. Their slots come from the runtime's groups,
/// like those of all other calls.
///
/// # Examples
///
/// ```
/// use api_pool::{RequestRuntime, RunOptions};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let runtime = RequestRuntime::builder("shop").build()?;
/// let scope = runtime.scope();
/// let search = scope.run(RunOptions::new(), || async {
///     std::future::pending::<Result<(), std::io::Error>>().await
/// });
/// drop(scope);
/// assert!(search.await.unwrap_err().is_disposed());
/// # Ok(())
/// # }
/// ```
pub struct RequestScope {
    runtime: RequestRuntime,
    disposal: Arc<Disposal>,
}

impl RequestScope {
    pub(super) fn new(runtime: RequestRuntime) -> Self {
        Self { runtime, disposal: Arc::default() }
    }

    /// As [`RequestRuntime::run`], ended by this scope as well.
    ///
    /// # Errors
    ///
    /// As [`RequestRuntime::run`]; [`RunError::Disposed`] if this scope is disposed of first.
    ///
    /// # Cancel safety
    ///
    /// As [`RequestRuntime::run`].
    pub fn run<T, E, F, Fut>(
        &self,
        options: RunOptions<E>,
        operation: F,
    ) -> impl Future<Output = Result<T, RunError<E>>> + use<T, E, F, Fut>
    where
        F: FnMut() -> Fut,
        Fut: Future<Output = Result<T, E>>,
    {
        self.owner().drive(options, Asynchronous(operation))
    }

    /// As [`RequestRuntime::run_blocking`], ended by this scope as well.
    ///
    /// # Errors
    ///
    /// As [`RequestRuntime::run_blocking`]; [`RunError::Disposed`] if this scope is disposed of
    /// first.
    ///
    /// # Panics
    ///
    /// Polled outside of a Tokio runtime.
    ///
    /// # Cancel safety
    ///
    /// As [`RequestRuntime::run_blocking`].
    pub fn run_blocking<T, E, F>(
        &self,
        options: RunOptions<E>,
        operation: F,
    ) -> impl Future<Output = Result<T, RunError<E>>> + use<T, E, F>
    where
        F: FnMut() -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: Send + 'static,
    {
        self.owner().drive(options, Blocking::new(operation))
    }

    /// As [`RequestRuntime::shared`]. When this scope ends, its caller leaves; the execution goes
    /// on for the others.
    ///
    /// # Errors
    ///
    /// As [`RequestRuntime::shared_with`]; [`RunError::Disposed`] if this scope is disposed of
    /// first.
    ///
    /// # Cancel safety
    ///
    /// As [`RequestRuntime::shared_with`].
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

    /// As [`RequestRuntime::shared_with`]. When this scope ends, its caller leaves; the execution
    /// goes on for the others.
    ///
    /// # Errors
    ///
    /// As [`RequestRuntime::shared_with`]; [`RunError::Disposed`] if this scope is disposed of
    /// first.
    ///
    /// # Cancel safety
    ///
    /// As [`RequestRuntime::shared_with`].
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

    /// The runtime that this scope was opened on.
    #[must_use]
    pub fn runtime(&self) -> &RequestRuntime {
        &self.runtime
    }

    /// Ends everything that this scope owns: what waits does not start, what runs is dropped, and
    /// every call, also a later one, ends with [`Disposed`](super::Disposed).
    ///
    /// Work that [`run_blocking`](Self::run_blocking) has started goes on to its end, unseen.
    pub fn dispose(&self) {
        self.disposal.dispose();
    }

    /// Whether [`dispose`](Self::dispose) has been called on this scope or on its runtime.
    #[must_use]
    pub fn is_disposed(&self) -> bool {
        self.owner().is_disposed()
    }

    fn owner(&self) -> Owner {
        Owner::new(Arc::clone(&self.runtime.core), Some(Arc::clone(&self.disposal)))
    }
}

impl Drop for RequestScope {
    fn drop(&mut self) {
        self.dispose();
    }
}

impl fmt::Debug for RequestScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestScope")
            .field("runtime", &self.runtime)
            .field("disposed", &self.is_disposed())
            .finish()
    }
}
