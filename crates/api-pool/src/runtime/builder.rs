//! How a runtime is configured.

use core::{fmt, num::NonZeroUsize};
use std::{collections::BTreeMap, sync::Arc, time::Duration};

use super::{
    Core, RequestRuntime,
    diagnostics::Calls,
    disposal::Disposal,
    group::{DEFAULT, Groups, QueueGroup},
    owner::Random,
    shared::Registry,
};
use crate::queue::SlotLimits;

/// Configures a [`RequestRuntime`]. Start with [`RequestRuntime::builder`].
///
/// Nothing set means: one group, named `default`, without any limit.
///
/// # Examples
///
/// ```
/// use api_pool::RequestRuntime;
///
/// let runtime = RequestRuntime::builder("shop")
///     .max_concurrent_requests(8)
///     .group("search", 2)
///     .group("images", 4)
///     .build()?;
/// assert_eq!(runtime.application_id(), "shop");
/// # Ok::<_, api_pool::RuntimeBuildError>(())
/// ```
#[derive(Debug)]
#[must_use = "a builder does nothing until it is built"]
pub struct RequestRuntimeBuilder {
    application_id: Arc<str>,
    max_concurrent_requests: Option<usize>,
    default_concurrency: Option<usize>,
    groups: BTreeMap<Arc<str>, usize>,
    max_waiting: Option<usize>,
    max_wait: Option<Duration>,
    random: Random,
}

impl RequestRuntimeBuilder {
    pub(super) fn new(application_id: Arc<str>) -> Self {
        Self {
            application_id,
            max_concurrent_requests: None,
            default_concurrency: None,
            groups: BTreeMap::new(),
            max_waiting: None,
            max_wait: None,
            random: Random::default(),
        }
    }

    /// Limits the attempts at a time in the default group, unless
    /// [`default_concurrency`](Self::default_concurrency) is set. Default: no limit.
    pub fn max_concurrent_requests(self, attempts: usize) -> Self {
        Self { max_concurrent_requests: Some(attempts), ..self }
    }

    /// Limits the attempts at a time in the default group. Default:
    /// [`max_concurrent_requests`](Self::max_concurrent_requests).
    ///
    /// Calls that name no group, or one that does not exist, use the default group.
    pub fn default_concurrency(self, attempts: usize) -> Self {
        Self { default_concurrency: Some(attempts), ..self }
    }

    /// Adds a group with slots of its own, which no other group can take.
    ///
    /// A name given twice gets the later limit. `"default"` is another way to set
    /// [`default_concurrency`](Self::default_concurrency).
    pub fn group(mut self, name: impl Into<Arc<str>>, attempts: usize) -> Self {
        let name = name.into();
        if &*name == DEFAULT {
            return self.default_concurrency(attempts);
        }
        self.groups.insert(name, attempts);
        self
    }

    /// Limits how many attempts may wait in each group; the one too many ends with
    /// [`RunError::QueueFull`](super::RunError::QueueFull). Default: no limit. 0: nobody waits.
    pub fn max_waiting(self, attempts: usize) -> Self {
        Self { max_waiting: Some(attempts), ..self }
    }

    /// Limits how long an attempt may wait for its slot; it then ends with
    /// [`RunError::QueueTimeout`](super::RunError::QueueTimeout). Default: no limit.
    pub fn max_wait(self, wait: Duration) -> Self {
        Self { max_wait: Some(wait), ..self }
    }

    /// Draws the jitter of the built-in retry delay from `source`, which gives numbers in [0, 1).
    ///
    /// With a source that always gives 0.5, the built-in delays are exactly half of their bounds.
    /// Numbers outside of the range count as the nearest in it. Default: a generator for each
    /// call, seeded by the operating system.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use api_pool::{RequestRuntime, RunOptions};
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let runtime = RequestRuntime::builder("test").retry_random(|| 0.5).build()?;
    /// let began = tokio::time::Instant::now();
    /// let options = RunOptions::new().retry(2);
    /// let failed = runtime.run(options, || async { Err::<(), _>("offline") }).await;
    /// assert!(failed.is_err());
    /// assert_eq!(began.elapsed(), Duration::from_millis(500 + 1_000));
    /// # Ok(())
    /// # }
    /// ```
    pub fn retry_random(self, source: impl Fn() -> f64 + Send + Sync + 'static) -> Self {
        Self { random: Random::injected(source), ..self }
    }

    /// Builds the runtime. Opens no connection and spawns no task.
    ///
    /// # Errors
    ///
    /// [`RuntimeBuildError`] if a group has a limit of zero, in which nothing could ever run.
    pub fn build(self) -> Result<RequestRuntime, RuntimeBuildError> {
        let Self {
            application_id,
            max_concurrent_requests,
            default_concurrency,
            groups,
            max_waiting,
            max_wait,
            random,
        } = self;
        let slots = |name: Arc<str>, limit| {
            QueueGroup::new(name, SlotLimits { limit, max_waiting, max_wait })
        };
        let max = nonzero(max_concurrent_requests, "max_concurrent_requests")?;
        let default = nonzero(default_concurrency, "default_concurrency")?;
        let default = slots(Arc::from(DEFAULT), default.or(max));
        let named = groups
            .into_iter()
            .map(|(name, limit)| {
                let limit = nonzero(Some(limit), &name)?;
                Ok((Arc::clone(&name), slots(name, limit)))
            })
            .collect::<Result<_, RuntimeBuildError>>()?;
        Ok(RequestRuntime {
            core: Arc::new(Core {
                application_id,
                groups: Groups::new(default, named),
                random,
                calls: Arc::new(Calls::default()),
                disposal: Disposal::default(),
                shared: Arc::new(Registry::default()),
            }),
        })
    }
}

/// A limit of zero, in which nothing could ever run.
///
/// # Examples
///
/// ```
/// use api_pool::RequestRuntime;
///
/// let error = RequestRuntime::builder("shop").group("search", 0).build().unwrap_err();
/// assert_eq!(error.to_string(), "the limit `search` is 0, so nothing could ever run");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct RuntimeBuildError {
    setting: Box<str>,
}

impl RuntimeBuildError {
    /// The setting: the name of a group, or of a builder's method.
    #[must_use]
    pub fn setting(&self) -> &str {
        &self.setting
    }
}

impl fmt::Display for RuntimeBuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the limit `{}` is 0, so nothing could ever run", self.setting)
    }
}

impl fmt::Debug for RuntimeBuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RuntimeBuildError").field("setting", &self.setting).finish_non_exhaustive()
    }
}

impl std::error::Error for RuntimeBuildError {}

fn nonzero(limit: Option<usize>, setting: &str) -> Result<Option<NonZeroUsize>, RuntimeBuildError> {
    let zero = || RuntimeBuildError { setting: setting.into() };
    limit.map(|limit| NonZeroUsize::new(limit).ok_or_else(zero)).transpose()
}
