//! How a server is set up.

use core::num::NonZeroUsize;
use std::time::Duration;

use crate::{faults::FaultPlan, tokens::TokenRules};

/// How long a token or a cursor is good: for a number of requests, for a time, or both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lifetime {
    requests: Option<u64>,
    time: Option<Duration>,
}

impl Lifetime {
    /// Never ends.
    #[must_use]
    pub const fn unlimited() -> Self {
        Self { requests: None, time: None }
    }

    /// Ends after so many requests.
    #[must_use]
    pub const fn requests(requests: u64) -> Self {
        Self { requests: Some(requests), time: None }
    }

    /// Ends after this time.
    #[must_use]
    pub const fn time(time: Duration) -> Self {
        Self { requests: None, time: Some(time) }
    }

    /// Ends after so many requests, or earlier by the other limit.
    #[must_use]
    pub const fn with_requests(self, requests: u64) -> Self {
        Self { requests: Some(requests), ..self }
    }

    /// Ends after this time, or earlier by the other limit.
    #[must_use]
    pub const fn with_time(self, time: Duration) -> Self {
        Self { time: Some(time), ..self }
    }

    /// Whether one more request is covered after so many, at this age.
    pub(crate) fn covers(&self, requests: u64, age: Duration) -> bool {
        self.requests.is_none_or(|limit| requests < limit) && self.time.is_none_or(|end| age < end)
    }

    pub(crate) fn longest(&self) -> Option<Duration> {
        self.time
    }
}

/// The answer to a cursor that has expired.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExpiredCursor {
    /// 410 Gone.
    #[default]
    Gone,
    /// 500, like a server whose look-up broke.
    ServerError,
}

/// Where the server tells the total number of rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Totals {
    /// In the `X-Total-Count` header and, as `total`, in every envelope.
    #[default]
    Everywhere,
    /// In the `X-Total-Count` header only.
    Header,
    /// Nowhere.
    Nowhere,
}

/// A server's settings.
///
/// # Examples
///
/// ```
/// use demo_api::{Config, FaultPlan, Lifetime, TokenRules};
///
/// let config = Config::new()
///     .faults("503@#1-3; reset@2%".parse::<FaultPlan>().unwrap().with_seed(7))
///     .tokens(TokenRules::required(Lifetime::requests(20)));
/// ```
#[derive(Clone, Debug)]
pub struct Config {
    pub(crate) port: u16,
    pub(crate) seed: u64,
    pub(crate) faults: FaultPlan,
    pub(crate) tokens: TokenRules,
    pub(crate) paging: Paging,
    pub(crate) totals: Totals,
    pub(crate) cursors: Lifetime,
    pub(crate) expired_cursor: ExpiredCursor,
}

/// The names and limits of paging.
#[derive(Clone, Debug)]
pub(crate) struct Paging {
    pub(crate) page: String,
    pub(crate) limit: String,
    pub(crate) skip: String,
    pub(crate) default_size: usize,
    pub(crate) max_size: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            port: 0,
            seed: 0,
            faults: FaultPlan::new(0),
            tokens: TokenRules::open(),
            paging: Paging {
                page: "_page".to_owned(),
                limit: "_limit".to_owned(),
                skip: "_skip".to_owned(),
                default_size: 30,
                max_size: 500,
            },
            totals: Totals::Everywhere,
            cursors: Lifetime::unlimited(),
            expired_cursor: ExpiredCursor::Gone,
        }
    }
}

impl Config {
    /// The defaults: a free port, no faults, no tokens.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Listens on this port of 127.0.0.1. Default: 0, which takes a free one.
    #[must_use]
    pub fn port(self, port: u16) -> Self {
        Self { port, ..self }
    }

    /// Seeds the texts of tokens and cursors. Default: 0. The fault plan has a seed of its own.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Fails requests by this plan. Default: none fails.
    #[must_use]
    pub fn faults(self, faults: FaultPlan) -> Self {
        Self { faults, ..self }
    }

    /// Sets who may read. Default: [`TokenRules::open`].
    #[must_use]
    pub fn tokens(self, tokens: TokenRules) -> Self {
        Self { tokens, ..self }
    }

    /// Names the parameter of the 1-based page. Default: `_page`.
    #[must_use]
    pub fn page_param(mut self, name: impl Into<String>) -> Self {
        self.paging.page = name.into();
        self
    }

    /// Names the parameter of the page size. Default: `_limit`.
    #[must_use]
    pub fn limit_param(mut self, name: impl Into<String>) -> Self {
        self.paging.limit = name.into();
        self
    }

    /// Names the parameter of the number of rows to skip. Default: `_skip`.
    #[must_use]
    pub fn skip_param(mut self, name: impl Into<String>) -> Self {
        self.paging.skip = name.into();
        self
    }

    /// Answers so many rows where no size is asked for. Default: 30.
    #[must_use]
    pub fn default_page_size(mut self, rows: NonZeroUsize) -> Self {
        self.paging.default_size = rows.get();
        self
    }

    /// Never answers more rows than this, whatever is asked for. Default: 500.
    #[must_use]
    pub fn max_page_size(mut self, rows: NonZeroUsize) -> Self {
        self.paging.max_size = rows.get();
        self
    }

    /// Sets where totals are told. Default: [`Totals::Everywhere`].
    #[must_use]
    pub fn totals(self, totals: Totals) -> Self {
        Self { totals, ..self }
    }

    /// Lets cursors expire; the requests counted are those with a cursor. Default: never.
    #[must_use]
    pub fn cursor_lifetime(self, cursors: Lifetime) -> Self {
        Self { cursors, ..self }
    }

    /// Sets the answer to an expired cursor. Default: [`ExpiredCursor::Gone`].
    #[must_use]
    pub fn expired_cursor(self, expired_cursor: ExpiredCursor) -> Self {
        Self { expired_cursor, ..self }
    }
}
