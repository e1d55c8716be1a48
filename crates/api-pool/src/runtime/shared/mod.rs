//! Executions that several callers share.

mod execution;
mod registry;
mod wakers;

pub(super) use registry::Registry;
