//! The plan: a seed, and rules that say which requests fail.

use core::ops::{Range, RangeInclusive};
use std::time::Duration;

use super::fault::Fault;
use crate::{mix::mix, routes};

/// The whole, in parts per million.
const WHOLE: u32 = 1_000_000;

/// A part of all requests, exact to one in a million.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share(u32);

impl Share {
    /// So many of a hundred requests; more than 100 means all.
    #[must_use]
    pub const fn percent(percent: u32) -> Self {
        Self::per_million(percent.saturating_mul(WHOLE / 100))
    }

    /// So many of a million requests; more than a million means all.
    #[must_use]
    pub const fn per_million(parts: u32) -> Self {
        Self(if parts < WHOLE { parts } else { WHOLE })
    }

    /// The share in parts per million.
    #[must_use]
    pub const fn as_per_million(self) -> u32 {
        self.0
    }
}

/// When a rule strikes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum When {
    /// From one moment to before another, counted from the plan's installation.
    During(Range<Duration>),
    /// These requests, the first one being number 1.
    Requests(RangeInclusive<u64>),
    /// This part of all requests, drawn from the seed.
    Share(Share),
}

/// One fault, and when it strikes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    pub(super) fault: Fault,
    pub(super) when: When,
    pub(super) under: Option<String>,
}

impl Rule {
    fn new(fault: Fault, when: When) -> Self {
        Self { fault, when, under: None }
    }

    /// Strikes every request that arrives in this window after the plan was installed.
    #[must_use]
    pub fn during(window: Range<Duration>, fault: Fault) -> Self {
        Self::new(fault, When::During(window))
    }

    /// Strikes the requests with these numbers; the first after the installation is number 1.
    #[must_use]
    pub fn requests(numbers: RangeInclusive<u64>, fault: Fault) -> Self {
        Self::new(fault, When::Requests(numbers))
    }

    /// Strikes this share of all requests, chosen by the seed.
    #[must_use]
    pub fn share(share: Share, fault: Fault) -> Self {
        Self::new(fault, When::Share(share))
    }

    /// Strikes only requests whose path begins like this.
    ///
    /// Without it a rule concerns every path but `/token` and `/stats`. `/stats` never fails.
    #[must_use]
    pub fn under(self, path: impl Into<String>) -> Self {
        Self { under: Some(path.into()), ..self }
    }

    fn concerns(&self, path: &str) -> bool {
        match &self.under {
            None => path != routes::TOKEN_PATH,
            Some(prefix) => path.starts_with(prefix.as_str()),
        }
    }
}

/// Decides the fate of each request from its number, its time and a seed: pure, hence repeatable.
///
/// Rules with a window of time or of numbers are asked first, in order; the first that applies
/// decides. Then one number is drawn for the request, and the shares divide it among themselves:
/// two rules of 5 % each make 10 % of faulty requests, never one request with two faults.
///
/// A plan can be written as text; see the README for the spelling.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use demo_api::{Fault, FaultPlan, Rule, Share};
///
/// let plan = FaultPlan::new(7)
///     .with(Rule::requests(1..=3, Fault::status(503)))
///     .with(Rule::share(Share::percent(5), Fault::Reset));
/// assert_eq!(plan.decide("/airports", 3, Duration::ZERO), Some(Fault::status(503)));
/// assert_eq!(plan, "503@#1-3; reset@5%".parse::<FaultPlan>().unwrap().with_seed(7));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultPlan {
    pub(super) seed: u64,
    pub(super) rules: Vec<Rule>,
}

impl FaultPlan {
    /// A plan without rules: nothing fails.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { seed, rules: Vec::new() }
    }

    /// The same rules with another seed.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Adds a rule after those there are.
    #[must_use]
    pub fn with(mut self, rule: Rule) -> Self {
        self.rules.push(rule);
        self
    }

    /// What happens to request `number` (from 1) for `path`, `elapsed` after the installation.
    ///
    /// [`Fault::ServerError`] is resolved to the status it stands for.
    #[must_use]
    pub fn decide(&self, path: &str, number: u64, elapsed: Duration) -> Option<Fault> {
        let draw = mix(self.seed ^ mix(number));
        let rules = || self.rules.iter().filter(|rule| rule.concerns(path));
        let window = rules().find(|rule| match &rule.when {
            When::During(window) => window.contains(&elapsed),
            When::Requests(numbers) => numbers.contains(&number),
            When::Share(_) => false,
        });
        let struck = window.or_else(|| {
            let mut point = part_per_million(draw);
            rules().find(|rule| {
                let When::Share(Share(parts)) = rule.when else { return false };
                let hit = point < parts;
                point = point.saturating_sub(parts);
                hit
            })
        })?;
        Some(match &struck.fault {
            Fault::ServerError => Fault::status(match mix(draw) % 4 {
                0 => 500,
                1 => 502,
                2 => 503,
                _ => 504,
            }),
            fault => fault.clone(),
        })
    }
}

/// Scales 64 random bits to [0, 1,000,000).
fn part_per_million(bits: u64) -> u32 {
    let scaled = (u128::from(bits) * u128::from(WHOLE)) >> 64;
    u32::try_from(scaled).unwrap_or(WHOLE - 1)
}
