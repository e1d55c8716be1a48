//! The client: one per remote API.
