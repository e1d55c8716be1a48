#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod auth;
mod error;
mod failure;
mod header;
mod priority;
mod quoted;
mod redact;
mod settings;
mod text;

pub use crate::{
    auth::{Auth, Authorization},
    error::{log_failure, request_error},
    failure::{FailureKind, RequestFailure},
    header::request_headers,
    priority::{current_policy, policy_for},
    redact::{RedactedUrl, Redaction},
    settings::TransportSettings,
    text::snippet,
};
