//! Counts of what runs and what waits.

use std::sync::Arc;

use crate::sync::atomic::{AtomicUsize, Ordering};

/// What a runtime is doing: names of groups, and numbers.
///
/// No key, address, payload or credential can get in here. The numbers are read one after the
/// other; calls that start or end meanwhile may be counted in one and not in another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuntimeDiagnostics {
    groups: Vec<GroupDiagnostics>,
    calls: usize,
}

impl RuntimeDiagnostics {
    pub(super) fn new(groups: Vec<GroupDiagnostics>, calls: usize) -> Self {
        Self { groups, calls }
    }

    /// Attempts that hold a slot, in all groups.
    #[must_use]
    pub fn active(&self) -> usize {
        self.groups.iter().map(GroupDiagnostics::active).sum()
    }

    /// Attempts that wait for a slot, in all groups.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.groups.iter().map(GroupDiagnostics::pending).sum()
    }

    /// Calls that have begun and not ended: at work, waiting for a slot, or for their next retry.
    ///
    /// A shared execution is one call. Work that goes on after its caller was answered (see
    /// [`run_blocking`](super::RequestRuntime::run_blocking)) is an active attempt without a call.
    #[must_use]
    pub const fn calls(&self) -> usize {
        self.calls
    }

    /// The groups, the default one first, the others in order of their names.
    #[must_use]
    pub fn groups(&self) -> &[GroupDiagnostics] {
        &self.groups
    }

    /// The group of this name.
    #[must_use]
    pub fn group(&self, name: &str) -> Option<&GroupDiagnostics> {
        self.groups.iter().find(|group| group.name() == name)
    }
}

/// What one group is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupDiagnostics {
    name: Arc<str>,
    active: usize,
    pending: usize,
}

impl GroupDiagnostics {
    pub(super) fn new(name: Arc<str>, active: usize, pending: usize) -> Self {
        Self { name, active, pending }
    }

    /// The group's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Attempts that hold one of the group's slots.
    #[must_use]
    pub const fn active(&self) -> usize {
        self.active
    }

    /// Attempts that wait for one of the group's slots.
    #[must_use]
    pub const fn pending(&self) -> usize {
        self.pending
    }
}

/// Counts the calls that have begun and not ended.
#[derive(Debug, Default)]
pub(super) struct Calls(AtomicUsize);

impl Calls {
    pub(super) fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// Counts a call until the guard is dropped.
    pub(super) fn begin(self: &Arc<Self>) -> Call {
        self.0.fetch_add(1, Ordering::Relaxed);
        Call(Arc::clone(self))
    }
}

/// One call, counted until it is dropped.
#[derive(Debug)]
pub(super) struct Call(Arc<Calls>);

impl Drop for Call {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}
