//! Who may run now: a pure queue, and the shell that parks and wakes its waiters.

mod class;
mod free;
mod machine;
mod outcome;
mod slab;
mod slot;

pub use class::QueueClass;
pub(crate) use slab::{Key, Slab};
pub(crate) use slot::{Permit, QueueError, SlotLimits, Slots};
