//! Every public item that applications are written against is where they look
//! for it, has the shape they use, and does what it says. What is sent to an
//! endpoint is tested in `wire`.

mod api;
mod conditions;
mod names;
mod select;
mod types;
mod vista;

/// `T` can be shared between threads.
fn shared<T: Send + Sync>() {}

/// `T` can be copied and shown.
fn value<T: Clone + std::fmt::Debug + Send + Sync>() {}
