//! Who may run now: a pure queue, and the shell that parks and wakes its waiters.

mod class;

pub use class::QueueClass;
