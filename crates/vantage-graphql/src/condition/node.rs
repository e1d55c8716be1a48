//! A condition made ready: aliases applied, deferred values resolved.

use std::{borrow::Cow, future::Future, pin::Pin};

use serde_json::{Map, Value as Json};
use vantage_core::{Result, error};
use vantage_expressions::{DeferredFn, ExpressiveEnum};

use super::{FieldCondition, GraphqlCondition, GraphqlOp};
use crate::{literal, name::NameKind, types::AnyGraphqlType};

/// What a column is called on the server.
pub(crate) trait Names: Sync {
    /// The server's name for `column`.
    fn field<'a>(&'a self, column: &'a str) -> &'a str;
}

/// Every column is called what the table calls it.
impl Names for () {
    fn field<'a>(&'a self, column: &'a str) -> &'a str {
        column
    }
}

/// A condition without open questions. It borrows whatever was known before.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node<'a> {
    And(Vec<Self>),
    Field {
        field: &'a str,
        op: GraphqlOp,
        value: Cow<'a, Json>,
    },
    /// Stands in a preview for a part that is known only when a request is sent.
    Marker(String),
    Not(Box<Self>),
    Or(Vec<Self>),
    /// An object in the server's own spelling.
    Verbatim(Map<String, Json>),
}

type Resolving<'a> = Pin<Box<dyn Future<Output = Result<Node<'a>>> + Send + 'a>>;

impl<'a> Node<'a> {
    /// The condition with deferred values resolved, each once.
    ///
    /// # Errors
    ///
    /// If a deferred value fails or has the wrong shape.
    pub(crate) fn resolve(condition: &'a GraphqlCondition, names: &'a dyn Names) -> Resolving<'a> {
        Box::pin(async move {
            if !condition.is_deferred() {
                return Ok(Self::preview(condition, names));
            }
            match condition {
                GraphqlCondition::Deferred(value_fn) => verbatim(value_fn).await,
                GraphqlCondition::DeferredField { field, op, value_fn } => {
                    let value = scalar(value_fn, field).await?;
                    let (op, value) = membership(*op, value);
                    Ok(Self::Field { field: names.field(field), op, value: Cow::Owned(value) })
                }
                GraphqlCondition::And(parts) => Ok(Self::And(resolve_all(parts, names).await?)),
                GraphqlCondition::Or(parts) => Ok(Self::Or(resolve_all(parts, names).await?)),
                GraphqlCondition::Not(part) => {
                    Ok(Self::Not(Box::new(Self::resolve(part, names).await?)))
                }
                GraphqlCondition::Field(_) => Ok(Self::preview(condition, names)),
            }
        })
    }

    /// The condition with markers in place of deferred parts. Exact for a
    /// condition that has none.
    pub(crate) fn preview(condition: &'a GraphqlCondition, names: &'a dyn Names) -> Self {
        let all = |parts: &'a [GraphqlCondition]| {
            parts.iter().map(|part| Self::preview(part, names)).collect()
        };
        match condition {
            GraphqlCondition::Field(FieldCondition { field, op, value }) => {
                Self::Field { field: names.field(field), op: *op, value: Cow::Borrowed(value) }
            }
            GraphqlCondition::DeferredField { field, op, .. } => {
                Self::Marker(format!("**deferred({} {op:?})", names.field(field)))
            }
            GraphqlCondition::Deferred(_) => Self::Marker("**deferred()".to_owned()),
            GraphqlCondition::And(parts) => Self::And(all(parts)),
            GraphqlCondition::Or(parts) => Self::Or(all(parts)),
            GraphqlCondition::Not(part) => Self::Not(Box::new(Self::preview(part, names))),
        }
    }

    /// Refuses the condition if a key it would render is not a name.
    pub(crate) fn check_names(&self) -> Result<()> {
        match self {
            Self::And(parts) | Self::Or(parts) => parts.iter().try_for_each(Self::check_names),
            Self::Not(part) => part.check_names(),
            Self::Field { field, value, .. } => {
                NameKind::FilterKey.check(field)?;
                literal::check_keys(NameKind::FilterKey, value)
            }
            Self::Verbatim(fields) => fields.iter().try_for_each(|(key, value)| {
                NameKind::FilterKey.check(key)?;
                literal::check_keys(NameKind::FilterKey, value)
            }),
            Self::Marker(_) => Ok(()),
        }
    }
}

async fn resolve_all<'a>(
    parts: &'a [GraphqlCondition],
    names: &'a dyn Names,
) -> Result<Vec<Node<'a>>> {
    let mut nodes = Vec::with_capacity(parts.len());
    for part in parts {
        nodes.push(Node::resolve(part, names).await?);
    }
    Ok(nodes)
}

async fn verbatim<'a>(value_fn: &DeferredFn<AnyGraphqlType>) -> Result<Node<'a>> {
    match value_fn.call().await? {
        ExpressiveEnum::Scalar(value) => match value.into_value() {
            Json::Object(fields) => Ok(Node::Verbatim(fields)),
            other => Err(error!(
                "Deferred GraphQL condition must resolve to a JSON object",
                got = kind_of(&other)
            )),
        },
        ExpressiveEnum::Nested(_) | ExpressiveEnum::Deferred(_) => Err(error!(
            "Deferred GraphQL condition must resolve to a JSON object",
            got = "expression"
        )),
    }
}

async fn scalar(value_fn: &DeferredFn<AnyGraphqlType>, field: &str) -> Result<Json> {
    match value_fn.call().await? {
        ExpressiveEnum::Scalar(value) => Ok(value.into_value()),
        ExpressiveEnum::Nested(_) | ExpressiveEnum::Deferred(_) => {
            Err(error!("Deferred GraphQL value resolved to a non-scalar", field = field))
        }
    }
}

/// An equality with a list means membership.
fn membership(op: GraphqlOp, value: Json) -> (GraphqlOp, Json) {
    match (op, value) {
        (GraphqlOp::Eq, Json::Array(mut values)) => match values.pop() {
            Some(only) if values.is_empty() => (GraphqlOp::Eq, only),
            Some(last) => {
                values.push(last);
                (GraphqlOp::In, Json::Array(values))
            }
            None => (GraphqlOp::In, Json::Array(values)),
        },
        other => other,
    }
}

/// The JSON kind of `value`, for errors.
pub(crate) fn kind_of(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "boolean",
        Json::Number(_) => "number",
        Json::String(_) => "string",
        Json::Array(_) => "array",
        Json::Object(_) => "object",
    }
}
