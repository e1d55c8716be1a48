//! Every public item an application written for this interface uses, compiled
//! and run against recorded answers.

#![expect(clippy::unwrap_used, reason = "a test's helper fails the test")]

mod api;
mod conditions;
mod config;
mod counts;
mod http_request;
mod logging;
mod names;
mod request;
mod response;
mod support;
mod vista;
mod windows;
mod yaml;
