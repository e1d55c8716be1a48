#![doc = include_str!("../README.md")]

mod args;
mod clock;
mod config;
mod connection;
mod cursor;
mod data;
mod faults;
mod graphql;
mod inject;
mod mix;
mod paging;
mod query;
mod routes;
mod server;
mod shape;
mod shared;
mod stats;
mod tokens;

pub use crate::{
    args::{ArgsError, USAGE},
    config::{Config, ExpiredCursor, Lifetime, Totals},
    data::{Row, airports, flights},
    faults::{Fault, FaultPlan, ParseFaultError, Refusal, Rule, Share},
    server::DemoServer,
    stats::{Outcome, Stats},
    tokens::{Rotation, TokenRules},
};
