//! retry-core
