//! Groups: slots by name.

use core::fmt;
use std::{collections::BTreeMap, sync::Arc};

use super::diagnostics::GroupDiagnostics;
use crate::queue::{QueueClass, SlotLimits, Slots};

/// The name of the group for calls that name none.
pub(super) const DEFAULT: &str = "default";

/// A handle of the slots of one group of a [`RequestRuntime`](super::RequestRuntime).
///
/// Give it to a client's [`group`](crate::ResilientClientBuilder::group) setting, and its attempts take their slots from the group: HTTP calls and
/// other work then share one limit. Clones are handles of the same slots.
///
/// # Examples
///
/// ```
/// use api_pool::RequestRuntime;
///
/// let runtime = RequestRuntime::builder("shop").group("search", 2).build()?;
/// let group = runtime.group("search");
/// assert_eq!((group.name(), group.active(), group.pending()), ("search", 0, 0));
/// # Ok::<_, api_pool::RuntimeBuildError>(())
/// ```
#[derive(Clone)]
pub struct QueueGroup {
    name: Arc<str>,
    slots: Arc<Slots>,
}

impl QueueGroup {
    pub(super) fn new(name: Arc<str>, limits: SlotLimits) -> Self {
        Self { name, slots: Slots::new(limits) }
    }

    /// The group's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Attempts that hold one of the group's slots.
    #[must_use]
    pub fn active(&self) -> usize {
        self.slots.in_flight()
    }

    /// Attempts that wait for one of the group's slots.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.slots.waiting()
    }

    /// Attempts of one class that wait for one of the group's slots.
    #[must_use]
    pub fn pending_in(&self, class: QueueClass) -> usize {
        self.slots.waiting_in(class)
    }

    pub(super) fn slots(&self) -> &Arc<Slots> {
        &self.slots
    }

    pub(crate) fn into_slots(self) -> Arc<Slots> {
        self.slots
    }

    fn diagnostics(&self) -> GroupDiagnostics {
        GroupDiagnostics::new(Arc::clone(&self.name), self.active(), self.pending())
    }
}

impl fmt::Debug for QueueGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueueGroup")
            .field("name", &self.name)
            .field("limit", &self.slots.limit())
            .field("active", &self.active())
            .field("pending", &self.pending())
            .finish_non_exhaustive()
    }
}

/// All groups of a runtime.
#[derive(Debug)]
pub(super) struct Groups {
    default: QueueGroup,
    named: BTreeMap<Arc<str>, QueueGroup>,
}

impl Groups {
    pub(super) fn new(default: QueueGroup, named: BTreeMap<Arc<str>, QueueGroup>) -> Self {
        Self { default, named }
    }

    /// The group of this name; the default group for no name, or for one that does not exist.
    pub(super) fn get(&self, name: Option<&str>) -> &QueueGroup {
        name.and_then(|name| self.named.get(name)).unwrap_or(&self.default)
    }

    pub(super) fn close(&self) {
        self.all().for_each(|group| group.slots.close());
    }

    pub(super) fn diagnostics(&self) -> Vec<GroupDiagnostics> {
        self.all().map(QueueGroup::diagnostics).collect()
    }

    fn all(&self) -> impl Iterator<Item = &QueueGroup> {
        core::iter::once(&self.default).chain(self.named.values())
    }
}
