//! From a tree of values to settings, and what the settings owe each other.

use std::num::NonZeroUsize;
use std::time::Duration;

use retry_core::duration_text;

use super::PoolConfig;
use super::error::ConfigError;
use super::node::Node;
use super::preset::Preset;
use super::section::{Part, Section};
use super::settings::{BreakerSettings, BudgetSettings, RateSettings, RetrySettings, Switch};

const ROOT: &[&str] = &[
    "preset",
    "max_parallel",
    "max_waiting",
    "max_wait",
    "request_timeout",
    "max_body_bytes",
    "retry",
    "breaker",
    "rate",
    "retry_budget",
];
const RETRY: &[&str] = &["max_retries", "base_backoff", "max_backoff"];
const BREAKER: &[&str] = &["threshold", "cooldown", "max_cooldown"];
const RATE: &[&str] = &["per_second", "burst"];
const BUDGET: &[&str] = &["percent", "reserve"];

const COUNT: &str = "a whole number from 0";
const SMALL_COUNT: &str = "a whole number from 0 to 4294967295";

pub(super) fn settings(node: Node) -> Result<PoolConfig, ConfigError> {
    let mut root = Section::root(node, ROOT)?;
    let preset = root.take("preset").word(Preset::EXPECTED, Preset::named)?;
    let base = preset.map(Preset::config).unwrap_or_default();
    let config = PoolConfig {
        max_parallel: root.take("max_parallel").size()?.or(base.max_parallel),
        max_waiting: root.take("max_waiting").limit()?.or(base.max_waiting),
        max_wait: root.take("max_wait").duration()?.or(base.max_wait),
        request_timeout: root.take("request_timeout").pause()?.or(base.request_timeout),
        max_body_bytes: root.take("max_body_bytes").size()?.or(base.max_body_bytes),
        retry: retry(&mut root, base.retry)?,
        breaker: switch(&mut root, "breaker", BREAKER, base.breaker, breaker)?,
        rate: switch(&mut root, "rate", RATE, base.rate, rate)?,
        retry_budget: switch(&mut root, "retry_budget", BUDGET, base.retry_budget, budget)?,
    };
    check(&config)?;
    Ok(config)
}

/// A client always has a policy of retries: off is one without any.
fn retry(
    root: &mut Section,
    base: Option<RetrySettings>,
) -> Result<Option<RetrySettings>, ConfigError> {
    let found =
        switch(root, "retry", RETRY, base.map_or(Switch::Unset, Switch::On), |table, base| {
            let base = base.on_or(RetrySettings::DEFAULT);
            Ok(RetrySettings {
                max_retries: table.take("max_retries").count(COUNT)?.unwrap_or(base.max_retries),
                base_backoff: table.take("base_backoff").pause()?.unwrap_or(base.base_backoff),
                max_backoff: table.take("max_backoff").pause()?.unwrap_or(base.max_backoff),
            })
        })?;
    Ok(match found {
        Switch::On(settings) => Some(settings),
        Switch::Off => Some(RetrySettings { max_retries: 0, ..RetrySettings::DEFAULT }),
        Switch::Unset => None,
    })
}

fn breaker(
    table: &mut Section,
    base: Switch<BreakerSettings>,
) -> Result<BreakerSettings, ConfigError> {
    let base = base.on_or(BreakerSettings::standard());
    Ok(BreakerSettings {
        threshold: table.take("threshold").threshold()?.unwrap_or(base.threshold),
        cooldown: table.take("cooldown").pause()?.unwrap_or(base.cooldown),
        max_cooldown: table.take("max_cooldown").pause()?.unwrap_or(base.max_cooldown),
    })
}

fn rate(table: &mut Section, base: Switch<RateSettings>) -> Result<RateSettings, ConfigError> {
    let (per_second, burst) = (table.take("per_second"), table.take("burst").size()?);
    let settings = match (per_second.rate()?, base) {
        (Ok(per_second), _) => RateSettings { per_second, burst: whole(per_second) },
        (Err(_), Switch::On(base)) => base,
        (Err(missing), Switch::Off | Switch::Unset) => return Err(missing),
    };
    Ok(RateSettings { burst: burst.unwrap_or(settings.burst), ..settings })
}

/// As many as a second brings, rounded up.
fn whole(per_second: f64) -> NonZeroUsize {
    NonZeroUsize::new(per_second.ceil() as usize).unwrap_or(NonZeroUsize::MIN)
}

fn budget(
    table: &mut Section,
    base: Switch<BudgetSettings>,
) -> Result<BudgetSettings, ConfigError> {
    let base = base.on_or(BudgetSettings { percent: 20, reserve: 10 });
    Ok(BudgetSettings {
        percent: table.take("percent").count(SMALL_COUNT)?.unwrap_or(base.percent),
        reserve: table.take("reserve").count(SMALL_COUNT)?.unwrap_or(base.reserve),
    })
}

/// A part that may be absent or off.
fn switch<T>(
    root: &mut Section,
    name: &'static str,
    known: &'static [&'static str],
    base: Switch<T>,
    read: impl FnOnce(&mut Section, Switch<T>) -> Result<T, ConfigError>,
) -> Result<Switch<T>, ConfigError> {
    match root.take(name).part(known)? {
        Part::Absent => Ok(base),
        Part::Off => Ok(Switch::Off),
        Part::Table(mut table) => read(&mut table, base).map(Switch::On),
    }
}

/// Settings that are fine alone and not together.
fn check(config: &PoolConfig) -> Result<(), ConfigError> {
    if let Some(retry) = config.retry {
        ordered("retry.base_backoff", retry.base_backoff, "retry.max_backoff", retry.max_backoff)?;
    }
    if let Switch::On(breaker) = config.breaker {
        let (base, max) = (breaker.cooldown, breaker.max_cooldown);
        ordered("breaker.cooldown", base, "breaker.max_cooldown", max)?;
    }
    if let (Some(0), Some(wait)) = (config.max_waiting, config.max_wait) {
        let value = duration_text::display(wait).to_string();
        let expected = "left out where `max_waiting` is `0`: nothing waits";
        return Err(ConfigError::wrong("max_wait".to_owned(), &value, expected));
    }
    Ok(())
}

fn ordered(
    path: &str,
    value: Duration,
    limit_path: &str,
    limit: Duration,
) -> Result<(), ConfigError> {
    if value <= limit {
        return Ok(());
    }
    let (value, limit) = (duration_text::display(value), duration_text::display(limit));
    let expected = format!("at most `{limit_path}`, which is `{limit}`");
    Err(ConfigError::wrong(path.to_owned(), &value.to_string(), expected))
}
