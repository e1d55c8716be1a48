//! The primitives that a model checker replaces: `std`'s, or loom's under `cfg(pool_loom)`.

#[cfg(pool_loom)]
pub(crate) use loom::sync::{Mutex, MutexGuard, atomic};
#[cfg(not(pool_loom))]
pub(crate) use std::sync::{Mutex, MutexGuard, atomic};

use std::sync::PoisonError;

/// Locks, ignoring poison: every critical section of this crate leaves its machine valid, and
/// observers run outside of all of them.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
