#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod failure;
mod header;
mod quoted;
mod redact;
mod text;

pub use crate::{
    failure::{FailureKind, RequestFailure},
    header::request_headers,
    redact::{RedactedUrl, Redaction},
    text::snippet,
};
