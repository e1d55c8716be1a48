//! Conditions as text for people.

use serde_json::Value as Json;

use super::{FieldCondition, GraphqlCondition, GraphqlOp};

impl GraphqlCondition {
    /// The condition in words: `country = "DE" AND NOT (closed = true)`.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Field(FieldCondition { field, op, value }) => comparison(field, *op, value),
            Self::DeferredField { field, op, .. } => {
                format!("{field} {} <deferred>", op.words())
            }
            Self::Deferred(_) => "<deferred>".to_owned(),
            Self::And(parts) => joined(parts, " AND "),
            Self::Or(parts) => format!("({})", joined(parts, " OR ")),
            Self::Not(part) => format!("NOT ({})", part.describe()),
        }
    }
}

fn comparison(field: &str, op: GraphqlOp, value: &Json) -> String {
    match op {
        GraphqlOp::IsNull | GraphqlOp::IsNotNull => format!("{field} {}", op.words()),
        _ => format!("{field} {} {value}", op.words()),
    }
}

fn joined(parts: &[GraphqlCondition], glue: &str) -> String {
    parts.iter().map(GraphqlCondition::describe).collect::<Vec<_>>().join(glue)
}
