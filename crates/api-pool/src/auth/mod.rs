//! Credentials: where tokens come from, and the single refresh they share.
