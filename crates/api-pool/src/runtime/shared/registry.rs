//! The executions that are going on, by key.

use core::{
    any::Any,
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};
use std::{collections::HashMap, sync::Arc};

use super::{
    execution::{Execution, Progress},
    waits::{Id, Wait},
    wakers::Seat,
};
use crate::sync::{Mutex, lock};

/// Executions that have not ended, each with the number of its callers.
///
/// An entry goes before its execution ends, so one that is found here can be joined.
#[derive(Default)]
pub(in crate::runtime) struct Registry {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    entries: HashMap<Arc<str>, Vec<Entry>>,
}

struct Entry {
    id: Id,
    callers: usize,
    execution: Arc<dyn Cancel>,
}

/// An execution of whatever type.
trait Cancel: Any + Send + Sync {
    fn cancel(&self);
}

impl<T: Send + Sync + 'static> Cancel for Execution<T> {
    fn cancel(&self) {
        Self::cancel(self);
    }
}

impl Registry {
    /// Joins the execution of `key` whose result is a `T`, or starts it. `None` if the current task
    /// is driving one that the execution waits for.
    pub(in crate::runtime) fn join<T, Fut>(
        self: &Arc<Self>,
        key: Arc<str>,
        start: impl FnOnce() -> Fut,
    ) -> Option<Joined<T>>
    where
        T: Send + Sync + 'static,
        Fut: Future<Output = T> + Send + 'static,
    {
        let mut inner = lock(&self.inner);
        let entries = inner.entries.entry(Arc::clone(&key)).or_default();
        let found = entries.iter_mut().find_map(|entry| {
            let execution: Arc<dyn Any + Send + Sync> = Arc::clone(&entry.execution) as _;
            Some((execution.downcast::<Execution<T>>().ok()?, entry))
        });
        let (id, wait, execution) = match found {
            Some((execution, entry)) => {
                let wait = Wait::begin(entry.id)?;
                entry.callers += 1;
                (entry.id, wait, execution)
            }
            None => {
                let id = Id::new();
                let wait = Wait::begin(id)?;
                let execution = Arc::new(Execution::new(id.scope(start())));
                let erased = Arc::clone(&execution) as Arc<dyn Cancel>;
                entries.push(Entry { id, callers: 1, execution: erased });
                (id, wait, execution)
            }
        };
        drop(inner);
        let registry = Arc::clone(self);
        Some(Joined { registry, key, id, execution, seat: Seat::default(), _wait: wait })
    }

    /// Cancels the executions of `key`; says how many there were.
    pub(in crate::runtime) fn cancel(&self, key: &str) -> usize {
        let entries = lock(&self.inner).entries.remove(key).unwrap_or_default();
        entries.iter().for_each(|entry| entry.execution.cancel());
        entries.len()
    }

    /// Takes an execution out that has ended.
    fn end(&self, key: &str, id: Id) {
        drop(lock(&self.inner).remove_if(key, id, |_| true));
    }

    /// Takes a caller off an execution, which is cancelled if it was the last.
    fn leave(&self, key: &str, id: Id) {
        let last = lock(&self.inner).remove_if(key, id, |entry| {
            entry.callers = entry.callers.saturating_sub(1);
            entry.callers == 0
        });
        if let Some(entry) = last {
            entry.execution.cancel();
        }
    }
}

impl Inner {
    fn remove_if(
        &mut self,
        key: &str,
        id: Id,
        condition: impl FnOnce(&mut Entry) -> bool,
    ) -> Option<Entry> {
        let entries = self.entries.get_mut(key)?;
        let at = entries.iter().position(|entry| entry.id == id)?;
        if !entries.get_mut(at).is_some_and(condition) {
            return None;
        }
        let entry = entries.swap_remove(at);
        if entries.is_empty() {
            self.entries.remove(key);
        }
        Some(entry)
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Keys may hold secrets.
        f.debug_struct("Registry").finish_non_exhaustive()
    }
}

/// A caller of an execution. Completes with its result, or with `None` if it is cancelled.
pub(in crate::runtime) struct Joined<T> {
    registry: Arc<Registry>,
    key: Arc<str>,
    id: Id,
    execution: Arc<Execution<T>>,
    seat: Seat,
    _wait: Wait,
}

impl<T: Clone> Future for Joined<T> {
    type Output = Option<T>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<T>> {
        let Self { registry, key, id, execution, seat, .. } = self.get_mut();
        match execution.poll(seat, cx, || registry.end(key, *id)) {
            Progress::Pending => Poll::Pending,
            Progress::Ended(result) => Poll::Ready(result.map(Arc::unwrap_or_clone)),
        }
    }
}

impl<T> Drop for Joined<T> {
    fn drop(&mut self) {
        self.execution.leave(&mut self.seat);
        self.registry.leave(&self.key, self.id);
    }
}
