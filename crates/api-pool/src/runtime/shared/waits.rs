//! Which execution waits for which, so that none comes to wait for itself.

use core::future::Future;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

tokio::task_local! {
    /// The innermost execution that the current task is driving.
    static DRIVEN: Id;
}

/// For each execution, those that wait for it, once for each time that they do.
///
/// Of all runtimes, since the executions of several may wait for each other in turn. Callers that
/// are no executions are not here.
static WAITING: Mutex<BTreeMap<Id, Vec<Id>>> = Mutex::new(BTreeMap::new());

/// Tells an execution from all others that ever were.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Id(u64);

impl Id {
    pub(super) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    /// Runs `future` as this execution, in whichever task it is polled.
    pub(super) fn scope<F: Future>(self, future: F) -> impl Future<Output = F::Output> {
        DRIVEN.scope(self, future)
    }
}

/// A wait for an execution, by the one that the current task is driving, if it is driving one.
#[derive(Debug)]
pub(super) struct Wait {
    by: Option<Id>,
    on: Id,
}

impl Wait {
    /// Begins to wait. `None` if the one to wait for waits for the one that would wait, or is it:
    /// neither would ever end, and each would keep the other.
    pub(super) fn begin(on: Id) -> Option<Self> {
        let by = DRIVEN.try_with(|&driven| driven).ok();
        if let Some(by) = by {
            let mut waiting = waiting();
            if waits(&waiting, on, by) {
                return None;
            }
            waiting.entry(on).or_default().push(by);
        }
        Some(Self { by, on })
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        let Some(by) = self.by else { return };
        let mut waiting = waiting();
        let Some(waits) = waiting.get_mut(&self.on) else { return };
        if let Some(at) = waits.iter().position(|&id| id == by) {
            waits.swap_remove(at);
        }
        if waits.is_empty() {
            waiting.remove(&self.on);
        }
    }
}

/// Whether `who` is `on`, or waits for it, itself or through others.
fn waits(waiting: &BTreeMap<Id, Vec<Id>>, who: Id, on: Id) -> bool {
    let (mut seen, mut open) = (BTreeSet::new(), vec![on]);
    while let Some(id) = open.pop() {
        if id == who {
            return true;
        }
        if seen.insert(id) {
            open.extend(waiting.get(&id).into_iter().flatten());
        }
    }
    false
}

fn waiting() -> MutexGuard<'static, BTreeMap<Id, Vec<Id>>> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}
