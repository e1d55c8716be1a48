//! The request runtime: groups of slots, retries and cancellation for any asynchronous work.

mod attempts;
mod blocking;
mod builder;
mod diagnostics;
mod disposal;
mod error;
mod group;
mod options;
mod owned;
mod owner;
mod repeats;
mod scope;
mod shared;

use core::fmt;
use std::sync::Arc;

pub use builder::{RequestRuntimeBuilder, RuntimeBuildError};
pub use diagnostics::{GroupDiagnostics, RuntimeDiagnostics};
pub use error::{Disposed, RunError};
pub use group::QueueGroup;
pub use options::RunOptions;
pub use scope::RequestScope;

use crate::runtime::{
    attempts::Asynchronous,
    blocking::Blocking,
    diagnostics::Calls,
    disposal::Disposal,
    group::Groups,
    owner::{Owner, Random},
    shared::Registry,
};

/// Runs any asynchronous work in groups of slots, with retries, cancellation and a look inside.
///
/// Every call belongs to a group, which says how many attempts may run at a time; the others wait
/// in order of arrival. The limit is on *attempts*: a call that waits for its next retry holds no
/// slot, and its retry joins the end of the line. Clones are handles of the same runtime.
///
/// Nothing is spawned: calls run where their futures are polled, and dropping a future cancels
/// the call, in line, at work or between two attempts. Only [`run_blocking`](Self::run_blocking)
/// uses other threads, those of Tokio's blocking pool, one for each of its running attempts.
///
/// # Examples
///
/// ```
/// use api_pool::{RequestRuntime, RunOptions};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let runtime = RequestRuntime::builder("shop")
///     .max_concurrent_requests(5)
///     .group("search", 2)
///     .build()?;
///
/// let found = runtime
///     .run(RunOptions::new().group("search").retry(3), || async {
///         Ok::<_, std::io::Error>(["lamp", "light"])
///     })
///     .await?;
/// assert_eq!(found.len(), 2);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct RequestRuntime {
    core: Arc<Core>,
}

/// What all handles of a runtime share.
#[derive(Debug)]
struct Core {
    application_id: Arc<str>,
    groups: Groups,
    random: Random,
    calls: Arc<Calls>,
    disposal: Disposal,
    shared: Arc<Registry>,
}

impl RequestRuntime {
    /// Starts to configure a runtime.
    ///
    /// `application_id` names the application in logs and in [`Debug`](fmt::Debug) output.
    pub fn builder(application_id: impl Into<Arc<str>>) -> RequestRuntimeBuilder {
        RequestRuntimeBuilder::new(application_id.into())
    }

    /// The name that the builder was given.
    #[must_use]
    pub fn application_id(&self) -> &str {
        &self.core.application_id
    }

    /// Runs `operation`, again after a failure where `options` say so.
    ///
    /// `operation` is called afresh for each attempt, when the attempt has got its slot. The slot
    /// is given back when the attempt ends, before the wait for a retry.
    ///
    /// The future borrows neither the runtime nor the options, so it can be given to a task.
    ///
    /// # Errors
    ///
    /// * [`RunError::Failed`] with the error of the last attempt, once no repeat is left.
    /// * [`RunError::Disposed`] if the runtime is disposed of first.
    /// * [`RunError::QueueFull`] and [`RunError::QueueTimeout`] where the builder set such a bound.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future before it completes cancels the call: a waiting attempt leaves the
    /// line and `operation` is not called; a running one is dropped and its slot goes to the next
    /// in line; during the wait for a retry there is nothing to undo.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::{io, time::Duration};
    /// use api_pool::{RequestRuntime, RunError, RunOptions};
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let runtime = RequestRuntime::builder("shop").build()?;
    /// let options = RunOptions::new().retry(2).retry_delay(Duration::from_secs(3));
    /// let mut calls = 0;
    /// let result = runtime
    ///     .run(options, || {
    ///         calls += 1;
    ///         async { Err::<(), _>(io::Error::other("offline")) }
    ///     })
    ///     .await;
    /// assert!(matches!(result, Err(RunError::Failed(error)) if error.to_string() == "offline"));
    /// assert_eq!(calls, 3); // the first, and two repeats
    /// # Ok(())
    /// # }
    /// ```
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

    /// Runs work that blocks its thread, such as a call of a blocking HTTP client.
    ///
    /// Each attempt runs on a thread of Tokio's blocking pool. Such work cannot be interrupted:
    /// when the call is cancelled or disposed of, its caller is answered at once, but the slot
    /// stays taken until the work has really ended, and its result is thrown away. So the limit
    /// of the group always holds for what is really going on.
    ///
    /// A panic of `operation` is resumed in the caller.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run). [`RunError::Cancelled`] if Tokio's runtime shuts down before the
    /// work has started.
    ///
    /// # Panics
    ///
    /// Polled outside of a Tokio runtime.
    ///
    /// # Cancel safety
    ///
    /// As [`run`](Self::run), except that a running attempt goes on to its end.
    ///
    /// # Examples
    ///
    /// ```
    /// use api_pool::{RequestRuntime, RunOptions};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let runtime = RequestRuntime::builder("shop").group("files", 2).build()?;
    /// let manifest = runtime
    ///     .run_blocking(RunOptions::new().group("files"), || std::fs::read_to_string("Cargo.toml"))
    ///     .await?;
    /// assert!(manifest.contains("[package]"));
    /// # Ok(())
    /// # }
    /// ```
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

    /// Opens a scope: what runs through it ends with it.
    #[must_use]
    pub fn scope(&self) -> RequestScope {
        RequestScope::new(self.clone())
    }

    /// The slots of a group, for another client to take its slots from as well.
    ///
    /// A name that the builder was not given, and `"default"`, mean the default group.
    #[must_use]
    pub fn group(&self, name: &str) -> QueueGroup {
        self.core.groups.get(Some(name)).clone()
    }

    /// Ends everything that this runtime owns: what waits does not start, what runs is dropped,
    /// and every call, also a later one, ends with [`Disposed`].
    ///
    /// Work that [`run_blocking`](Self::run_blocking) has started goes on to its end, unseen.
    /// Clients that share a [group](Self::group) get no slot any more.
    pub fn dispose(&self) {
        self.core.disposal.dispose();
        self.core.groups.close();
    }

    /// Whether [`dispose`](Self::dispose) has been called.
    #[must_use]
    pub fn is_disposed(&self) -> bool {
        self.core.disposal.is_disposed()
    }

    /// Counts what runs and what waits, now.
    ///
    /// # Examples
    ///
    /// ```
    /// use api_pool::RequestRuntime;
    ///
    /// let runtime = RequestRuntime::builder("shop").group("search", 2).build()?;
    /// let now = runtime.diagnostics();
    /// assert_eq!((now.active(), now.pending(), now.calls()), (0, 0, 0));
    /// let names: Vec<_> = now.groups().iter().map(|group| group.name()).collect();
    /// assert_eq!(names, ["default", "search"]);
    /// # Ok::<_, api_pool::RuntimeBuildError>(())
    /// ```
    #[must_use]
    pub fn diagnostics(&self) -> RuntimeDiagnostics {
        RuntimeDiagnostics::new(self.core.groups.diagnostics(), self.core.calls.count())
    }

    fn owner(&self) -> Owner {
        Owner::new(Arc::clone(&self.core), None)
    }
}

impl fmt::Debug for RequestRuntime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestRuntime")
            .field("application_id", &self.core.application_id)
            .field("diagnostics", &self.diagnostics())
            .finish_non_exhaustive()
    }
}
