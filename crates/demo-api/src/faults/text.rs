//! The spelling of a plan: `503@2s-6s; 429@5% retry-after="2"; reset@#7`.

use core::{fmt, iter::Peekable, str::Chars, str::FromStr};
use std::{error::Error, time::Duration};

use axum::http::StatusCode;

use super::{
    fault::{Fault, Refusal},
    plan::{FaultPlan, Rule, Share},
};

/// The pause of a slow body or a late answer where the rule names none.
const PAUSE: Duration = Duration::from_millis(50);

/// A fault plan's text that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseFaultError {
    rule: String,
    problem: &'static str,
}

impl fmt::Display for ParseFaultError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "fault rule `{}`: {}", self.rule, self.problem)
    }
}

impl Error for ParseFaultError {}

impl FromStr for FaultPlan {
    type Err = ParseFaultError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut plan = Self::new(0);
        for words in rules(text) {
            let rule = parse_rule(&words)
                .map_err(|problem| ParseFaultError { rule: words.join(" "), problem })?;
            plan = plan.with(rule);
        }
        Ok(plan)
    }
}

/// Splits at `;` and white space; double quotes keep both, and a backslash in them keeps a quote.
fn rules(text: &str) -> Vec<Vec<String>> {
    let mut rules = Vec::new();
    let mut words = Vec::new();
    let mut word = String::new();
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '"' => quoted(&mut chars, &mut word),
            ';' => {
                words.extend(finish(&mut word));
                rules.push(core::mem::take(&mut words));
            }
            char if char.is_whitespace() => words.extend(finish(&mut word)),
            char => word.push(char),
        }
    }
    words.extend(finish(&mut word));
    rules.push(words);
    rules.retain(|words| !words.is_empty());
    rules
}

fn quoted(chars: &mut Peekable<Chars<'_>>, word: &mut String) {
    while let Some(char) = chars.next() {
        match char {
            '"' => return,
            '\\' => word.extend(chars.next()),
            char => word.push(char),
        }
    }
}

fn finish(word: &mut String) -> Option<String> {
    (!word.is_empty()).then(|| core::mem::take(word))
}

fn parse_rule(words: &[String]) -> Result<Rule, &'static str> {
    let (head, options) = words.split_first().ok_or("it is empty")?;
    let (name, when) = head.split_once('@').ok_or("`@` and a time are missing")?;
    let mut code = "INTERNAL_SERVER_ERROR";
    let mut pause = PAUSE;
    let mut status = None;
    let mut under = None;
    let mut retry_after = Vec::new();
    for option in options {
        let (key, value) = option.split_once('=').ok_or("an option is written `name=value`")?;
        match key {
            "code" => code = value,
            "pause" => pause = duration(value).ok_or("`pause` is not a duration")?,
            "path" => under = Some(value),
            "retry-after" => retry_after.push(value),
            "status" => status = Some(error_status(value)?),
            _ => return Err("the options are code, pause, path, retry-after and status"),
        }
    }
    let fault = match name {
        "5xx" => Fault::ServerError,
        "close" => Fault::Close,
        "endless" => Fault::EndlessBody(status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)),
        "graphql" => Fault::GraphqlError(code.to_owned()),
        "hang" => Fault::Hang,
        "late" => Fault::Late(pause),
        "reset" => Fault::Reset,
        "reset-after" => Fault::ResetAfter,
        "slow" => Fault::SlowBody(pause),
        "stall" => Fault::StalledBody,
        "truncate" => Fault::TruncatedBody,
        code => {
            let refusal = Refusal::new(error_status(code)?.as_u16());
            Fault::Refuse(retry_after.into_iter().fold(refusal, Refusal::with_retry_after))
        }
    };
    let rule = parse_when(when, fault)?;
    Ok(match under {
        Some(path) => rule.under(path),
        None => rule,
    })
}

fn parse_when(text: &str, fault: Fault) -> Result<Rule, &'static str> {
    if let Some(percent) = text.strip_suffix('%') {
        return Ok(Rule::share(share(percent).ok_or("the share is not a percentage")?, fault));
    }
    if let Some(numbers) = text.strip_prefix('#') {
        let (from, to) = numbers.split_once('-').unwrap_or((numbers, numbers));
        return match (from.parse(), to.parse()) {
            (Ok(from), Ok(to)) if from <= to => Ok(Rule::requests(from..=to, fault)),
            _ => Err("the requests are written `#7` or `#7-9`"),
        };
    }
    let window = text.split_once('-').and_then(|(from, to)| Some(duration(from)?..duration(to)?));
    match window {
        Some(window) if window.start <= window.end => Ok(Rule::during(window, fault)),
        _ => Err("the time is written `5%`, `#7`, `#7-9` or `2s-6s`"),
    }
}

fn error_status(text: &str) -> Result<StatusCode, &'static str> {
    text.parse().map_err(|_| {
        "the fault is a status or 5xx, close, endless, graphql, hang, late, reset, reset-after, slow, stall or truncate"
    })
}

/// A percentage with at most four decimals.
fn share(text: &str) -> Option<Share> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    if fraction.is_empty() || fraction.len() > 4 || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let fraction = format!("{fraction:0<4}").parse::<u32>().ok()?;
    let parts = whole.parse::<u32>().ok()?.checked_mul(10_000)?.checked_add(fraction)?;
    (parts <= 1_000_000).then(|| Share::per_million(parts))
}

/// A whole number of `ms`, `s` or `m`.
pub(crate) fn duration(text: &str) -> Option<Duration> {
    let unit = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at_checked(unit)?;
    let number: u64 = number.parse().ok()?;
    match unit {
        "ms" => Some(Duration::from_millis(number)),
        "s" => Some(Duration::from_secs(number)),
        "m" => Some(Duration::from_secs(number.checked_mul(60)?)),
        _ => None,
    }
}
