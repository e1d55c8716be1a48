//! Conditions on rows that were fetched, for servers that do not filter.

use std::{borrow::Cow, cmp::Ordering};

use serde_json::{Number, Value as Json};
use vantage_core::{Result, error};

use crate::condition::{
    GraphqlCondition, GraphqlOp,
    node::{Node, kind_of},
};

/// How values are compared when conditions are applied to fetched rows.
///
/// | | `Structural` | `ServerLike` |
/// |---|---|---|
/// | `5` and `5.0` | differ | equal |
/// | `"5"` and `5` | differ | equal |
/// | `!=`, `NOT IN` on null | hold | do not hold |
/// | `%` inside a pattern, `_` | literal | wildcards |
/// | an OR without parts | holds | does not hold |
///
/// In both, `<` and its kin compare two numbers or two texts and hold for
/// nothing else; patterns match texts only; a missing field is null.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum LocalComparison {
    /// By JSON structure.
    #[default]
    Structural,
    /// As a SQL-backed server would answer.
    ServerLike,
}

/// A condition ready to be applied to rows.
pub(crate) struct LocalFilter<'a> {
    parts: Vec<Node<'a>>,
    comparison: LocalComparison,
}

impl<'a> LocalFilter<'a> {
    /// Resolves `conditions`, each deferred value once.
    ///
    /// # Errors
    ///
    /// If a condition is opaque, since only a server can read it; if a
    /// deferred value fails or has the wrong shape.
    pub(crate) async fn resolve(
        conditions: &'a [GraphqlCondition],
        comparison: LocalComparison,
    ) -> Result<Self> {
        let mut parts = Vec::with_capacity(conditions.len());
        for condition in conditions {
            refuse_opaque(condition)?;
            parts.push(Node::resolve(condition, &()).await?);
        }
        Ok(Self { parts, comparison })
    }

    /// Whether `row`, as the server sent it, meets every condition.
    pub(crate) fn matches(&self, row: &Json) -> bool {
        self.parts.iter().all(|part| self.holds(part, row))
    }

    fn holds(&self, node: &Node<'_>, row: &Json) -> bool {
        match node {
            Node::And(parts) => parts.iter().all(|part| self.holds(part, row)),
            Node::Or(parts) if parts.is_empty() => self.comparison == LocalComparison::Structural,
            Node::Or(parts) => parts.iter().any(|part| self.holds(part, row)),
            Node::Not(part) => !self.holds(part, row),
            Node::Field { field, op, value } => self.compares(at_path(row, field), *op, value),
            // Refused when the filter was made.
            Node::Verbatim(_) | Node::Marker(_) => false,
        }
    }

    fn compares(&self, cell: &Json, op: GraphqlOp, value: &Json) -> bool {
        let negated_null = self.comparison == LocalComparison::ServerLike && cell.is_null();
        match op {
            GraphqlOp::Eq => self.same(cell, value),
            GraphqlOp::Ne => !negated_null && !self.same(cell, value),
            GraphqlOp::In => self.is_member(cell, value),
            GraphqlOp::NotIn => !negated_null && !self.is_member(cell, value),
            GraphqlOp::Gt => order(cell, value) == Some(Ordering::Greater),
            GraphqlOp::Gte => order(cell, value).is_some_and(Ordering::is_ge),
            GraphqlOp::Lt => order(cell, value) == Some(Ordering::Less),
            GraphqlOp::Lte => order(cell, value).is_some_and(Ordering::is_le),
            GraphqlOp::Like => self.is_like(cell, value, as_it_is),
            GraphqlOp::ILike => self.is_like(cell, value, in_lower_case),
            GraphqlOp::IsNull => cell.is_null(),
            GraphqlOp::IsNotNull => !cell.is_null(),
        }
    }

    fn same(&self, a: &Json, b: &Json) -> bool {
        match (self.comparison, a, b) {
            (LocalComparison::ServerLike, Json::Number(a), Json::Number(b)) => {
                order_numbers(a, b) == Some(Ordering::Equal)
            }
            (LocalComparison::ServerLike, Json::Number(number), Json::String(text))
            | (LocalComparison::ServerLike, Json::String(text), Json::Number(number)) => {
                *text == number.to_string()
            }
            _ => a == b,
        }
    }

    fn is_member(&self, cell: &Json, list: &Json) -> bool {
        match list {
            Json::Array(items) => items.iter().any(|item| self.same(cell, item)),
            only => self.same(cell, only),
        }
    }

    fn is_like(&self, cell: &Json, pattern: &Json, fold: fn(&str) -> Cow<'_, str>) -> bool {
        let (Json::String(text), Json::String(pattern)) = (cell, pattern) else { return false };
        let (text, pattern) = (fold(text), fold(pattern));
        match self.comparison {
            LocalComparison::Structural => anchored(&text, &pattern),
            LocalComparison::ServerLike => wildcard(&text, &pattern),
        }
    }
}

fn as_it_is(text: &str) -> Cow<'_, str> {
    Cow::Borrowed(text)
}

fn in_lower_case(text: &str) -> Cow<'_, str> {
    Cow::Owned(text.to_lowercase())
}

fn refuse_opaque(condition: &GraphqlCondition) -> Result<()> {
    match condition {
        GraphqlCondition::Deferred(_) => {
            Err(error!("An opaque deferred condition can't be applied to fetched rows"))
        }
        GraphqlCondition::And(parts) | GraphqlCondition::Or(parts) => {
            parts.iter().try_for_each(refuse_opaque)
        }
        GraphqlCondition::Not(part) => refuse_opaque(part),
        GraphqlCondition::Field(_) | GraphqlCondition::DeferredField { .. } => Ok(()),
    }
}

/// The value at a dotted path within nested objects; null when there is none.
pub(crate) fn at_path<'r>(row: &'r Json, path: &str) -> &'r Json {
    const NULL: &Json = &Json::Null;
    path.split('.').try_fold(row, |at, segment| at.get(segment)).unwrap_or(NULL)
}

fn order(a: &Json, b: &Json) -> Option<Ordering> {
    match (a, b) {
        (Json::Number(a), Json::Number(b)) => order_numbers(a, b),
        (Json::String(a), Json::String(b)) => Some(a.cmp(b)),
        _ => {
            tracing::trace!(a = kind_of(a), b = kind_of(b), "values of these kinds have no order");
            None
        }
    }
}

fn order_numbers(a: &Number, b: &Number) -> Option<Ordering> {
    match (integer(a), integer(b)) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        _ => a.as_f64()?.partial_cmp(&b.as_f64()?),
    }
}

fn integer(number: &Number) -> Option<i128> {
    number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
}

/// Matches a pattern whose only wildcards are a `%` at either end.
fn anchored(text: &str, pattern: &str) -> bool {
    let (open_start, rest) = match pattern.strip_prefix('%') {
        Some(rest) => (true, rest),
        None => (false, pattern),
    };
    let (open_end, rest) = match rest.strip_suffix('%') {
        Some(shorter) if !ends_escaping(shorter) => (true, shorter),
        _ => (false, rest),
    };
    let wanted: String = Tokens(rest.chars()).map(|(_, c)| c).collect();
    match (open_start, open_end) {
        (true, true) => text.contains(&wanted),
        (true, false) => text.ends_with(&wanted),
        (false, true) => text.starts_with(&wanted),
        // A lone `%` was taken as the start.
        (false, false) => text == wanted,
    }
}

/// Whether `text` ends in a backslash that escapes what would follow.
fn ends_escaping(text: &str) -> bool {
    text.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

/// Matches a pattern in which `%` is any text and `_` any character.
fn wildcard(text: &str, pattern: &str) -> bool {
    let text: Vec<char> = text.chars().collect();
    let pattern: Vec<(bool, char)> = Tokens(pattern.chars()).collect();
    let (mut at, mut want) = (0, 0);
    // Where to go on when the text after the last `%` turned out not to match.
    let mut retry: Option<(usize, usize)> = None;
    while let Some(c) = text.get(at) {
        match pattern.get(want) {
            Some((false, '%')) => {
                retry = Some((at, want + 1));
                want += 1;
            }
            Some((escaped, token)) if token == c || (!escaped && *token == '_') => {
                at += 1;
                want += 1;
            }
            _ => match retry {
                Some((from, after)) => {
                    retry = Some((from + 1, after));
                    (at, want) = (from + 1, after);
                }
                None => return false,
            },
        }
    }
    pattern.get(want..).is_none_or(|rest| rest.iter().all(|token| *token == (false, '%')))
}

/// The characters of a pattern, and whether a backslash stood before each.
struct Tokens<'a>(std::str::Chars<'a>);

impl Iterator for Tokens<'_> {
    type Item = (bool, char);

    fn next(&mut self) -> Option<(bool, char)> {
        match self.0.next()? {
            '\\' => Some((true, self.0.next().unwrap_or('\\'))),
            c => Some((false, c)),
        }
    }
}

#[cfg(test)]
mod tests;
