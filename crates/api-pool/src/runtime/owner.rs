//! Who a call belongs to, and what ends it early.

use core::fmt;
use std::sync::Arc;

use retry_core::{DefaultEntropy, Entropy, UnitEntropy};

use super::{
    Core, RunOptions,
    attempts::{Asynchronous, Attempts, Work},
    diagnostics::Call,
    disposal::Disposal,
    error::{Disposed, RunError},
    owned::Owned,
    repeats::Repeats,
};
use crate::executor::execute_roundtrips;

/// A runtime, and the scope inside it if there is one.
#[derive(Clone)]
pub(super) struct Owner {
    core: Arc<Core>,
    scope: Option<Arc<Disposal>>,
}

impl Owner {
    pub(super) fn new(core: Arc<Core>, scope: Option<Arc<Disposal>>) -> Self {
        Self { core, scope }
    }

    pub(super) fn is_disposed(&self) -> bool {
        self.core.disposal.is_disposed()
            || self.scope.as_ref().is_some_and(|scope| scope.is_disposed())
    }

    /// Counts a call.
    pub(super) fn begin_call(&self) -> Call {
        self.core.calls.begin()
    }

    /// Runs a call to its end, or until its owner is disposed of.
    pub(super) fn drive<W: Work>(
        self,
        options: RunOptions<W::Error>,
        work: W,
    ) -> impl Future<Output = Result<W::Output, RunError<W::Error>>> {
        let RunOptions { group, class, rules } = options;
        let attempts = Attempts {
            owner: self.clone(),
            call: None,
            slots: Arc::clone(self.core.groups.get(group.as_deref()).slots()),
            class,
            repeats: Repeats::new(rules),
            draw: self.core.random.draw(),
            work,
        };
        Owned::new(self.disposed(), execute_roundtrips(attempts, Attempts::attempt))
    }

    /// Joins, or starts, the execution of `key`.
    pub(super) async fn share<K, T, E, F, Fut>(
        self,
        key: K,
        options: RunOptions<E>,
        operation: F,
    ) -> Result<T, RunError<Arc<E>>>
    where
        K: Into<Arc<str>>,
        T: Clone + Send + Sync + 'static,
        E: Send + Sync + 'static,
        F: FnMut() -> Fut + Send + 'static,
        Fut: Future<Output = Result<T, E>> + Send + 'static,
    {
        if self.is_disposed() {
            return Err(RunError::Disposed(Disposed));
        }
        let runtime = Self::new(Arc::clone(&self.core), None);
        let execution = self.core.shared.join(key.into(), || async {
            let result = runtime.drive(options, Asynchronous(operation)).await;
            result.map_err(|error| error.map(Arc::new))
        });
        let execution = execution.ok_or(RunError::Recursive)?;
        let joined = async { execution.await.unwrap_or(Err(RunError::Cancelled)) };
        Owned::new(self.disposed(), joined).await
    }

    /// Completes when the scope or the runtime is disposed of.
    async fn disposed(self) {
        let runtime = self.core.disposal.disposed();
        match &self.scope {
            None => runtime.await,
            Some(scope) => tokio::select! {
                biased;
                () = runtime => (),
                () = scope.disposed() => (),
            },
        }
    }
}

/// Where the jitter of a runtime's retries comes from.
#[derive(Clone, Default)]
pub(super) enum Random {
    #[default]
    System,
    Injected(Arc<dyn Fn() -> f64 + Send + Sync>),
}

impl Random {
    pub(super) fn injected(source: impl Fn() -> f64 + Send + Sync + 'static) -> Self {
        Self::Injected(Arc::new(source))
    }

    fn draw(&self) -> Draw {
        match self {
            Self::System => Draw::System(DefaultEntropy::new()),
            Self::Injected(source) => Draw::Injected(Arc::clone(source)),
        }
    }
}

impl fmt::Debug for Random {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::System => "System",
            Self::Injected(_) => "Injected",
        })
    }
}

/// The randomness of one call.
pub(super) enum Draw {
    System(DefaultEntropy),
    Injected(Arc<dyn Fn() -> f64 + Send + Sync>),
}

impl Entropy for Draw {
    fn next_u64(&mut self) -> u64 {
        match self {
            Self::System(entropy) => entropy.next_u64(),
            Self::Injected(source) => UnitEntropy::new(|| source()).next_u64(),
        }
    }
}
