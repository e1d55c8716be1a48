//! Credentials: where tokens come from, and the single refresh that everybody waits for.
//!
//! A call asks [`Credentials::ready`] before each attempt, holding nothing, and tells
//! [`CallAuth::answered`] how the server took what it got.

mod credentials;
mod echo;
mod failure;
mod party;
mod replay;
mod scope;
mod shared;
mod slot;
mod source;

pub(crate) use credentials::{Credential, Credentials};
pub(crate) use echo::{Cut, Secrets};
pub(crate) use failure::AuthFailure;
pub(crate) use replay::CallAuth;
pub(crate) use slot::Generation;
#[cfg(feature = "anyhow")]
pub(crate) use source::from_refresher;
#[cfg(feature = "anyhow")]
pub use source::{AuthFuture, AuthRefresher};
pub use source::{BearerSource, Token, TokenError, TokenSource};
